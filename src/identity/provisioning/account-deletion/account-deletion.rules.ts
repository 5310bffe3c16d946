// People delete their own account. It is disabled at once and deleted after some days, until which they can keep it. What is checked
// before the deletion is checked again in its transaction: an account that somebody enabled since is not deleted.
import { seconds } from '../../../platform/clock.ts';
import { type RowPage, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Query } from '../../../platform/http/index.ts';
import { administeredAlone, findProject } from '../../access/context/index.ts';
import { type Caller, visibleDomain } from '../../access/rules/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import { deleteIfAbandoned } from '../../directory/projects/index.ts';
import { nameKey, recipientOf, type Users } from '../../directory/users/index.ts';
import { type Actor, serviceActor } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import type { Mail } from '../../ground/mail/index.ts';
import { criteriaOf, type Deps, type Filters, foundPage, pageOf, whereEquals } from '../../ground/resource/index.ts';
import {
  deleteDeletion,
  dueUserIds,
  findPending,
  type ListedDeletion,
  listPending,
  type PendingDeletion,
  putDeletion,
  registeredOrganizations,
} from './account-deletion.store.ts';

const DAY = 86_400;
/** Mail about a deletion is tried for this time at least, even if the account is gone by then. */
const NOTICE_SECONDS = 7 * DAY;
const BATCH = 100;

/** Why somebody cannot delete their account. */
export type DeletionRefusal = 'off' | 'managed' | 'last_administrator';

export type AccountDeletionDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'change' | 'log'> & {
  readonly domainSettings: DomainSettingsOf;
  readonly users: Users;
  readonly mail: Mail;
};

const FILTERS: Filters = { domain_id: { column: 'users.domain_id', kind: 'text' } };

const target = (id: string) => ({ kind: 'user', id });

/** Whether a provisioning client has this account in its own list. It would make a deleted account again. */
const isProvisioned = (user: Pick<UserRow, 'external_id'>): boolean => user.external_id !== null;

export function createAccountDeletion(deps: AccountDeletionDeps) {
  const { db, clock, config, change, log, domainSettings, users, mail } = deps;
  const settingsOf = async ({ domain_id }: Pick<UserRow, 'domain_id'>) => (await domainSettings.of(domain_id)).account;

  /** Undefined when the account can be deleted. */
  async function refusalFor(user: UserRow): Promise<DeletionRefusal | undefined> {
    if ((await settingsOf(user)).deletion === 'off') return 'off';
    if (isProvisioned(user)) return 'managed';
    return (await administeredAlone(db.read, user.id, config)).length > 0 ? 'last_administrator' : undefined;
  }

  /**
   * `actor`: the person, with the epoch of the account when it was checked. `typedName`: the user name as the person typed it. Returns
   * when the account is deleted, in seconds.
   */
  async function schedule(actor: Actor & { readonly epoch: number }, user: UserRow, typedName: string): Promise<number> {
    if ((await settingsOf(user)).deletion === 'off') fail('account_deletion.off');
    if (nameKey(typedName.trim()) !== nameKey(user.name)) fail('account_deletion.wrong_name');
    return change(actor, async (transaction) => {
      const { tx, audit } = transaction;
      // One after the other: the last two administrators must not both leave.
      await takeAdvisoryLock(db, tx, 'account deletions');
      const current = (await users.lock(tx, user.id)) ?? fail('user.not_found', { id: user.id });
      const domain = (await findProject(tx, current.domain_id)) ?? fail('user.not_found', { id: user.id });
      const { deletion, deletionGraceDays } = domainSettings.ofDomain(domain).account;
      if (deletion === 'off') fail('account_deletion.off');
      if (isProvisioned(current)) fail('account_deletion.managed');
      if ((await administeredAlone(tx, user.id, config)).length > 0) fail('account_deletion.last_administrator');
      const now = seconds(clock);
      const due = now + deletionGraceDays * DAY;
      const version = await users.disable(transaction, user.id);
      await putDeletion(tx, { user_id: user.id, requested_at: now, due_at: due, user_version: version });
      const { address: to, name, language } = recipientOf(current);
      const values = { name, at: due * 1000 };
      const template = deletionGraceDays === 0 ? 'deletion-now' : 'deletion-scheduled';
      const letter = { to, domainId: domain.id, template, language, values, seconds: NOTICE_SECONDS } as const;
      if (to !== undefined) await mail.enqueue(transaction, { ...letter, to });
      audit('user.deletion_scheduled', target(user.id), { due_at: due });
      return due;
    });
  }

  /**
   * Enables the account again, also when the deletion is due but was not done yet. `expect` throws when the actor may not do that; it reads
   * in the transaction.
   */
  async function cancel(actor: Actor, userId: string, expect?: (reader: Reader) => Promise<void>): Promise<void> {
    await change(actor, async (transaction) => {
      const { tx } = transaction;
      // The deletion locks the same row first: one of the two is too late.
      await users.lock(tx, userId);
      if (!(await findPending(tx, userId))) fail('account_deletion.not_found', { id: userId });
      await expect?.(tx);
      // It ends with that, see cancelled.ts.
      await users.enable(transaction, userId);
    });
  }

  /** Every process may try: the first to lock the row deletes the account, and the others fail. False when it was changed since. */
  const deleteNow = (userId: string): Promise<boolean> =>
    change(serviceActor, async (transaction) => {
      const { tx, audit } = transaction;
      const user = await users.lock(tx, userId);
      const pending = user && (await findPending(tx, userId));
      if (user && pending && pending.due_at <= seconds(clock)) {
        // The other administrators may have gone since. The owner can still keep the account, and nobody else could repair the service.
        if ((await administeredAlone(tx, userId, config)).some(({ domainId }) => domainId === null))
          fail('account_deletion.last_administrator');
        // They have the name of the person.
        for (const id of await registeredOrganizations(tx, userId)) await deleteIfAbandoned(db, transaction, id, userId);
        await users.erase(transaction, user);
        return true;
      }
      if (!user || pending || !(await deleteDeletion(tx, userId))) fail('account_deletion.not_found', { id: userId });
      audit('user.deletion_dropped', target(userId));
      return false;
    });

  /** One account that cannot be deleted must not stop the others. */
  async function deleteDue(stopping?: AbortSignal): Promise<number> {
    let deleted = 0;
    const errors: unknown[] = [];
    for (const userId of await dueUserIds(db.read, seconds(clock), BATCH)) {
      if (stopping?.aborted) break;
      try {
        if (!(await deleteNow(userId))) continue;
        deleted++;
        log.info({ user: userId }, 'an account was deleted, as its owner asked');
      } catch (error) {
        const code = error instanceof Fault ? error.code : undefined;
        if (code === 'account_deletion.last_administrator')
          log.warn({ user: userId }, 'an account is not deleted: its owner is the last administrator');
        // Otherwise another process was first, or the owner kept the account.
        else if (code !== 'account_deletion.not_found') errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return deleted;
  }

  /** The next to be deleted first. */
  async function list(caller: Caller, query: Query): Promise<RowPage<ListedDeletion>> {
    const criteria = { criteria: criteriaOf(query, FILTERS), visible: whereEquals('users.domain_id', visibleDomain(caller)) };
    return foundPage(query, await listPending(db, pageOf(query), criteria));
  }

  return {
    list,
    refusalFor,
    graceDays: async (user: Pick<UserRow, 'domain_id'>): Promise<number> => (await settingsOf(user)).deletionGraceDays,
    schedule,
    cancel,

    /** The deletion that an account waits for. */
    find: (userId: string): Promise<PendingDeletion | undefined> => findPending(db.read, userId),

    /** For the background job. Returns how many accounts were deleted. */
    deleteDue,
  };
}

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;
