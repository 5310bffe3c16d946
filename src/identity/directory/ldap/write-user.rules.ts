// Writes the row of one user in a directory.
import { seconds } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { type ClosingDeps, createClosing, insertUserRow, updateUserRow } from '../users/index.ts';
import { markUserGone, type UserInDirectory, writeUserEntry } from './directories.store.ts';
import type { DirectoryUser } from './entries.ts';
import { uniqueIdOf } from './identity.ts';
import { changedValues, type UserValues, userValues } from './rows.ts';

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

export interface UserWritingDeps extends Pick<Deps, 'db'>, ClosingDeps {
  /** Ends links that were sent to the old address. */
  onEmailChanged(transaction: Change, userId: string): Promise<void>;
  /** Ends what a disabled user must not find again when they are enabled: programs. */
  onDisabled(transaction: Change, userId: string): Promise<void>;
}

const FROM = { from: 'directory' };

export function createUserWriting(deps: UserWritingDeps) {
  const { db, clock, onEmailChanged, onDisabled } = deps;
  const { endLogins, disable } = createClosing(deps);

  async function insert(transaction: Change, { domainId, mapped }: MappedDomain, id: string, user: DirectoryUser): Promise<void> {
    const said = { id, domain_id: domainId, ...userValues(user, undefined, mapped) };
    await insertUserRow(transaction, clock, { ...said, options: '{}', external_id: null, confirmed_email: null }, FROM);
  }

  /** True when the directory says that the password was changed. */
  const hasNewPassword = ({ password_changed: before }: UserInDirectory, { passwordChanged: now }: DirectoryUser): boolean =>
    before !== null && now !== null && before !== now;

  async function update(transaction: Change, { mapped }: MappedDomain, row: UserInDirectory, user: DirectoryUser): Promise<void> {
    const { id } = row;
    const current = await lockRow(db, transaction.tx, 'users', id);
    if (!current) return;
    const changed = changedValues<UserValues>(current, userValues(user, current, mapped));
    const isNewPassword = hasNewPassword(row, user);
    // The time of inactivity begins again when an account is opened.
    const opened = changed.enabled === 1 ? { last_active_at: seconds(clock) } : {};
    const isNewAddress = changed.profile !== undefined;
    const unconfirmed = isNewAddress ? { confirmed_email: null } : {};
    const details = { fields: Object.keys(changed), ...FROM, ...(isNewPassword ? { new_password: true } : {}) };
    await updateUserRow(transaction, clock, id, { ...changed, ...opened, ...unconfirmed }, details);
    if (isNewAddress) await onEmailChanged(transaction, id);
    const isDisabled = changed.enabled === 0;
    if (isNewPassword || isDisabled) await endLogins(transaction, id);
    if (isDisabled) await onDisabled(transaction, id);
  }

  return {
    /** Disables somebody whose entry is gone, unless it was seen after `before`: then it returns false. */
    async closeGone(transaction: Change, id: string, before: number): Promise<boolean> {
      const { tx, audit } = transaction;
      if (!(await markUserGone(tx, id, clock.now(), before))) return false;
      await disable(transaction, id);
      await onDisabled(transaction, id);
      audit('user.updated', { kind: 'user', id }, { fields: ['enabled'], ...FROM, gone: true });
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
