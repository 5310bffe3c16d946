// Pages for a forgotten password, for registration and for another e-mail address. Forms for people who are not signed in need no token
// against forgery: they do nothing that a stranger could not do, or they carry the token of a link.

import { LANGUAGE_TABLE } from '../../../platform/languages/index.ts';
import {
  checkedField,
  errorMessage,
  field,
  formMessage,
  type Html,
  hidden,
  html,
  type PageLook,
  page,
  problem,
  showPasswords,
  termsField,
  type WrongForm,
} from '../../ground/look/index.ts';
import type { Terms } from '../../provisioning/people/index.ts';
import { asksWholeName, FIELDS, type FieldUses, type FieldValues } from '../../provisioning/registration/index.ts';
import { type DelegatedList, delegatedNotice } from '../account/index.ts';

export interface StrangerForm {
  readonly error?: string | undefined;
  /** The sign-in to return to. */
  readonly interaction?: string | undefined;
}

/** A form that says at its fields what was wrong. */
export interface CheckedForm extends Omit<StrangerForm, 'error'> {
  readonly refused?: WrongForm | undefined;
}

/** An interaction is one segment of a path, so this never leads elsewhere. */
export const signInUrl = (interaction: string | undefined): string =>
  interaction === undefined ? '/account' : `/openid/interaction/${encodeURIComponent(interaction)}`;

const back = ({ words }: PageLook, interaction: string | undefined): Html =>
  html`<p><a href="${signInUrl(interaction)}">${words.backToSignIn}</a></p>`;

/** It is sent to the address of the page, with the query: the page still has its link after a refusal, also in another language. */
const form = ({ interaction }: Pick<StrangerForm, 'interaction'>, body: Html): Html =>
  html`<form method="post">${interaction === undefined ? '' : hidden('interaction', interaction)}${body}</form>`;

const domainField = ({ words }: PageLook, domain: string): Html =>
  html`<details${domain === '' ? '' : html` open`}><summary>${words.otherDomain}</summary>${field({
    name: 'domain',
    label: words.domain,
    value: domain,
    complete: 'organization',
    optional: true,
  })}</details>`;

const NEW_PASSWORD = ['new_password', 'new_password_again'];

const newPasswordFields = ({ words }: PageLook, { refused }: CheckedForm): Html =>
  html`${checkedField(refused, { name: 'new_password', label: words.newPassword, type: 'password', complete: 'new-password' })}
${checkedField(refused, { name: 'new_password_again', label: words.newPasswordAgain, type: 'password', complete: 'new-password' })}
${showPasswords(words)}`;

/** For password managers, and so that the person sees whose password it is. */
const userName = ({ words }: PageLook, name: string): Html =>
  html`<label for="username">${words.userName}</label>
<input type="text" id="username" autocomplete="username" value="${name}" readonly>`;

export function forgottenPasswordPage(look: PageLook, about: StrangerForm & { name: string; domain: string }): string {
  const { words } = look;
  const body = html`${errorMessage(about.error)}<p>${words.forgottenText}</p>${form(
    about,
    html`${field({ name: 'name', label: words.nameOrEmail, value: about.name, complete: 'username', focus: true })}
${domainField(look, about.domain)}
<button type="submit">${words.sendLink}</button>`,
  )}${back(look, about.interaction)}`;
  return page(look, { title: words.forgottenTitle, body });
}

/** The same for everybody: it does not tell whether there is an account. */
export function mailSentPage(look: PageLook, { text, interaction }: { text: string; interaction: string | undefined }): string {
  const { words } = look;
  const body = html`<p role="status">${text}</p><p class="soft">${words.sentHint}</p>${back(look, interaction)}`;
  return page(look, { title: words.lookTitle, body });
}

/** `again`: the page where another link can be asked for. */
export function linkEndedPage(look: PageLook, again: { readonly href: string; readonly label: string }): string {
  const { words } = look;
  const body = html`<p>${words.linkEndedText}</p><p><a href="${again.href}">${again.label}</a></p>`;
  return page(look, { title: words.linkEndedTitle, body });
}

export function resetPasswordPage(look: PageLook, about: CheckedForm & { token: string; name: string }): string {
  const { words } = look;
  const body = html`${formMessage(about.refused, NEW_PASSWORD)}<p>${words.newPasswordText}</p>${form(
    about,
    html`${hidden('token', about.token)}${userName(look, about.name)}${newPasswordFields(look, about)}
<button type="submit">${words.savePassword}</button>`,
  )}`;
  return page(look, { title: words.newPasswordTitle, body });
}

export function passwordSavedPage(
  look: PageLook,
  about: { interaction: string | undefined; passkeys: readonly string[]; delegated: DelegatedList },
): string {
  const { words } = look;
  const { interaction, passkeys, delegated } = about;
  const items = passkeys.map((name) => html`<li>${name}</li>`);
  const planted = html`<p>${words.passkeysStay}</p><ul>${items}</ul><p><a href="/account">${words.manageAccount}</a></p>`;
  const body = html`<p role="status">${words.passwordSavedText}</p>${passkeys.length > 0 && planted}${delegatedNotice(look, delegated)}
<p><a class="button" href="${signInUrl(interaction)}">${words.signIn}</a></p>`;
  return page(look, { title: words.passwordSavedTitle, body });
}

export function registerPage(
  look: PageLook,
  about: CheckedForm & { email: string; domain: string; allowed: readonly string[]; asksAdministrator: boolean },
): string {
  const { words } = look;
  const allowed = about.allowed.length > 0 && html`<p class="soft">${words.registerAllowed(about.allowed.join(', '))}</p>`;
  const body = html`${formMessage(about.refused, ['email'])}<p>${words.registerText}${about.asksAdministrator ? html` ${words.registerApproval}` : ''}</p>${allowed}${form(
    about,
    html`${about.domain === '' ? '' : hidden('domain', about.domain)}
${checkedField(about.refused, { name: 'email', label: words.emailAddress, value: about.email, complete: 'email', focus: true })}
<button type="submit">${words.continueLabel}</button>`,
  )}${back(look, about.interaction)}`;
  return page(look, { title: words.registerTitle, body });
}

export function registrationClosedPage(look: PageLook, interaction: string | undefined): string {
  const { words } = look;
  return page(look, {
    title: words.registerClosedTitle,
    body: html`<p>${words.registerClosedText}</p>${back(look, interaction)}`,
  });
}

/** What the domain asks people about themselves. */
export function askedFields({ words }: PageLook, uses: FieldUses, values: FieldValues, refused: WrongForm | undefined): Html {
  const part = (name: 'given_name' | 'family_name', label: string, complete: string): Html | string =>
    uses[name] === 'off'
      ? ''
      : checkedField(refused, { name, label, value: values[name] ?? '', complete, optional: uses[name] === 'optional' });
  const isWrong = refused?.field === 'language';
  const languages = Object.entries(LANGUAGE_TABLE).map(
    ([tag, { name }]) => html`<option value="${tag}" lang="${tag}"${tag === values.language && html` selected`}>${name}</option>`,
  );
  const language =
    uses.language !== 'off' &&
    html`<label for="language">${words.languageLabel}</label>
<select id="language" name="language"${uses.language === 'required' && html` required`}${isWrong && html` aria-invalid="true" aria-describedby="problem"`}>${uses.language === 'optional' && html`<option value="">${words.asInBrowser}</option>`}${languages}</select>${isWrong && problem(refused.message)}`;
  return html`${part('given_name', words.givenName, 'given-name')}${part('family_name', words.familyName, 'family-name')}${language}`;
}

export function confirmEmailPage(
  look: PageLook,
  about: CheckedForm & {
    token: string;
    address: string;
    name: string;
    uses: FieldUses;
    values: FieldValues;
    terms: Terms | undefined;
  },
): string {
  const { words } = look;
  const body = html`${formMessage(about.refused, ['name', 'terms', ...FIELDS, ...NEW_PASSWORD])}${form(
    about,
    html`${hidden('token', about.token)}${userName(look, about.address)}
${asksWholeName(about.uses) && checkedField(about.refused, { name: 'name', label: words.yourName, value: about.name, complete: 'name', focus: true })}
${askedFields(look, about.uses, about.values, about.refused)}
${newPasswordFields(look, about)}
${termsField(words, about.terms, about.refused)}<button type="submit">${words.createAccount}</button>`,
  )}${back(look, undefined)}`;
  return page(look, { title: words.confirmTitle, body });
}

export function accountReadyPage(look: PageLook, about: { userName: string; interaction: string | undefined }): string {
  const { words } = look;
  const body = html`<p role="status">${words.accountReadyText(about.userName)}</p>
<p><a class="button" href="${signInUrl(about.interaction)}">${words.signIn}</a></p>`;
  return page(look, { title: words.accountReadyTitle, body });
}

/** They have confirmed their address. */
export function accountWaitsPage(look: PageLook, about: { address: string; interaction: string | undefined }): string {
  const { words } = look;
  const body = html`<p role="status">${words.accountWaitsText(about.address)}</p>${back(look, about.interaction)}`;
  return page(look, { title: words.accountWaitsTitle, body });
}

/** For a person who is signed in, so its form has a token against forgery. */
export function newEmailPage(
  look: PageLook,
  about: StrangerForm & { token: string; formToken: string; address: string; name: string },
): string {
  const { words } = look;
  const body = html`${errorMessage(about.error)}<p>${words.newEmailText(about.name, about.address)}</p>${form(
    about,
    html`${hidden('form_token', about.formToken)}${hidden('token', about.token)}
<button type="submit" autofocus>${words.confirmEmail}</button>`,
  )}<p><a href="/account">${words.manageAccount}</a></p>`;
  return page(look, { title: words.newEmailTitle, body });
}

export function emailChangedPage(look: PageLook, address: string): string {
  const { words } = look;
  const body = html`<p role="status">${words.emailChangedText(address)}</p><p><a href="/account">${words.manageAccount}</a></p>`;
  return page(look, { title: words.emailChangedTitle, body });
}
