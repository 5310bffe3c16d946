// Pages for the sign-in, the second factor and the consent.
import { type Html, html } from './html.ts';
import { errorMessage, field, hidden, page } from './layout.ts';
import { newPasskeyForm, passkeyForm } from './passkey-forms.ts';
import { english } from './words.ts';

const words = english;

interface PageForm {
  readonly action: string;
  readonly token: string;
  readonly error?: string | undefined;
}

const form = ({ action, token }: PageForm, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${body}</form>`;

const cancel = ({ action, token }: PageForm): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', 'cancel')}
<button type="submit" class="second">${words.cancel}</button></form>`;

export function signInPage(
  about: PageForm & { application: string; name: string; domain: string; passkey?: object | undefined },
): string {
  const domain = field({ name: 'domain', label: words.domain, value: about.domain, complete: 'organization', optional: true });
  const body = html`${errorMessage(about.error)}${form(
    about,
    html`${hidden('step', 'password')}
${field({ name: 'name', label: words.userName, value: about.name, complete: about.passkey ? 'username webauthn' : 'username', focus: about.name === '' })}
${field({ name: 'password', label: words.password, type: 'password', complete: 'current-password', focus: about.name !== '' })}
<details${about.domain === '' ? '' : html` open`}><summary>${words.otherDomain}</summary>${domain}</details>
<button type="submit">${words.signIn}</button>`,
  )}${about.passkey && passkeyForm(about, { options: about.passkey, label: words.passkeySignIn, autofill: true })}${cancel(about)}`;
  return page(words, { title: words.signInTo(about.application), body, script: about.passkey !== undefined });
}

export function newPasswordPage(about: PageForm & { name: string; domain: string }): string {
  const body = html`${errorMessage(about.error ?? words.expiredPassword)}${form(
    about,
    html`${hidden('step', 'new-password')}${hidden('name', about.name)}${hidden('domain', about.domain)}
${field({ name: 'password', label: words.currentPassword, type: 'password', complete: 'current-password', focus: true })}
${field({ name: 'new_password', label: words.newPassword, type: 'password', complete: 'new-password' })}
${field({ name: 'new_password_again', label: words.newPasswordAgain, type: 'password', complete: 'new-password' })}
<button type="submit">${words.changePassword}</button>`,
  )}${cancel(about)}`;
  return page(words, { title: words.changePassword, body });
}

/** A passkey instead of a code, or as the only way. `skip`: the application asked for it, and it can do without. */
export function passkeyPage(about: PageForm & { passkey: object; skip: boolean }): string {
  const body = html`${errorMessage(about.error)}<p>${words.passkeyText}</p>
${passkeyForm(about, { options: about.passkey, label: words.passkeyUse, step: 'second-passkey' })}
${about.skip && form(about, html`${hidden('step', 'skip')}<button type="submit" class="plain">${words.continueWithout}</button>`)}${cancel(about)}`;
  return page(words, { title: words.secondFactor, body, script: true });
}

/** For somebody who must have a passkey, and has none. */
export function newPasskeyPage(about: PageForm & { creation: object }): string {
  const body = html`${errorMessage(about.error)}<p>${words.passkeyNewText}</p>
${newPasskeyForm(about, about.creation)}${cancel(about)}`;
  return page(words, { title: words.passkeyAdd, body, script: true });
}

export function secondFactorPage(about: PageForm & { recovery: boolean; passkey?: object | undefined }): string {
  const { recovery, passkey } = about;
  const input = recovery
    ? field({ name: 'recovery_code', label: words.recoveryCode, complete: 'off', focus: true, code: 'text' })
    : field({ name: 'code', label: words.code, complete: 'one-time-code', focus: true, code: 'numeric' });
  const body = html`${errorMessage(about.error)}<p>${recovery ? words.recoveryText : words.secondFactorText}</p>${form(
    about,
    html`${hidden('step', recovery ? 'recovery' : 'code')}${input}
<label class="check"><input type="checkbox" name="remember" value="yes"> ${words.rememberDevice}</label>
<button type="submit">${words.continueLabel}</button>`,
  )}<form method="post" action="${about.action}">${hidden('form_token', about.token)}
${hidden('step', recovery ? 'ask-code' : 'ask-recovery')}
<button type="submit" class="plain">${recovery ? words.useCode : words.useRecoveryCode}</button></form>
${passkey && passkeyForm(about, { options: passkey, label: words.passkeyUse, step: 'second-passkey' })}`;
  return page(words, { title: words.secondFactor, body, script: passkey !== undefined });
}

/** `resources`: addresses of the requested resources (RFC 8707). */
export function consentPage(
  about: PageForm & { application: string; person: string; scopes: readonly string[]; resources: readonly string[] },
): string {
  const items = about.scopes.map((scope) => html`<li>${words.scopes[scope] ?? scope}</li>`);
  const [before, after] = words.resource;
  const used = about.resources.map((address) => html`<li>${before} <code>${address}</code> ${after}</li>`);
  const body = html`<p>${words.consentText(about.person)}</p><ul>${items}${used}</ul>${form(
    about,
    html`${hidden('step', 'allow')}<button type="submit">${words.allow}</button>`,
  )}<form method="post" action="${about.action}">${hidden('form_token', about.token)}${hidden('step', 'cancel')}
<button type="submit" class="second">${words.deny}</button></form>`;
  return page(words, { title: words.consentTitle(about.application), body });
}

export const expiredPage = (): string => page(words, { title: words.expiredTitle, body: html`<p>${words.expiredText}</p>` });
