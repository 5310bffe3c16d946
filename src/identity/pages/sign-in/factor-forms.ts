// What people see when they turn a second factor on, at the account page and in a sign-in.
import { field, type Html, html, type PageWords, trusted } from '../../ground/look/index.ts';

/** A new key that is not confirmed yet. */
export interface ShownKey {
  readonly key: string;
  /** `otpauth:`, which authenticator apps on the same phone open. */
  readonly uri: string;
  readonly svg: string;
}

export const newKey = (words: PageWords, { key, uri, svg }: ShownKey): Html =>
  html`<p>${words.scan}</p><p class="qr">${trusted(svg)}</p>
<p><a class="button second small" href="${uri}">${words.openAuthenticator}</a></p>
<p>${words.key}: <code class="copy">${key}</code></p>`;

export const securityQuestion = (words: PageWords): Html =>
  html`<p class="soft">${words.securityText}</p>
${field({ name: 'question', label: words.securityQuestion, complete: 'off' })}
${field({ name: 'answer', label: words.securityAnswer, complete: 'off' })}`;

/** They are shown once. */
export const recoveryCodes = (words: PageWords, codes: readonly string[]): Html =>
  html`<p role="status">${words.recoveryCodesText}</p><ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>`;

/** As they are made: ten lines of four groups. */
const CODES = /^(?:(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}(?:\n|$)){1,10}$/;

/** The codes as a file; undefined when they are none. They come from the page that shows them: the service has only their hashes. */
export function recoveryCodesFile(
  words: PageWords,
  about: { person: string; service: string; codes: string },
): string | undefined {
  const codes = about.codes.replaceAll('\r\n', '\n');
  if (!CODES.test(codes)) return undefined;
  return `${words.recoveryCodesOf(about.person, about.service)}\n\n${codes}\n\n${words.recoveryCodesText}\n`;
}
