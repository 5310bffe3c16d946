// Lock-out: after too many wrong passwords an account is locked for a while. How many, and for how long, its domain says.
import { seconds } from '../../../platform/clock.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { LockOutRules, PasswordDeps } from './deps.ts';
import {
  clampFailureTime,
  countFailure,
  countFailureBelow,
  findFailures,
  forgetFailures,
  usersWithFailures,
} from './passwords.store.ts';
import type { GuessLimit, LockableAccount, LockOutFilter } from './passwords.ts';

const failuresIn = ({ attempts, duration }: LockOutRules, now: number) =>
  attempts === undefined ? undefined : { least: attempts, after: now - duration };

/** Undefined when nobody can be locked out. */
export async function lockOutFilter({
  clock,
  lockOuts,
}: Pick<PasswordDeps, 'clock' | 'lockOuts'>): Promise<LockOutFilter | undefined> {
  if (!lockOuts.exist()) return undefined;
  const { service, own } = await lockOuts.all();
  const now = seconds(clock);
  const alike = Map.groupBy(own, ([, { attempts, duration }]) => `${attempts} ${duration}`);
  return {
    others: failuresIn(service, now),
    own: [...alike.values()].map((domains) => ({
      domainIds: domains.map(([id]) => id),
      failures: failuresIn(domains[0]![1], now),
    })),
  };
}

/** The accounts among these that are locked out. */
export async function findLockOuts(
  { clock, lockOuts }: PasswordDeps,
  reader: Reader,
  accounts: readonly LockableAccount[],
): Promise<ReadonlyMap<string, GuessLimit>> {
  const locked = new Map<string, GuessLimit>();
  if (!lockOuts.exist()) return locked;
  const now = seconds(clock);
  const byDomain = Map.groupBy(
    accounts.filter(({ options }) => !options.ignore_lockout_failure_attempts),
    ({ domainId }) => domainId,
  );
  for (const [domainId, some] of byDomain) {
    const rules = await lockOuts.of(domainId, reader);
    const failures = failuresIn(rules, now);
    if (!failures) continue;
    const ids = some.map(({ id }) => id);
    for (const { user_id: id, failures: count, last_at } of await usersWithFailures(reader, ids, failures)) {
      const since = Math.min(last_at, now);
      locked.set(id, { failures: count, since, until: since + rules.duration });
    }
  }
  return locked;
}

/** Takes the same time for accounts that cannot be locked, where others can be. */
export async function isLockedOut(
  { db, clock, lockOuts }: PasswordDeps,
  { id, domainId, options }: LockableAccount,
): Promise<boolean> {
  if (!lockOuts.exist()) return false;
  const { attempts, duration } = await lockOuts.of(domainId);
  const row = await findFailures(db.read, id);
  const now = seconds(clock);
  if (attempts === undefined || options.ignore_lockout_failure_attempts || !row || row.failures < attempts) return false;
  if (row.last_at > now) await db.write((tx) => clampFailureTime(tx, id, now));
  return row.last_at + duration > now;
}

/**
 * Counts a wrong password. `isLocked`: further ones count no more. For accounts that cannot be locked, and for unknown ones, something else is
 * written instead: otherwise the time would tell who can be locked, and so who exists. For the same reason the count is no audit event of its
 * own; the refused login is one. `countedAs` is the key of the guess.
 */
export async function countFailedLogin(
  { db, clock, change, lockOuts, notify, pauses, counts }: PasswordDeps,
  account: LockableAccount | undefined,
  actor: Actor,
  { countedAs, isLocked }: { readonly countedAs: string; readonly isLocked: boolean },
): Promise<void> {
  if (!lockOuts.exist()) return;
  const { attempts: limit, duration } = await lockOuts.of(account?.domainId);
  if (!account || limit === undefined || isLocked || account.options.ignore_lockout_failure_attempts)
    return pauses.writeStandIn(countedAs);
  const { id, domainId } = account;
  const now = seconds(clock);
  const forgetBefore = now - duration;
  const count = () => db.write((tx) => countFailureBelow(tx, id, { now, forgetBefore, limit }));
  if (await count()) return;
  try {
    await change(actor, async (transaction) => {
      const failures = await countFailure(transaction.tx, id, { now, forgetBefore });
      // Somebody may have unlocked the account, or changed the limit, since.
      const { attempts } = await lockOuts.of(domainId, transaction.tx);
      if (attempts === undefined || failures < attempts) throw new UnlockedMeanwhile();
      transaction.audit('user.locked_out', { kind: 'user', id }, { failures });
      await notify(transaction, 'user.locked_out', id);
    });
    counts.lockouts++;
  } catch (error) {
    if (!(error instanceof UnlockedMeanwhile)) throw error;
    await count();
  }
}

/** The failure that would have been the last one is the first again: it locks nobody. */
class UnlockedMeanwhile extends Error {}

export async function forgetFailedLogins({ db, change, lockOuts }: PasswordDeps, userId: string): Promise<void> {
  if (!lockOuts.exist() || !(await findFailures(db.read, userId))) return;
  await change({ userId, requestId: null }, async ({ tx, audit }) => {
    await forgetFailures(tx, userId);
    audit('user.login_failures_forgotten', { kind: 'user', id: userId });
  });
}
