// A credential as a card, in the colours of its issuer where they can be read.
import { html, nothing, type TemplateResult } from 'lit';
import { define, PageElement } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { dateText } from '../../shared/time.ts';
import { claimRows, coloursOf, descriptionOf, isSubject, labelOf, logoOf, nameOf, titleOf } from '../display.ts';
import { shownIssuer } from '../peer.ts';
import { peerLine } from '../peer-card.ts';
import { logoPicture, shortened } from '../strangers.ts';
import type { Credential, Display, OfferedCredential } from '../types.ts';
import { cardValue } from '../value.ts';
import { words } from '../words/index.ts';

const SHOWN_CLAIMS = 4;
/** Of the names of claims on a card, in characters. */
const MAX_CLAIMS = 500;
const GOOD_CONTRAST = 4.5;

function channels(colour: string): number[] {
  const text = colour.slice(1);
  const long = text.length === 3 ? [...text].map((one) => one + one).join('') : text;
  return [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16) / 255);
}

/** Relative luminance (WCAG 2). */
function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

/** The issuer's text colour if it can be read, else black or white. */
function inkOn(ground: string, wanted: string | undefined): string {
  if (wanted !== undefined && contrast(ground, wanted) >= GOOD_CONTRAST) return wanted;
  return contrast(ground, '#ffffff') >= contrast(ground, '#000000') ? '#ffffff' : '#000000';
}

/** `<gw-card>`: what is in it, in the colours of a display entry. Set by script, because inline styles are not allowed. */
export class CardElement extends PageElement {
  #displays: readonly Display[] = [];
  #content: TemplateResult | undefined;

  set displays(displays: readonly Display[]) {
    this.#displays = displays;
    this.requestUpdate();
  }

  set content(content: TemplateResult) {
    this.#content = content;
    this.requestUpdate();
  }

  protected override render(): TemplateResult | typeof nothing {
    return this.#content ?? nothing;
  }

  protected override updated(): void {
    const { backgroundColor: ground, textColor } = coloursOf(this.#displays);
    const { style, classList } = this;
    classList.add('credential-card');
    if (ground === undefined) {
      style.removeProperty('--card');
      style.removeProperty('--card-ink');
      return;
    }
    style.setProperty('--card', ground);
    style.setProperty('--card-ink', inkOn(ground, textColor));
  }
}
define('gw-card', CardElement);

const card = (displays: readonly Display[], content: TemplateResult): TemplateResult =>
  html`<gw-card .displays=${displays} .content=${content}></gw-card>`;

const hasNotBegun = ({ validFrom }: Credential): boolean => validFrom !== undefined && Date.parse(validFrom) > Date.now();
const SOON_MS = 7 * 24 * 3600 * 1000;

export function statusBadge(credential: Credential): TemplateResult {
  const { credentials } = words;
  const { status, presentable, damaged } = credential;
  if (damaged) return html`<span class="badge bad">${credentials.damaged}</span>`;
  if (status === 'valid' && hasNotBegun(credential)) return html`<span class="badge warn">${credentials.notYet}</span>`;
  const kind = status === 'valid' ? 'good' : status === 'unknown' ? 'warn' : 'bad';
  return html`<span class="badge ${kind}">${credentials.statuses[status]}</span>
    ${presentable || kind === 'bad' ? nothing : html`<span class="badge bad">${credentials.notPresentable}</span>`}`;
}

/** Until when, or from when if that is to come. */
export function validity(credential: Credential): string {
  const { credentials } = words;
  const { validFrom, validUntil, status } = credential;
  if (validFrom && hasNotBegun(credential)) return credentials.validFrom(dateText(validFrom));
  if (!validUntil) return credentials.noEnd;
  const left = Date.parse(validUntil) - Date.now();
  if (status === 'expired' || left <= 0) return credentials.ended(dateText(validUntil));
  return left < SOON_MS ? credentials.endsSoon(dateText(validUntil)) : credentials.validUntil(dateText(validUntil));
}

/** `title`: its name, as a heading that fits the page. */
function cardOf(credential: Credential, title: TemplateResult, shownClaims: number): TemplateResult {
  const { credentials } = words;
  const { issuer, displays, instances } = credential;
  const rows = claimRows(credential).filter(({ path }) => !isSubject(path));
  return card(
    displays,
    html`<header>
        ${logoPicture(logoOf(displays) ?? issuer.logo)}
        <div>${title}<p>${peerLine(shownIssuer(issuer))}</p></div>
      </header>
      ${
        shownClaims === 0
          ? nothing
          : html`<dl>${rows
              .slice(0, shownClaims)
              .map(({ label, value }) => html`<div><dt>${label}</dt><dd>${cardValue(value)}</dd></div>`)}</dl>
            ${rows.length > shownClaims ? html`<p>${credentials.moreClaims(rows.length - shownClaims)}</p>` : nothing}`
      }
      <footer>
        ${statusBadge(credential)}
        <span>${validity(credential)}</span>
        ${instances > 1 ? html`<span>${credentials.copies(instances)}</span>` : nothing}
      </footer>`,
  );
}

/** As it is shown in the list: a link to the whole. */
export const credentialCard = (credential: Credential): TemplateResult =>
  cardOf(
    credential,
    html`<h2><a href=${hrefOf(`/credentials/${part(credential.id)}`)}>${titleOf(credential)}</a></h2>`,
    SHOWN_CLAIMS,
  );

/** Above what it says in full. */
export const credentialFace = (credential: Credential): TemplateResult =>
  cardOf(credential, html`<p class="card-title">${titleOf(credential)}</p>`, 0);

/** What an issuer offers, before there is a credential. */
export function offeredCard({ displays, type = '', configurationId, labels, supported }: OfferedCredential): TemplateResult {
  const { receive } = words;
  const description = descriptionOf(displays);
  const claims = labels.map(({ path }) => labelOf(path, labels));
  return card(
    displays,
    html`<header>${logoPicture(logoOf(displays))}<div><h3>${nameOf(displays, type || configurationId)}</h3></div></header>
      ${description ? html`<p><bdi>${description}</bdi></p>` : nothing}
      ${claims.length > 0 ? html`<p>${receive.contains(shortened(claims.join(', '), MAX_CLAIMS))}</p>` : nothing}
      ${supported ? nothing : html`<footer><span class="badge bad">${receive.notSupported}</span></footer>`}`,
  );
}
