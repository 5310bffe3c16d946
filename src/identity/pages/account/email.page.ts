// Section: the e-mail address.

import { field, type Html, html } from '../../ground/look/index.ts';
import { type AccountView, form, section } from './layout.ts';

export interface EmailOnPage {
  readonly address: string | undefined;
  readonly isConfirmed: boolean;
  readonly isChangeable: boolean;
}

export const emailSection = (view: AccountView, { address, isConfirmed, isChangeable }: EmailOnPage): Html => {
  const { refused } = view;
  const { words } = view.look;
  const state = isConfirmed ? words.emailConfirmed : words.emailNotConfirmed;
  const now = address === undefined ? html`<p>${words.noEmail}</p>` : html`<p>${address} <span class="soft">${state}</span></p>`;
  const entered = refused?.step === 'change-email' ? refused.value('email') : isConfirmed ? '' : (address ?? '');
  const change = form(
    view,
    'change-email',
    html`<p class="soft">${words.emailText}</p>
${field({ name: 'email', label: words.newEmail, value: entered, complete: 'email' })}
<button type="submit" class="small">${words.sendLink}</button>`,
  );
  return section(
    words.emailAddress,
    html`${now}${isChangeable ? change : html`<p class="soft">${words.emailElsewhere}</p>`}`,
    'email-address',
  );
};
