// Closing an account: disabled, enabled again, deleted. Each is part of a transaction that the caller has begun.

import { type Clock, seconds } from '../../../platform/clock.ts';
import { type KeptToken, tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Passwords } from '../passwords/index.ts';
import { deleteUser, findUser, keepToken, revokeTokensOfUser, updateUser } from './users.store.ts';

export interface ClosingDeps {
  readonly clock: Clock;
  readonly passwords: Pick<Passwords, 'remove'>;
  revokeAccess(change: Change, userId: string): Promise<void>;
  onEnabled(change: Change, userId: string): Promise<void>;
}

export function createClosing({ clock, passwords, revokeAccess, onEnabled }: ClosingDeps) {
  /** Ends tokens (but for one, if it is given), sessions, what applications got, remembered devices and links. False when there is no such user. */
  async function endLogins(transaction: Change, id: string, kept?: KeptToken): Promise<boolean> {
    if (!(await revokeTokensOfUser(transaction.tx, id, clock.now()))) return false;
    await revokeAccess(transaction, id);
    if (kept) await keepToken(transaction.tx, id, kept);
    transaction.invalidate(tagOf.user(id));
    return true;
  }

  /** The same as an event of its own: the account stays as it is. */
  async function endAccess(transaction: Change, id: string): Promise<void> {
    if (!(await endLogins(transaction, id))) fail('user.not_found', { id });
    transaction.audit('user.tokens_revoked', { kind: 'user', id });
  }

  /** Also ends tokens and sessions. Returns the version of the disabled user. */
  async function disable(transaction: Change, id: string): Promise<number> {
    const { tx } = transaction;
    await updateUser(tx, id, { enabled: 0, updated_at: clock.now() });
    await endLogins(transaction, id);
    return (await findUser(tx, id))!.version;
  }

  /** The time of inactivity begins again. */
  async function enable(transaction: Change, id: string): Promise<void> {
    const { tx, invalidate } = transaction;
    await updateUser(tx, id, { enabled: 1, last_active_at: seconds(clock), updated_at: clock.now() });
    await onEnabled(transaction, id);
    invalidate(tagOf.user(id));
  }

  async function erase(transaction: Change, { id, domain_id }: UserRow): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    await revokeAccess(transaction, id);
    await passwords.remove(transaction, id);
    await deleteUser(tx, id);
    invalidate(tagOf.user(id));
    invalidate(tagOf.census('users'));
    audit('user.deleted', { kind: 'user', id }, { domain_id });
  }

  return { endAccess, endLogins, disable, enable, erase };
}
