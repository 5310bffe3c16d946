// Texts and pictures of strangers, as far as a page shows them: issuers, verifiers, and what credentials say.
import { html, nothing, type TemplateResult } from 'lit';
import { pictureSize } from './picture-size.ts';
import type { Logo } from './types.ts';

/** Characters that nobody sees, and those that change the direction of what is around them. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

export const readableText = (text: string): string => text.replace(INVISIBLE, ' ').replace(PILED_MARKS, '$1');

/** The beginning of a text, where there is room for no more. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;

const PICTURE = /^data:image\/(?:png|jpeg|webp);base64,(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_PICTURE = 400_000;

/** Only pictures that are here already: the browser never asks a stranger for one. */
export const isPicture = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_PICTURE && PICTURE.test(value);

const MAX_SIDE = 4096;

/** A picture in a claim. Unlike logos, which the node has checked, it may be of any size when it is decoded. */
export function isClaimPicture(value: unknown): value is string {
  if (!isPicture(value)) return false;
  const size = pictureSize(Uint8Array.from(atob(value.slice(value.indexOf(',') + 1)), (one) => one.charCodeAt(0)));
  return size !== undefined && size.width <= MAX_SIDE && size.height <= MAX_SIDE;
}

/** On white, because most logos are made for that. */
export const logoPicture = (logo: Logo | undefined): TemplateResult | typeof nothing =>
  logo && isPicture(logo.uri)
    ? html`<img class="issuer-logo" src=${logo.uri} alt=${shortened(readableText(logo.text ?? ''), 100)} />`
    : nothing;
