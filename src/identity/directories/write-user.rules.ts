// Writes the row of one user in a directory.
import { seconds } from '../../platform/clock.ts';
import { lockRow } from '../../platform/database/index.ts';
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { UserRow } from '../database.ts';
import { type Deps, parseJson } from '../resource/index.ts';
import { emailKeys, insertUser, replaceEmails, revokeTokensOfUser, updateUser } from '../users/index.ts';
import type { DirectoryUser } from './entries.ts';
import { changedFields, type UserValues, userValues } from './rows.ts';

/** A domain, and the names of its additional attributes. */
export interface KeptDomain {
  readonly domainId: string;
  readonly mapped: readonly string[];
}

export interface UserWritingDeps extends Pick<Deps, 'db' | 'clock'> {
  /** Ends sessions and devices of a user, in the transaction that revokes the tokens. */
  revokeAccess(transaction: Change, userId: string): Promise<void>;
  /** Ends links that were sent to the old address. */
  onEmailChanged(transaction: Change, userId: string): Promise<void>;
}

export function createUserWriting({ db, clock, revokeAccess, onEmailChanged }: UserWritingDeps) {
  async function insert(transaction: Change, { domainId, mapped }: KeptDomain, id: string, user: DirectoryUser): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    const values = userValues(user, undefined, mapped);
    const row: UserRow = {
      id,
      domain_id: domainId,
      ...values,
      epoch: clock.now(),
      options: '{}',
      last_active_at: null,
      created_at: seconds(clock),
      version: 1,
      updated_at: clock.now(),
      external_id: null,
    };
    await insertUser(tx, row);
    const emails = emailKeys(parseJson(values.profile));
    if (emails.length > 0) await replaceEmails(tx, id, emails);
    invalidate(tagOf.census('users'));
    audit('user.created', { kind: 'user', id }, { domain_id: domainId, from: 'directory' });
  }

  /** Ends tokens and sessions of a user who was disabled in the directory. */
  async function close(transaction: Change, id: string): Promise<void> {
    await revokeTokensOfUser(transaction.tx, id);
    await revokeAccess(transaction, id);
  }

  async function update(transaction: Change, { mapped }: KeptDomain, id: string, user: DirectoryUser): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    const held = await lockRow(db, tx, 'users', id);
    if (!held) return;
    const values = userValues(user, held, mapped);
    const fields = changedFields<UserValues>(held, values);
    if (fields.length > 0) {
      await updateUser(tx, id, { ...values, updated_at: clock.now() });
      if (fields.includes('profile')) {
        await replaceEmails(tx, id, emailKeys(parseJson(values.profile)));
        await onEmailChanged(transaction, id);
      }
      if (held.enabled === 1 && values.enabled === 0) await close(transaction, id);
    }
    invalidate(tagOf.user(id));
    audit('user.updated', { kind: 'user', id }, { fields, from: 'directory' });
  }

  return { insert, update, close };
}
