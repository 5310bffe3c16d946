// Registrations that an administrator confirms: whoever has proved their address waits, with a disabled account, until somebody who manages
// the domain approves or refuses them.
import { seconds } from '../../../platform/clock.ts';
import type { RowPage } from '../../../platform/database/index.ts';
import type { Query } from '../../../platform/http/index.ts';
import { findProject } from '../../access/context/index.ts';
import { type Caller, type RankGuard, visibleDomain } from '../../access/rules/index.ts';
import type { DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import { deleteIfAbandoned, type Projects } from '../../directory/projects/index.ts';
import { findUser, recipientOf, type Users, type UserWithExpiry } from '../../directory/users/index.ts';
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import { criteriaOf, type Deps, type Filters, foundPage, pageOf, whereEquals } from '../../ground/resource/index.ts';
import { findRegistration } from './registration.store.ts';
import {
  countWaiting,
  deleteWaiting,
  insertWaiting,
  isWaiting,
  listWaiting,
  type WaitingUser,
  waitingSince,
} from './waiting.store.ts';

/** Their decision is mailed for a week: the person has nothing else to learn it by. */
const NOTICE_SECONDS = 7 * 86_400;
/** Nobody decided for so long: they are not kept waiting for ever, and nothing is kept of them. */
const LONGEST_SECONDS = 90 * 86_400;
const BATCH = 100;
/** More are not counted. */
export const MAX_WAITING_COUNT = 100;
const FILTERS: Filters = { domain_id: { column: 'users.domain_id', kind: 'text' } };

/** Rolls back: there is nothing to write into the audit log. */
class DecidedMeanwhile extends Error {}

const aboutUser = (id: string) => ({ kind: 'user', id });

export interface WaitingDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly domainSettings: Pick<DomainSettingsOf, 'ofDomain'>;
  readonly users: Users;
  readonly projects: Projects;
  readonly mail: Mail;
  readonly notify: Notify;
  readonly refuseIfOutranked: RankGuard;
}

export function createWaiting(deps: WaitingDeps) {
  const { db, clock, change, domainSettings, users, projects, mail, notify, refuseIfOutranked } = deps;

  /** Those that were made with the account. */
  async function organizationsOf(reader: Reader, userId: string): Promise<string[]> {
    const row = await findRegistration(reader, userId);
    return row ? [row.project_id, row.cloud_project_id] : [];
  }

  async function tell(
    transaction: Change,
    user: UserRow,
    letter:
      | { readonly template: 'registration-approved' }
      | { readonly template: 'registration-refused'; readonly reason: string },
  ): Promise<void> {
    // As Keyrock's portal: the name is the address if there is no other.
    const { address: to = user.name, name, language } = recipientOf(user);
    const about = { to, language, domainId: user.domain_id, seconds: NOTICE_SECONDS };
    if (letter.template === 'registration-approved')
      await mail.enqueue(transaction, { ...about, template: letter.template, values: { name } });
    else await mail.enqueue(transaction, { ...about, template: letter.template, values: { name, reason: letter.reason } });
  }

  /** In a transaction that deletes the account. */
  async function dismiss(
    transaction: Change,
    user: UserRow,
    reason: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { id } = user;
    transaction.audit('user.registration_refused', aboutUser(id), details);
    await tell(transaction, user, { template: 'registration-refused', reason });
    for (const organization of await organizationsOf(transaction.tx, id))
      await deleteIfAbandoned(db, transaction, organization, id);
  }

  /** Whoever is approved or refused at the same moment, also by another process, waits no more. */
  const dismissUndecided = (userId: string): Promise<boolean> =>
    change(serviceActor, async (transaction) => {
      const user = await users.lock(transaction.tx, userId);
      if (!user || !(await deleteWaiting(transaction.tx, userId))) throw new DecidedMeanwhile();
      await dismiss(transaction, user, '', { undecided_days: LONGEST_SECONDS / 86_400 });
      await users.erase(transaction, user);
      return true;
    }).catch((error: unknown) => {
      if (!(error instanceof DecidedMeanwhile)) throw error;
      return false;
    });

  return {
    /** Whether an administrator confirms those who register in this domain. */
    async isAsked(reader: Reader, domainId: string): Promise<boolean> {
      const domain = (await findProject(reader, domainId)) ?? fail('domain.not_found', { id: domainId });
      return domainSettings.ofDomain(domain).registration.confirmedBy === 'administrator';
    },

    /** For an account that is disabled, in the transaction in which its owner proves the address. */
    async begin(transaction: Change, userId: string): Promise<void> {
      if (!(await insertWaiting(transaction.tx, { user_id: userId, created_at: seconds(clock) }))) return;
      transaction.audit('user.registration_waits', aboutUser(userId));
      await notify(transaction, 'registration.waits', userId);
    },

    async list(caller: Caller, query: Query): Promise<RowPage<WaitingUser>> {
      const criteria = { criteria: criteriaOf(query, FILTERS), visible: whereEquals('users.domain_id', visibleDomain(caller)) };
      return foundPage(query, await listWaiting(db, pageOf(query), criteria));
    },

    /** MAX_WAITING_COUNT at most. */
    count: (domainId: string | undefined): Promise<number> => countWaiting(db.read, domainId, MAX_WAITING_COUNT),

    /** See `enabled`. */
    async approve(caller: Caller, user: UserWithExpiry): Promise<void> {
      const { id } = user;
      const check = async (reader: Reader): Promise<void> => {
        if (!(await isWaiting(reader, id))) fail('registration.not_waiting', { id });
      };
      await refuseIfOutranked(db.read, caller, 'identity:approve_registration', { userId: id });
      await check(db.read);
      await users.revise(caller, user, () => ({ body: { enabled: true }, beforeWrite: ({ tx }) => check(tx) }));
    },

    /** The account is deleted, so that nothing is kept of somebody who was refused; they can register again. */
    refuse: (caller: Caller, user: UserRow, reason: string): Promise<void> =>
      users.remove(caller, user, async (current, transaction) => {
        const { id } = current;
        if (!(await deleteWaiting(transaction.tx, id))) fail('registration.not_waiting', { id });
        await dismiss(transaction, current, reason, reason === '' ? {} : { reason });
      }),

    /** For the background job: those on whom nobody decided are told so, and can register again. Returns how many there were. */
    async sweep(): Promise<number> {
      let dismissed = 0;
      for (const id of await waitingSince(db.read, seconds(clock) - LONGEST_SECONDS, BATCH))
        if (await dismissUndecided(id)) dismissed++;
      return dismissed;
    },

    /** Somebody said that they shall not get in: nobody else approves of them any more. */
    async disabled({ tx, audit }: Change, userId: string): Promise<void> {
      if (await deleteWaiting(tx, userId)) audit('user.registration_refused', aboutUser(userId));
    },

    /** Whoever enables an account, in whichever way, approves of its registration. */
    async enabled(transaction: Change, userId: string): Promise<void> {
      const { tx, audit } = transaction;
      if (!(await deleteWaiting(tx, userId))) return;
      for (const id of await organizationsOf(tx, userId)) if (await findProject(tx, id)) await projects.enable(transaction, id);
      audit('user.registration_approved', aboutUser(userId));
      await tell(transaction, (await findUser(tx, userId))!, { template: 'registration-approved' });
    },
  };
}

export type Waiting = ReturnType<typeof createWaiting>;
