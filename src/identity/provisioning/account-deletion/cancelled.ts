// Somebody decided about an account that its owner wanted deleted: then it is not deleted.
import type { Clock } from '../../../platform/clock.ts';
import { findUser, recipientOf } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import { deleteDeletion } from './account-deletion.store.ts';

/**
 * For accounts that are enabled again, by whomever, and for those that an administrator disables: their owner must not enable such an
 * account. The owner gets a mail, so that nobody waits for a deletion that does not come. Other changes do not stop a deletion.
 */
export const createCancelledDeletion =
  ({ clock, mail }: { readonly clock: Clock; readonly mail: Mail }) =>
  async (transaction: Change, userId: string): Promise<void> => {
    const { tx, audit } = transaction;
    if (!(await deleteDeletion(tx, userId))) return;
    audit('user.deletion_cancelled', { kind: 'user', id: userId });
    const user = await findUser(tx, userId);
    const { address: to, name = '', language } = user ? recipientOf(user) : {};
    const values = { name, at: clock.now() };
    const domainId = user?.domain_id;
    if (to !== undefined) await mail.enqueue(transaction, { to, domainId, template: 'deletion-cancelled', language, values });
  };
