// Parts of a request on the page: who asks, what for, and which credential answers.
import { html, nothing, type TemplateResult } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { dateText } from '../../shared/time.ts';
import { validity } from '../credentials/card.ts';
import { claimRows, isSubject, titleOf } from '../display.ts';
import { forExperts } from '../experts.ts';
import { hostOf, shownIssuer, shownPeer } from '../peer.ts';
import { peerCard } from '../peer-card.ts';
import { readableText, shortened } from '../strangers.ts';
import type { Credential, PresentationPreview, QuerySet } from '../types.ts';
import { cardValue } from '../value.ts';
import { words } from '../words/index.ts';

/** In characters. */
const MAX_FORMAT = 100;
const MAX_TRANSACTION = 5000;

export function whoAsks({ verifier, responseUri }: PresentationPreview): TemplateResult {
  const { share } = words;
  const { certificate, trust, authenticated, name } = verifier;
  const proof = (share.proofs as Record<string, string>)[trust] ?? trust;
  return html`<section class="card">
      <h2>${share.who}</h2>
      ${peerCard(shownPeer(name, responseUri, trust), proof, { isBad: !authenticated && trust !== 'registered' })}
      ${
        certificate
          ? html`<dl class="facts"><dt>${share.certificate}</dt>
            <dd><bdi>${readableText(certificate.subject)}</bdi><br /><span class="soft">${share.certificateUntil(dateText(certificate.validUntil))}</span></dd></dl>`
          : nothing
      }
    </section>`;
}

export const requestDetails = ({ verifier, responseUri, query }: PresentationPreview): TemplateResult =>
  forExperts(html`<dl class="facts">
    <dt>${words.share.goesTo}</dt><dd><code>${responseUri}</code></dd>
    <dt>${words.share.clientId}</dt><dd><code>${verifier.clientId}</code></dd>
    <dt>${words.credentials.format}</dt><dd><code>${[...new Set(query.map(({ format }) => shortened(readableText(format), MAX_FORMAT)))].join(', ')}</code></dd>
  </dl>`);

const jsonText = (value: unknown): string =>
  shortened(JSON.stringify(value, undefined, 2).split('\n').map(readableText).join('\n'), MAX_TRANSACTION);

export function whatFor({ sets = [], policyUri, transactionData }: PresentationPreview): TemplateResult {
  const { share } = words;
  const purposes = [...new Set(sets.flatMap(({ purpose }: QuerySet) => purpose ?? []))];
  return html`<section class="card">
    <h2>${share.purpose}</h2>
    ${purposes.length > 0 ? purposes.map((one) => html`<p><q><bdi>${one}</bdi></q></p>`) : html`<p class="soft">${share.noPurpose}</p>`}
    ${policyUri ? html`<p>${share.policy}: <a href=${policyUri} target="_blank" rel="noopener noreferrer">${hostOf(policyUri)}</a></p>` : nothing}
    ${
      transactionData
        ? html`<h3>${share.transaction}</h3>
          ${transactionData.map((one) => html`<pre tabindex="0" role="region" aria-label=${share.transaction}>${jsonText(one)}</pre>`)}`
        : nothing
    }
  </section>`;
}

/** In one line of a list. */
export const describe = (credential: Credential): string =>
  words.share.credential(titleOf(credential), shownIssuer(credential.issuer).host, dateText(credential.addedAt));

const TELLING = 3;

/** The only one that answers. */
export const onlyOne = (credential: Credential): Content =>
  html`<p class="soft"><bdi>${describe(credential)}</bdi> · ${validity(credential)}</p>`;

/** So that one can tell it from another of its kind. */
export function choiceOf(credential: Credential): Content {
  const rows = claimRows(credential).filter(({ path }) => !isSubject(path));
  const told = rows.slice(0, TELLING).map(({ label, value }) => `${label}: ${cardValue(value)}`);
  return html`<strong>${describe(credential)}</strong>
    <span class="soft">${[validity(credential), ...told].map((one, at) => html`${at > 0 ? ' · ' : nothing}<bdi>${one}</bdi>`)}</span>`;
}
