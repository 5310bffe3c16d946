// What happens when a person signs in now, in sentences.
import { html, nothing, type TemplateResult } from 'lit';
import { openForm } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { durationText, time } from '../../shared/time.ts';
import { go } from '../frame.ts';
import { findPeople } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

interface Way {
  readonly way: keyof typeof words.signInPreview.ways;
  /** Null: whoever looks may not know. */
  readonly open: boolean | null;
  readonly why: keyof typeof words.signInPreview.why | null;
  readonly until: string | null;
  readonly asks: readonly (keyof typeof words.signInPreview.asks)[] | null;
  readonly provider: { readonly name: string; readonly is_home: boolean } | null;
}

export interface SignInPreview {
  readonly refusals: readonly string[];
  readonly paused_until: string | null;
  readonly ways: readonly Way[];
  readonly second_factor: {
    readonly policy: keyof typeof words.signInPreview.policies;
    readonly enabled: boolean;
    readonly devices: number;
    readonly locked_until: string | null;
  } | null;
  readonly terms: { readonly version: string; readonly url: string } | null;
  readonly settings: readonly {
    readonly key: string;
    readonly value: string | null;
    readonly source: keyof typeof words.domainSettings.sources;
  }[];
}

/** `path`: of the person, in the API. */
export const readPreview = async (path: string, signal: AbortSignal): Promise<SignInPreview> =>
  (await api.get<{ sign_in: SignInPreview }>(`${path}/OS-ACCESS/sign-in`, { signal })).sign_in;

/** A new password comes first; of the others one is enough. */
function asked(asks: NonNullable<Way['asks']>): string {
  const { signInPreview } = words;
  const others = asks.filter((one) => one !== 'new_password').map((one) => signInPreview.asks[one]);
  const first = asks.includes('new_password') ? [signInPreview.asks.new_password] : [];
  const steps = [...first, ...(others.length > 0 ? [others.join(signInPreview.or)] : [])];
  return steps.length === 0 ? signInPreview.asksNothing : signInPreview.next(steps.join(signInPreview.and));
}

function wayLine({ way, open, why, until, asks, provider }: Way): TemplateResult {
  const { signInPreview } = words;
  const name = provider ? signInPreview.provider(provider.name) : signInPreview.ways[way];
  const badge =
    open === null
      ? html`<span class="badge">${signInPreview.hidden}</span>`
      : open
        ? html`<span class="badge good">${signInPreview.open}</span>`
        : html`<span class="badge ${why === 'none' || why === 'off' ? '' : 'bad'}">${signInPreview.closed}</span>`;
  return html`<li><strong>${name}</strong> ${badge}
    ${why === null ? nothing : signInPreview.why[why]} ${until === null ? nothing : html`${signInPreview.until} ${time(until)}.`}
    ${open && asks !== null ? asked(asks) : nothing} ${provider?.is_home ? signInPreview.home : nothing}</li>`;
}

const IN_DAYS = new Set(['passwords.expires_days', 'two_factor.device_days']);

function shownValue({ key, value }: SignInPreview['settings'][number]): string {
  const { signInPreview } = words;
  if (value === null) return signInPreview.notSet;
  if (IN_DAYS.has(key)) return durationText(Number(value) * 86_400);
  return /(?:_|\.)(?:seconds|duration)$/.test(key) ? durationText(Number(value)) : value;
}

/** Links that somebody entered are shown as links only if they begin with https: or http:. */
const termsLink = (url: string): Content =>
  /^https?:/.test(url)
    ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${words.signInPreview.termsLink}</a>`
    : nothing;

export function previewCard(name: string, preview: SignInPreview | undefined): Content {
  if (!preview) return nothing;
  const { signInPreview, domainSettings } = words;
  const { refusals, paused_until: paused, ways, second_factor: factor, terms, settings } = preview;
  const refusalTexts: Readonly<Record<string, string>> = signInPreview.refusals;
  const names: Readonly<Record<string, string>> = domainSettings.names;
  return html`<section class="card"><h2>${signInPreview.title(name)}</h2>
    ${
      refusals.length === 0
        ? html`<p>${signInPreview.notRefused}</p>`
        : refusals.map((one) => html`<p><span class="badge bad">${signInPreview.refused}</span> ${refusalTexts[one] ?? one}</p>`)
    }
    ${paused === null ? nothing : html`<p>${signInPreview.paused} ${time(paused)}.</p>`}
    <ul class="plain-list">${ways.map(wayLine)}</ul>
    ${terms === null ? nothing : html`<p>${signInPreview.terms(terms.version)} ${termsLink(terms.url)}</p>`}
    ${factor === null ? nothing : html`<p>${factor.enabled ? signInPreview.factorOn(factor.devices) : signInPreview.factorOff} ${signInPreview.policies[factor.policy]}</p>`}
    ${ways.some(({ open, asks }) => open && asks?.includes('new_factor')) ? html`<p>${signInPreview.newFactorAtApi}</p>` : nothing}
    ${factor?.locked_until ? html`<p>${signInPreview.codesLocked} ${time(factor.locked_until)}.</p>` : nothing}
    <details><summary>${signInPreview.settings}</summary>
      <dl class="facts">${settings.map(
        (one) => html`<dt>${names[one.key] ?? one.key}</dt>
          <dd>${shownValue(one)} <span class="soft">${domainSettings.source(domainSettings.sources[one.source])}</span></dd>`,
      )}</dl></details>
  </section>`;
}

/** Leads to the answer about somebody. */
export async function choosePerson(): Promise<void> {
  const { signInPreview } = words;
  let id: string | undefined;
  const done = await openForm({
    title: signInPreview.choose,
    submitLabel: signInPreview.show,
    fields: [{ name: 'person', label: words.grants.person, type: 'pick', required: true, find: findPeople }],
    submit: async (values) => {
      id = values.text('person');
    },
  });
  if (done && id !== undefined) await go(`/people/${part(id)}`, { tab: 'sign-in' });
}
