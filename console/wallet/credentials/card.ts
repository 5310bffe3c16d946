// A credential as a card, in the colours of its issuer where they can be read.
import { html, nothing, type TemplateResult } from 'lit';
import { define, PageElement } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { dateText } from '../../shared/time.ts';
import { claimRows, inLanguage, isSubject, nameOf, titleOf } from '../display.ts';
import { shownIssuer } from '../peer.ts';
import type { Credential, Display, OfferedCredential } from '../types.ts';
import { words } from '../words/index.ts';

const SHOWN_CLAIMS = 4;
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
    const { backgroundColor: ground, textColor } = inLanguage(this.#displays) ?? {};
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

export function statusBadge({ status, presentable, damaged }: Credential): TemplateResult {
  const { credentials } = words;
  if (damaged) return html`<span class="badge bad">${credentials.damaged}</span>`;
  const kind = status === 'valid' ? 'good' : status === 'unknown' ? 'warn' : 'bad';
  return html`<span class="badge ${kind}">${credentials.statuses[status]}</span>
    ${presentable || kind === 'bad' ? nothing : html`<span class="badge bad">${credentials.notPresentable}</span>`}`;
}

/** As it is shown in the list: a link to the whole. */
export function credentialCard(credential: Credential): TemplateResult {
  const { credentials } = words;
  const { id, issuer, displays, validUntil, instances } = credential;
  const rows = claimRows(credential).filter(({ path }) => !isSubject(path));
  return card(
    displays,
    html`<header>
        <h2><a href=${hrefOf(`/credentials/${part(id)}`)}>${titleOf(credential)}</a></h2>
        <p>${shownIssuer(issuer)}</p>
      </header>
      <dl>${rows.slice(0, SHOWN_CLAIMS).map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
      ${rows.length > SHOWN_CLAIMS ? html`<p>${credentials.moreClaims(rows.length - SHOWN_CLAIMS)}</p>` : nothing}
      <footer>
        ${statusBadge(credential)}
        <span>${validUntil ? credentials.validUntil(dateText(validUntil)) : credentials.noEnd}</span>
        ${instances > 1 ? html`<span>${credentials.copies(instances)}</span>` : nothing}
      </footer>`,
  );
}

/** What an issuer offers, before there is a credential. */
export function offeredCard({ displays, type = '', configurationId, labels, supported }: OfferedCredential): TemplateResult {
  const { receive } = words;
  const description = inLanguage(displays)?.description;
  const claims = labels.flatMap(({ path, names }) => (names ? (inLanguage(names)?.name ?? []) : [path.join(' › ')]));
  return card(
    displays,
    html`<header><h3>${nameOf(displays, type || configurationId)}</h3></header>
      ${description ? html`<p>${description}</p>` : nothing}
      ${claims.length > 0 ? html`<p>${receive.contains(claims.join(', '))}</p>` : nothing}
      ${supported ? nothing : html`<footer><span class="badge bad">${receive.notSupported}</span></footer>`}`,
  );
}
