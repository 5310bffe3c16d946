// A person changes their password.
import type { Users } from '../../users/index.ts';
import { passwordSection } from '../pages/account-password.ts';
import { redirect } from '../pages/browser.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface PasswordDeps {
  readonly users: Users;
}

function changePassword({ users }: PasswordDeps): AccountStep['run'] {
  return async ({ look, person: { user, actor }, action, browser }, form) => {
    const fresh = form.text('new_password');
    if (fresh !== form.text('new_password_again')) return { error: look.words.passwordsDiffer, field: 'new_password_again' };
    await users.changePassword(actor, user, form.text('current_password'), fresh);
    redirect(browser, action);
    return 'answered';
  };
}

export const createPasswordSection = (deps: PasswordDeps): AccountSection => ({
  page: 'security',
  show: async (visit) => passwordSection(visit),
  steps: { 'change-password': { needs: 'password', run: changePassword(deps) } },
});
