// Writes the row of one user in a directory.
import { seconds } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import { emailKeys, insertUser, type NewUserRow, replaceEmails, revokeTokensOfUser, updateUser } from '../users/index.ts';
import { markUserGone, type UserInDirectory, writeUserEntry } from './directories.store.ts';
import type { DirectoryUser } from './entries.ts';
import { uniqueIdOf } from './identity.ts';
import { changedFields, type UserValues, userValues } from './rows.ts';

/** A domain, and the names of its additional attributes. */
export interface MappedDomain {
  readonly domainId: string;
  readonly mapped: readonly string[];
}

interface UserWrite {
  readonly id: string;
  readonly row: UserInDirectory | undefined;
  readonly user: DirectoryUser;
  /** When the directory was asked. */
  readonly seenAt: number;
}

export interface UserWritingDeps extends Pick<Deps, 'db' | 'clock'> {
  /** Ends sessions and devices of a user, in the transaction that revokes the tokens. */
  revokeAccess(transaction: Change, userId: string): Promise<void>;
  /** Ends links that were sent to the old address. */
  onEmailChanged(transaction: Change, userId: string): Promise<void>;
  /** Ends what a disabled user must not find again when they are enabled: programs. */
  onDisabled(transaction: Change, userId: string): Promise<void>;
}

export function createUserWriting({ db, clock, revokeAccess, onEmailChanged, onDisabled }: UserWritingDeps) {
  async function insert(transaction: Change, { domainId, mapped }: MappedDomain, id: string, user: DirectoryUser): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    const values = userValues(user, undefined, mapped);
    const row: NewUserRow = {
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
      confirmed_email: null,
    };
    await insertUser(tx, row);
    const emails = emailKeys(parseJson(values.profile));
    if (emails.length > 0) await replaceEmails(tx, id, emails);
    invalidate(tagOf.census('users'));
    audit('user.created', { kind: 'user', id }, { domain_id: domainId, from: 'directory' });
  }

  /** Ends tokens, sessions and remembered devices. */
  async function close(transaction: Change, id: string): Promise<void> {
    await revokeTokensOfUser(transaction.tx, id);
    await revokeAccess(transaction, id);
  }

  /** True when the directory says that the password was changed. */
  const hasNewPassword = ({ password_changed: before }: UserInDirectory, { passwordChanged: now }: DirectoryUser): boolean =>
    before !== null && now !== null && before !== now;

  async function update(transaction: Change, { mapped }: MappedDomain, row: UserInDirectory, user: DirectoryUser): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    const { id } = row;
    const current = await lockRow(db, tx, 'users', id);
    if (!current) return;
    const values = userValues(user, current, mapped);
    const fields = changedFields<UserValues>(current, values);
    const isNewPassword = hasNewPassword(row, user);
    if (fields.length > 0) {
      // The time of inactivity begins again when an account is opened.
      const opened = current.enabled === 0 && values.enabled === 1 ? { last_active_at: seconds(clock) } : {};
      const isNewAddress = fields.includes('profile');
      const unconfirmed = isNewAddress ? { confirmed_email: null } : {};
      await updateUser(tx, id, { ...values, ...opened, ...unconfirmed, updated_at: clock.now() });
      if (isNewAddress) {
        await replaceEmails(tx, id, emailKeys(parseJson(values.profile)));
        await onEmailChanged(transaction, id);
      }
    }
    const isDisabled = current.enabled === 1 && values.enabled === 0;
    if (isNewPassword || isDisabled) await close(transaction, id);
    if (isDisabled) await onDisabled(transaction, id);
    invalidate(tagOf.user(id));
    audit('user.updated', { kind: 'user', id }, { fields, from: 'directory', ...(isNewPassword ? { new_password: true } : {}) });
  }

  return {
    /** Disables somebody whose entry is gone, unless it was seen after `before`: then it returns false. */
    async closeGone(transaction: Change, id: string, before: number): Promise<boolean> {
      const { tx, audit, invalidate } = transaction;
      if (!(await markUserGone(tx, id, clock.now(), before))) return false;
      await updateUser(tx, id, { enabled: 0, updated_at: clock.now() });
      await close(transaction, id);
      await onDisabled(transaction, id);
      invalidate(tagOf.user(id));
      audit('user.updated', { kind: 'user', id }, { fields: ['enabled'], from: 'directory', gone: true });
      return true;
    },

    /** Creates or updates the row, and the one that says which entry it is. */
    async write(transaction: Change, domain: MappedDomain, { id, row, user, seenAt }: UserWrite): Promise<void> {
      if (row) await update(transaction, domain, row, user);
      else await insert(transaction, domain, id, user);
      await writeUserEntry(transaction.tx, {
        user_id: id,
        domain_id: domain.domainId,
        local_id: user.localId,
        dn: user.dn,
        password_changed: user.passwordChanged,
        seen_at: seenAt,
        unique_id: uniqueIdOf(user, row?.unique_id ?? null),
      });
    },
  };
}
