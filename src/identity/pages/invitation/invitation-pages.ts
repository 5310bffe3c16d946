// Pages for accepting an invitation.

import {
  checkedField,
  formMessage,
  type Html,
  hidden,
  html,
  type PageLook,
  page,
  showPasswords,
  termsField,
  type WrongForm,
} from '../../ground/look/index.ts';
import type { Terms } from '../../provisioning/people/index.ts';
import { FIELDS, type FieldUses, type FieldValues } from '../../provisioning/registration/index.ts';
import { askedFields } from '../people/index.ts';

export interface InvitationPageData {
  readonly action: string;
  readonly token: string;
  readonly email: string;
  readonly inviter: string | undefined;
  readonly organization: string;
  /** Whether there are accounts with this address, and whether one of them is certainly the person's. */
  readonly accounts: 'confirmed' | 'unconfirmed' | 'none';
  /** The person who is signed in in this browser. */
  readonly person?: { readonly name: string; readonly canAccept: boolean } | undefined;
  /** For the form. */
  readonly name: string;
  /** For a new account. */
  readonly fields: FieldUses;
  readonly values: FieldValues;
  readonly terms: Terms | undefined;
  readonly refused?: WrongForm | undefined;
}

const form = ({ action, token }: InvitationPageData, step: string, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', step)}${body}</form>`;

const NEW_ACCOUNT = ['name', 'new_password', 'new_password_again', 'terms', ...FIELDS];

function newAccountForm(look: PageLook, data: InvitationPageData): Html {
  const { words } = look;
  return html`<p>${words.invitationNew}</p>${form(
    data,
    'create',
    html`${checkedField(data.refused, { name: 'name', label: words.userName, value: data.name, complete: 'username', focus: true })}
${askedFields(look, data.fields, data.values, data.refused)}
${checkedField(data.refused, { name: 'new_password', label: words.invitationPassword, type: 'password', complete: 'new-password' })}
${checkedField(data.refused, { name: 'new_password_again', label: words.invitationPasswordAgain, type: 'password', complete: 'new-password' })}
${showPasswords(words)}
${termsField(words, data.terms, data.refused)}<button type="submit">${words.invitationCreate}</button>`,
  )}`;
}

function choices(look: PageLook, data: InvitationPageData): Html {
  const { words } = look;
  const { person, accounts } = data;
  const signIn = (label: string, style: string): Html =>
    form(data, 'sign-in', html`<button type="submit" class="${style}">${label}</button>`);
  if (person?.canAccept)
    return html`<p>${words.invitationAs(person.name)}</p>
${form(data, 'accept', html`<button type="submit" autofocus>${words.invitationAccept}</button>`)}${signIn(words.invitationElse, 'plain')}`;
  const other = person && html`<p>${words.invitationAs(person.name)} ${words.invitationOtherAccount}</p>`;
  if (accounts === 'confirmed') return html`${other}<p>${words.invitationKnown}</p>${signIn(words.invitationSignIn, '')}`;
  return html`${other}${newAccountForm(look, data)}<p class="soft">${words.invitationMaybeKnown}</p>${signIn(words.invitationSignIn, 'second')}`;
}

export function invitationPage(look: PageLook, data: InvitationPageData): string {
  const { words } = look;
  const { inviter, organization, email, refused, person, accounts } = data;
  const isNew = !person?.canAccept && accounts !== 'confirmed';
  const body = html`${formMessage(refused, isNew ? NEW_ACCOUNT : [])}
<p>${inviter === undefined ? words.invitationText(organization) : words.invitationBy(inviter, organization)} ${words.invitationAddress(email)}</p>
${choices(look, data)}`;
  return page(look, { title: words.invitationTitle(organization), body });
}

export const invitationEndedPage = (look: PageLook, isVoid = false): string =>
  page(look, {
    title: look.words.invitationEndedTitle,
    body: html`<p role="alert">${isVoid ? look.words.invitationVoidText : look.words.invitationEndedText}</p>`,
  });

export const invitationDonePage = (look: PageLook, text: string): string =>
  page(look, {
    title: look.words.invitationDoneTitle,
    body: html`<p class="good" role="status">${text}</p><p><a href="/account">${look.words.invitationToAccount}</a></p>`,
  });
