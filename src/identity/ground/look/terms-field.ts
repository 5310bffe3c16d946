// The terms of use in a form.
import { type Html, html } from './html.ts';
import { problem, type WrongForm } from './layout.ts';
import type { PageWords } from './words/index.ts';

/** The version is sent back: what is accepted is what the page named. */
export const termsField = (
  words: PageWords,
  terms: { readonly version: string; readonly url: string } | undefined,
  refused: WrongForm | undefined,
): Html => {
  if (!terms) return html``;
  const why = refused?.field === 'terms' ? problem(refused.message) : html``;
  return html`<p><a href="${terms.url}" target="_blank" rel="noopener">${words.readTerms}</a> <span class="soft">(${terms.version})</span></p>
<label class="check"><input type="checkbox" name="terms" value="${terms.version}" required> ${words.acceptTerms}</label>${why}`;
};
