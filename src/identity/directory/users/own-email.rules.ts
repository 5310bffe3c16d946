// Users change their own e-mail address, after they have proved that they read mails to the new one.
import { type DirectoryGuard, tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnDuplicateName, parseJson } from '../../ground/resource/index.ts';
import { nameKey } from './name-key.ts';
import type { UserNames } from './names.rules.ts';
import { mainEmail, type Profile, withMainEmail } from './profile.ts';
import { lockUser, updateUser } from './users.store.ts';

export function createOwnEmails({
  db,
  clock,
  names,
  onEmailChanged,
  directory,
}: Pick<Deps, 'db' | 'clock'> & {
  readonly names: UserNames;
  readonly directory: DirectoryGuard;
  onEmailChanged(change: Change, userId: string): Promise<void>;
}) {
  /** Whoever registered has the address as user name. It follows the address, so that the former one is free for its next owner. */
  async function rename(transaction: Change, user: UserRow, former: string | undefined, address: string): Promise<string> {
    const { id, domain_id: domainId, name } = user;
    if (former === undefined || nameKey(name) !== nameKey(former)) return name;
    await names.check(transaction.tx, { id, domainId, name: address });
    return address;
  }

  /** Call it in the transaction of the proof. Also ends the user's links. Returns the user as before. */
  return async function changeEmail(transaction: Change, id: string, address: string): Promise<UserRow> {
    const { tx, audit, invalidate } = transaction;
    const user = (await lockUser(db, tx, id)) ?? fail('user.not_found', { id });
    await directory.forbid('user', id, tx);
    const stored = parseJson<Profile>(user.profile);
    const former = mainEmail(stored);
    const profile = withMainEmail(stored, address);
    const name = await rename(transaction, user, former, address);
    const values = {
      name,
      name_key: nameKey(name),
      profile: JSON.stringify(profile),
      extra: JSON.stringify({ ...parseJson(user.extra), email: address }),
      confirmed_email: address,
      updated_at: clock.now(),
    };
    await failOnDuplicateName('user', name, () => updateUser(tx, id, values));
    await onEmailChanged(transaction, id);
    invalidate(tagOf.user(id));
    audit('user.email_changed', { kind: 'user', id });
    return user;
  };
}
