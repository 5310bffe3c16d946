// A person deletes their account.
import type { AccountDeletion } from '../../account-deletion/index.ts';
import { Fault } from '../../faults.ts';
import { deletionSection, leavingPage } from '../pages/account-data.ts';
import { sendPage } from '../pages/browser.ts';
import type { PageWords } from '../pages/words/index.ts';
import type { AccountSection, AccountStepResult } from './section.ts';

export interface DeletionDeps {
  readonly accountDeletion: AccountDeletion;
}

/** What was wrong, in the reader's language. Other errors are rethrown. */
function refused(words: PageWords, error: unknown): AccountStepResult {
  switch (error instanceof Fault ? error.code : undefined) {
    case 'account_deletion.wrong_name':
      return { error: words.deletionWrongName, field: 'user_name' };
    case 'account_deletion.managed':
      return { error: words.deletionRefused.managed };
    case 'account_deletion.last_administrator':
      return { error: words.deletionRefused.last_administrator };
    default:
      throw error;
  }
}

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
          const dueAt = await accountDeletion.schedule({ ...actor, epoch: user.epoch }, user, form.text('user_name'));
          sendPage(browser, leavingPage(look, dueAt));
          return 'answered';
        } catch (error) {
          return refused(look.words, error);
        }
      },
    },
  },
});
