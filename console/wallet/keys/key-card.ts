// A key as a card: its life as a line, what depends on it, and what can be done with it. Also for the keys of the node.
import { html, nothing, type TemplateResult } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { dateText, relativeTime, time } from '../../shared/time.ts';
import { api } from '../session.ts';
import type { Key } from '../types.ts';
import { words } from '../words/index.ts';

const DAY_MS = 86_400_000;
const REASONS = ['superseded', 'compromised', 'cessation', 'unspecified'] as const;

export const keyName = ({ alias, kid }: Pick<Key, 'alias' | 'kid'>): string => alias ?? `${kid.slice(0, 12)}…`;

const MAX_DAYS = 3650;
const wrongDays = (text: string): string | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) <= MAX_DAYS ? undefined : words.keys.badGrace;

async function rotate(key: Key): Promise<boolean> {
  const { keys } = words;
  return openForm({
    title: keys.rotateTitle(keyName(key)),
    text: keys.rotateText(key.dids.length, key.credentialCount),
    fields: [
      { name: 'days', label: keys.graceDays, type: 'number', value: 30, required: true, hint: keys.graceHint, check: wrongDays },
    ],
    submitLabel: keys.rotate,
    submit: async (values) => {
      await api.post(`/keys/${part(key.id)}/rotate`, { gracePeriod: `P${Number(values.text('days'))}D` });
      announce(keys.rotated);
    },
  });
}

async function revoke(key: Key): Promise<boolean> {
  const { keys } = words;
  return openForm({
    title: keys.revokeTitle(keyName(key)),
    text: keys.revokeText(key.credentialCount, key.dids.length),
    fields: [
      {
        name: 'reason',
        label: keys.reason,
        type: 'select',
        required: true,
        options: REASONS.map((value) => ({ value, label: keys.reasons[value] })),
      },
      ...(key.dids.length > 0
        ? [{ name: 'successor', label: keys.withSuccessor, type: 'checkbox', value: true, hint: keys.successorHint } as const]
        : []),
    ],
    submitLabel: keys.revoke,
    danger: true,
    submit: async (values) => {
      const successor = values.checked('successor') ? { successor: { algorithm: key.algorithm } } : {};
      await api.post(`/keys/${part(key.id)}/revoke`, { reason: values.text('reason'), ...successor });
      announce(keys.revoked);
    },
  });
}

async function purge(key: Key): Promise<boolean> {
  const { keys } = words;
  return openForm({
    title: keys.purgeTitle(keyName(key)),
    text: keys.purgeText,
    fields: [],
    submitLabel: keys.purge,
    danger: true,
    submit: async () => {
      await api.delete(`/keys/${part(key.id)}`);
      announce(keys.purged);
    },
  });
}

/** How much of the grace period is left. */
function grace({ rotatedAt, verifyUntil }: Key): TemplateResult | typeof nothing {
  if (!rotatedAt || !verifyUntil) return nothing;
  const [from, until] = [Date.parse(rotatedAt), Date.parse(verifyUntil)];
  const left = until - Date.now();
  const { keys } = words;
  if (left <= 0) return html`<p class="soft">${keys.graceOver(dateText(verifyUntil))}</p>`;
  return html`<p><label>${keys.graceLeft(Math.ceil(left / DAY_MS))} <progress max=${until - from} value=${left}></progress></label></p>`;
}

/** The life of the key: what happened, and what comes. */
function lifeLine(key: Key): TemplateResult {
  const { keys } = words;
  const { createdAt, rotatedAt, verifyUntil, revokedAt, revocationReason } = key;
  const point = (name: string, at: string | undefined, detail?: string): TemplateResult | typeof nothing =>
    at === undefined
      ? nothing
      : html`<li class=${Date.parse(at) > Date.now() ? 'to-come' : ''}><strong>${name}</strong> ${time(at)} ${detail ? html`<span class="soft">${detail}</span>` : nothing}</li>`;
  const reason = revocationReason && (keys.reasons as Record<string, string>)[revocationReason];
  return html`<ol class="line">
    ${point(keys.created, createdAt)} ${point(keys.rotatedPoint, rotatedAt)} ${point(keys.leavesDocuments, revokedAt ? undefined : verifyUntil)}
    ${point(keys.revokedPoint, revokedAt, reason)}
  </ol>`;
}

export function keyCard(key: Key, changed: () => void, isMarked = false): TemplateResult {
  const { keys } = words;
  const { state, dids, credentialCount, algorithm, storage, kid } = key;
  const kind = { active: 'good', rotated: 'warn', revoked: 'bad' }[state];
  const act = (run: (key: Key) => Promise<boolean>) => async () => {
    if (await run(key)) changed();
  };
  const isFree = state === 'revoked' || (dids.length === 0 && credentialCount === 0);
  return html`<article class="card ${isMarked ? 'marked' : ''}" aria-labelledby=${key.id}>
    <header>
      <h2 id=${key.id}>${keyName(key)}</h2>
      <span><span class="badge ${kind}">${keys.states[state]}</span> ${key.default ? html`<span class="badge">${keys.default}</span>` : nothing}</span>
    </header>
    ${lifeLine(key)} ${state === 'rotated' ? grace(key) : nothing}
    <dl class="facts">
      <dt>${keys.algorithm}</dt><dd>${algorithm}${storage === 'pkcs11' ? html`, ${keys.inDevice}` : nothing}</dd>
      <dt>${keys.thumbprint}</dt><dd><code>${kid}</code></dd>
      <dt>${keys.usedBy}</dt>
      <dd>
        ${dids.length === 0 && credentialCount === 0 ? keys.nothing : nothing}
        ${dids.map((did) => html`<div><a href=${hrefOf(`/identifiers/${part(did)}`)}>${did}</a></div>`)}
        ${credentialCount > 0 ? html`<div><a href=${hrefOf('/', { keyId: key.id })}>${keys.credentials(credentialCount)}</a></div>` : nothing}
      </dd>
      ${key.verifyUntil && state === 'rotated' ? html`<dt>${keys.until}</dt><dd>${relativeTime(key.verifyUntil)}</dd>` : nothing}
    </dl>
    <div class="buttons">
      ${state === 'active' ? html`<button type="button" class="second small" @click=${act(rotate)}>${keys.rotate}</button>` : nothing}
      ${state === 'revoked' ? nothing : html`<button type="button" class="second danger small" @click=${act(revoke)}>${keys.revoke}</button>`}
      ${isFree ? html`<button type="button" class="second danger small" @click=${act(purge)}>${keys.purge}</button>` : nothing}
    </div>
  </article>`;
}
