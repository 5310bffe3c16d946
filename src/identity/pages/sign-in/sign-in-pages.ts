// Pages for the sign-in, the second factor and the consent.

import { errorMessage, field, type Html, hidden, html, type PageLook, page, showPasswords } from '../../ground/look/index.ts';
import type { OfferedProviders } from '../../login/federation/index.ts';
import { providerForms } from './other-providers-pages.ts';
import { newPasskeyForm, passkeyForm } from './passkey-forms.ts';
import { walletForm } from './wallet-pages.ts';

interface PageForm {
  readonly action: string;
  readonly token: string;
  readonly error?: string | undefined;
}

/** For those who have no password, or have forgotten it. */
export interface PageLink {
  readonly href: string;
  readonly label: string;
}

const form = ({ action, token }: PageForm, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${body}</form>`;

const cancel = ({ words }: PageLook, { action, token }: PageForm): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', 'cancel')}
<button type="submit" class="second">${words.cancel}</button></form>`;

export function signInPage(
  look: PageLook,
  about: PageForm & {
    application: string;
    logo: string | undefined;
    name: string;
    domain: string;
    passkey?: object | undefined;
    wallet: boolean;
    links: readonly PageLink[];
    providers: OfferedProviders;
    /** The provider whose account is connected by this sign-in. */
    connecting?: string | undefined;
  },
): string {
  const { words } = look;
  // After a refusal there is no autofill: a passkey manager that agrees by itself would send the same passkey again and again.
  const domain = field({ name: 'domain', label: words.domain, value: about.domain, complete: 'organization', optional: true });
  const note = about.connecting === undefined ? '' : html`<p>${words.providerProveText(about.connecting)}</p>`;
  const body = html`${errorMessage(about.error)}${note}${form(
    about,
    html`${hidden('step', 'password')}
${field({ name: 'name', label: words.userName, value: about.name, complete: about.passkey ? 'username webauthn' : 'username', focus: about.name === '' })}
${field({ name: 'password', label: words.password, type: 'password', complete: 'current-password', focus: about.name !== '' })}
<details${about.domain === '' ? '' : html` open`}><summary>${words.otherDomain}</summary>${domain}</details>
<button type="submit">${words.signIn}</button>`,
  )}${about.passkey && passkeyForm(look, about, { options: about.passkey, label: words.passkeySignIn, autofill: about.error === undefined })}${about.wallet && walletForm(look, about)}${providerForms(look, about, about.providers)}${cancel(look, about)}
${about.links.map(({ href, label }) => html`<p><a href="${href}">${label}</a></p>`)}`;
  return page(look, { title: words.signInTo(about.application), logo: about.logo, body, script: about.passkey && 'passkeys' });
}

export function newPasswordPage(look: PageLook, about: PageForm & { name: string; domain: string; asksCode: boolean }): string {
  const { words } = look;
  const code = html`<p>${words.secondFactorText}</p>
${field({ name: 'code', label: words.code, complete: 'one-time-code', optional: true, code: 'numeric' })}
<details><summary>${words.useRecoveryCode}</summary>
${field({ name: 'recovery_code', label: words.recoveryCode, complete: 'off', optional: true, code: 'text' })}</details>`;
  const body = html`${errorMessage(about.error ?? words.expiredPassword)}${form(
    about,
    html`${hidden('step', 'new-password')}${hidden('name', about.name)}${hidden('domain', about.domain)}
${field({ name: 'password', label: words.currentPassword, type: 'password', complete: 'current-password', focus: true })}
${field({ name: 'new_password', label: words.newPassword, type: 'password', complete: 'new-password' })}
${field({ name: 'new_password_again', label: words.newPasswordAgain, type: 'password', complete: 'new-password' })}
${showPasswords(words)}${about.asksCode && code}
<button type="submit">${words.changePassword}</button>`,
  )}${cancel(look, about)}`;
  return page(look, { title: words.changePassword, body });
}

/** A passkey instead of a code, or as the only way. `skip`: the application asked for it, and it can do without. */
export function passkeyPage(
  look: PageLook,
  about: PageForm & { passkey: object; wallet?: boolean; skip: boolean; step?: string },
): string {
  const { words } = look;
  const body = html`${errorMessage(about.error)}<p>${words.passkeyText}</p>
${passkeyForm(look, about, { options: about.passkey, label: words.passkeyUse, step: about.step ?? 'second-passkey' })}${about.wallet && walletForm(look, about, words.walletUse)}
${about.skip && form(about, html`${hidden('step', 'skip')}<button type="submit" class="plain">${words.continueWithout}</button>`)}${cancel(look, about)}`;
  return page(look, { title: words.secondFactor, body, script: 'passkeys' });
}

/** For somebody who must have a passkey, and has none. */
export function newPasskeyPage(look: PageLook, about: PageForm & { creation: object }): string {
  const { words } = look;
  const body = html`${errorMessage(about.error)}<p>${words.passkeyNewText}</p>
${newPasskeyForm(look, about, about.creation)}${cancel(look, about)}`;
  return page(look, { title: words.passkeyAdd, body, script: 'passkeys' });
}

export function secondFactorPage(
  look: PageLook,
  about: PageForm & { recovery: boolean; passkey?: object | undefined; wallet?: boolean },
): string {
  const { words } = look;
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
${passkey && passkeyForm(look, about, { options: passkey, label: words.passkeyUse, step: 'second-passkey' })}
${about.wallet && walletForm(look, about, words.walletUse)}`;
  return page(look, { title: words.secondFactor, body, script: passkey && 'passkeys' });
}

/** An API that the application asks for (RFC 8707). Whoever registered it chose name and words. */
export interface ConsentApi {
  readonly name: string;
  readonly address: string;
  /** What the application may do there, in words. */
  readonly scopes: readonly string[];
}

/** Pages of the application itself. */
export interface ConsentPages {
  readonly policy: URL | undefined;
  readonly terms: URL | undefined;
}

/** With the host, which the address of a link does not show before it is too late. */
const pageLink = (text: string, url: URL | undefined) =>
  url && html`<li><a href="${url.href}" target="_blank" rel="noopener noreferrer">${text}</a> (${url.host})</li>`;

const pageLinks = ({ words }: PageLook, { policy, terms }: ConsentPages, isStranger: boolean) =>
  (policy ?? terms) &&
  html`<p class="soft">${isStranger ? words.consentStrangerPages : words.consentPages}</p><ul class="soft">${pageLink(words.consentPolicy, policy)}${pageLink(words.consentTerms, terms)}</ul>`;

const apiItem = ([before, after]: readonly [string, string], { name, address, scopes }: ConsentApi) =>
  html`<li>${before} <strong>${name}</strong> (<code>${address}</code>) ${after}${
    scopes.length > 0 && html`<ul>${scopes.map((words) => html`<li>${words}</li>`)}</ul>`
  }</li>`;

export function consentPage(
  look: PageLook,
  about: PageForm & {
    application: string;
    logo: string | undefined;
    pages: ConsentPages;
    person: string;
    /** Of an application whose client id is a document: the host of the document. */
    document: string | undefined;
    /** Of an application that nobody here knows: where the person goes with the answer, in words. */
    stranger: string | undefined;
    /** Where the person goes with the answer: a host, or the scheme of an app. */
    site: string | undefined;
    scopes: readonly string[];
    apis: readonly ConsentApi[];
    /** Names of credentials. */
    credentials: readonly string[];
  },
): string {
  const { words } = look;
  const items = about.scopes.map((scope) => html`<li>${words.scopes[scope] ?? scope}</li>`);
  const used = about.apis.map((api) => apiItem(words.resource, api));
  const received = about.credentials.map((name) => html`<li>${words.receiveCredential} <strong>${name}</strong></li>`);
  const body = html`${errorMessage(about.stranger && words.consentStranger(about.stranger))}${about.document && html`<p>${words.consentDocument(about.document)}</p>`}<p>${words.consentText(about.person)}</p><ul>${items}${received}${used}</ul>${pageLinks(look, about.pages, about.stranger !== undefined)}
${about.stranger === undefined && about.site && html`<p class="soft">${words.consentReturn(about.site)}</p>`}${form(
  about,
  html`${hidden('step', 'allow')}<button type="submit">${words.allow}</button>`,
)}<form method="post" action="${about.action}">${hidden('form_token', about.token)}${hidden('step', 'cancel')}
<button type="submit" class="second">${words.deny}</button></form>`;
  // A wallet asks for nothing else.
  const isWallet = about.credentials.length > 0 && about.scopes.length === 0;
  const title = isWallet ? words.consentCredentialTitle(about.application) : words.consentTitle(about.application);
  return page(look, { title, logo: about.logo, body });
}

/** Brings the token of the person back to the dashboard that asked for it. */
export function dashboardPage(look: PageLook, { dashboard, token }: { dashboard: URL; token: string }): string {
  const { words } = look;
  const body = html`<p role="status">${words.toDashboardText}</p>
<form method="post" action="${dashboard.href}" data-submit>${hidden('token', token)}<button type="submit">${words.continueLabel}</button></form>`;
  return page(look, { title: words.toDashboard(dashboard.host), body, script: 'submit', once: true });
}

/** For somebody who left the sign-in that one of our own pages needs. `again`: the path of that page. */
export const notSignedInPage = (look: PageLook, again: string): string =>
  page(look, {
    title: look.words.notSignedInTitle,
    body: html`<p role="status">${look.words.notSignedInText}</p><p><a class="button" href="${again}">${look.words.signIn}</a></p>`,
  });

export const expiredPage = (look: PageLook): string =>
  page(look, { title: look.words.expiredTitle, body: html`<p>${look.words.expiredText}</p>` });
