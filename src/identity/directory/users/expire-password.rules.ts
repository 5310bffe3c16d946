// Administrators let a password expire: at the next sign-in the person chooses a new one. Nothing else ends.

import { type DirectoryGuard, tagOf } from '../../access/context/index.ts';
import type { Caller, RankGuard } from '../../access/rules/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { findUser, lockUser, type UserWithExpiry } from './users.store.ts';

export interface PasswordExpiryDeps extends Pick<Deps, 'db' | 'change'> {
  readonly passwords: Passwords;
  readonly refuseIfOutranked: RankGuard;
  readonly directory: DirectoryGuard;
}

export function createPasswordExpiry({ db, change, passwords, refuseIfOutranked, directory }: PasswordExpiryDeps) {
  const protect = (reader: Reader, caller: Caller, userId: string) =>
    refuseIfOutranked(reader, caller, 'identity:expire_password', { userId }, { signIn: true });

  return async function expirePassword(caller: Caller, { id }: UserRow): Promise<UserWithExpiry> {
    await protect(db.read, caller, id);
    await directory.forbidPassword(id);
    return change(caller, async (transaction) => {
      const { tx, invalidate, audit } = transaction;
      const user = (await lockUser(db, tx, id)) ?? fail('user.not_found', { id });
      await protect(tx, caller, id);
      if (parseJson<{ ignore_password_expiry?: boolean }>(user.options).ignore_password_expiry)
        fail('user.password_never_expires', { id });
      if (!(await passwords.expire(transaction, id))) fail('user.no_password', { id });
      invalidate(tagOf.user(id));
      audit('user.password_expired', { kind: 'user', id });
      return (await findUser(tx, id))!;
    });
  };
}
