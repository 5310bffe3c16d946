// Section: the password.

import { type Html, html, showPasswords } from '../../ground/look/index.ts';
import { type AccountView, form, section, stepField } from './layout.ts';

const STEP = 'change-password';

export function passwordSection(view: AccountView): Html {
  const { words } = view.look;
  const password = (name: string, label: string, complete: string): Html =>
    stepField(view, STEP, { name, label, type: 'password', complete });
  const body = form(
    view,
    STEP,
    html`<p class="soft">${words.changePasswordText}</p>
${password('current_password', words.currentPassword, 'current-password')}
${password('new_password', words.newPassword, 'new-password')}
${password('new_password_again', words.newPasswordAgain, 'new-password')}
${showPasswords(words)}
<button type="submit" class="small">${words.changePassword}</button>`,
  );
  return section(words.changePassword, body, 'password');
}

/** For people of a directory. */
export const passwordElsewhereSection = ({ look: { words } }: AccountView): Html =>
  section(words.changePassword, html`<p>${words.passwordInDirectory}</p>`, 'password');
