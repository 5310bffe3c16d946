// People change their own password.

import { addressKey } from '../../platform/limits/index.ts';
import { tagOf } from '../access/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { UserRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { Attempt, Logins } from '../logins/index.ts';
import type { Guesser, NewPassword, Passwords } from '../passwords/index.ts';
import { type Deps, parsed } from '../resource/index.ts';
import { optionsOf } from './revision.ts';
import { endTokensOfUser, findUser } from './users.store.ts';

export function createOwnPasswords({
  db,
  change,
  passwords,
  logins,
  isOpen,
  cutAccess,
}: Pick<Deps, 'db' | 'change'> & {
  readonly passwords: Passwords;
  readonly logins: Logins;
  isOpen(user: UserRow): Promise<boolean>;
  cutAccess(change: Change, userId: string): Promise<void>;
}) {
  /** The user changes their own password; knowing the old one is what gives the right, so that an expired one can be changed. */
  async function changePassword(
    by: Guesser & Attempt,
    whose: { readonly id: string } | { readonly unknown: string },
    original: string,
    password: string,
  ): Promise<void> {
    const user = 'id' in whose ? await findUser(db.read, whose.id) : undefined;
    const options = optionsOf(user ? parsed(user.options) : {});
    const nobody = 'id' in whose ? whose.id : whose.unknown;
    const { countedAs } = by;
    const meant = user ? { id: user.id, options, open: await isOpen(user), countedAs } : { unknown: nobody };
    const check = () => passwords.check(original, meant, by);
    await logins.confirm({ ...by, purpose: 'password change' }, user?.id, check, ['good', 'expired']);
    if (!user) fail('auth.required');
    if (original === password) fail('user.password_same');
    const { id } = user;
    const place = { key: addressKey(by.address), signal: by.signal };
    const prepared = await passwords.prepare(password, 'self', { id, options }, place);
    await replacePassword({ userId: id, requestId: by.requestId, epoch: user.epoch }, id, prepared);
  }

  /** Whatever the old password opened ends with it. */
  async function replacePassword(actor: Actor, id: string, password: NewPassword): Promise<void> {
    await change(actor, async (transaction) => {
      if (!(await endTokensOfUser(transaction.tx, id)))
        fail('auth.required', undefined, { reason: 'password change: user deleted' });
      await cutAccess(transaction, id);
      await passwords.store(transaction, id, password);
      transaction.invalidate(tagOf.user(id));
      transaction.audit('user.password_changed', { kind: 'user', id });
    });
  }

  return { changePassword, replacePassword };
}
