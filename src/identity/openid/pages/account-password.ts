// Section: the password.
import { type AccountView, form, section } from './account-layout.ts';
import { type Html, html } from './html.ts';
import { field } from './layout.ts';

export const passwordSection = (view: AccountView): Html => {
  const { words } = view.look;
  return section(
    words.changePassword,
    form(
      view,
      'change-password',
      html`${field({ name: 'current_password', label: words.currentPassword, type: 'password', complete: 'current-password' })}
${field({ name: 'new_password', label: words.newPassword, type: 'password', complete: 'new-password' })}
${field({ name: 'new_password_again', label: words.newPasswordAgain, type: 'password', complete: 'new-password' })}
<button type="submit" class="small">${words.changePassword}</button>`,
    ),
    'password',
  );
};
