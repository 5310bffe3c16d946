// What a claim says, on the page: text, a picture that is in the credential, or the beginning of something long.
import { html, type TemplateResult } from 'lit';
import { isClaimPicture, isPicture, shortened } from './strangers.ts';
import { valueText } from './value-text.ts';
import { words } from './words/index.ts';

const ON_CARD = 80;
const LONG = 300;

/** In one line of a card. */
export const cardValue = (value: unknown): string =>
  isPicture(value) ? words.credentials.picture : shortened(valueText(value), ON_CARD);

/** All of it: what is long opens. */
export function wholeValue(value: unknown): TemplateResult {
  if (isClaimPicture(value)) return html`<img class="claim-picture" src=${value} alt=${words.credentials.picture} />`;
  const text = valueText(value);
  if (text.length <= LONG) return html`<bdi>${text}</bdi>`;
  return html`<bdi>${shortened(text, LONG)}</bdi>
    <details><summary>${words.credentials.wholeValue}</summary><bdi>${text}</bdi></details>`;
}
