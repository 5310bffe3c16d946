// A person deletes their account.

import { Fault } from '../../ground/faults.ts';
import { sendPage } from '../../ground/look/index.ts';
import type { AccountDeletion } from '../../provisioning/account-deletion/index.ts';
import { deletionPendingPage, deletionSection } from './data.page.ts';
import type { AccountSection } from './section.ts';

export interface DeletionDeps {
  readonly accountDeletion: AccountDeletion;
}

const isWrongName = (error: unknown): boolean => error instanceof Fault && error.code === 'account_deletion.wrong_name';

export const createDeletionSection = ({ accountDeletion }: DeletionDeps): AccountSection => ({
  page: 'data',
  async show(visit) {
    const { user } = visit.person;
    const refusal = await accountDeletion.refusalFor(user);
    if (refusal === 'off') return undefined;
    return deletionSection(visit, { userName: user.name, graceDays: await accountDeletion.graceDays(user), refusal });
  },
  steps: {
    'delete-account': {
      needs: 'fresh sign-in',
      async run({ browser, look, person: { user, actor } }, form) {
        try {
          const dueAt = await accountDeletion.schedule(actor, user, form.text('user_name'));
          sendPage(browser, deletionPendingPage(look, dueAt, await accountDeletion.graceDays(user)));
          return 'answered';
        } catch (error) {
          if (!isWrongName(error)) throw error;
          return { error: look.words.deletionWrongName, field: 'user_name' };
        }
      },
    },
  },
});
