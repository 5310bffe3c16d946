// A person changes their password.
import { Fault } from '../../../platform/faults/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { refusalOf } from '../../ground/look/index.ts';
import { passwordElsewhereSection, passwordSection } from './password.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface PasswordDeps {
  readonly users: Users;
}

const changePassword =
  ({ users }: PasswordDeps): AccountStep['run'] =>
  async ({ look: { words }, person: { user, actor, renewSession } }, form) => {
    const fresh = form.text('new_password');
    if (fresh !== form.text('new_password_again')) return { error: words.passwordsDiffer, field: 'new_password_again' };
    try {
      await users.changePassword(actor, user, form.text('current_password'), fresh);
    } catch (error) {
      const refusal = refusalOf(words, error, words.wrongCurrentPassword);
      const isWrong = error instanceof Fault && error.code === 'auth.required';
      const field = isWrong ? 'current_password' : refusal.field;
      return { error: refusal.message, refusal, ...(field === undefined ? {} : { field }) };
    }
    await renewSession();
    return { done: 'passwordIsChanged' };
  };

export const createPasswordSection = (deps: PasswordDeps): AccountSection => ({
  page: 'security',
  show: async (visit) =>
    (await deps.users.isInDirectory(visit.person.user.id)) ? passwordElsewhereSection(visit) : passwordSection(visit),
  steps: { 'change-password': { needs: 'password', run: changePassword(deps) } },
});
