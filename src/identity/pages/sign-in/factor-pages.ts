// Pages of a sign-in in which somebody turns on the second factor that they must have.
import { errorMessage, field, type Html, hidden, html, type PageLook, page } from '../../ground/look/index.ts';
import { newKey, recoveryCodes, type ShownKey, securityQuestion } from './factor-forms.ts';

interface PageForm {
  readonly action: string;
  readonly token: string;
  readonly error?: string | undefined;
}

const form = ({ action, token }: PageForm, step: string, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', step)}${body}</form>`;

export function newFactorPage(look: PageLook, about: PageForm & ShownKey & { asksQuestion: boolean }): string {
  const { words } = look;
  const code = field({
    name: 'code',
    label: words.code,
    complete: 'one-time-code',
    code: 'numeric',
    focus: about.error !== undefined,
  });
  const body = html`${errorMessage(about.error)}<p>${words.newFactorText}</p>${newKey(words, about)}
${form(about, 'factor-create', html`${code}${about.asksQuestion && securityQuestion(words)}<button type="submit">${words.turnOn}</button>`)}
${form(about, 'cancel', html`<button type="submit" class="second">${words.cancel}</button>`)}`;
  return page(look, { title: words.twoFactor, body });
}

/** New codes are shown once. Without them: for somebody who comes back to this page. */
export function newRecoveryCodesPage(look: PageLook, about: PageForm & { person: string; codes: readonly string[] }): string {
  const { words } = look;
  const { codes } = about;
  const file = html`${hidden('person', about.person)}${hidden('codes', codes.join('\n'))}<button type="submit" class="second small">${words.downloadCodes}</button>`;
  const shown = html`${recoveryCodes(words, codes)}${form(about, 'factor-codes', file)}`;
  const body = html`${codes.length > 0 ? shown : html`<p role="status">${words.recoveryCodesShown}</p>`}
${form(about, 'factor-kept', html`<button type="submit">${codes.length > 0 ? words.codesAreKept : words.continueLabel}</button>`)}`;
  return page(look, { title: words.twoFactor, body, once: codes.length > 0 });
}
