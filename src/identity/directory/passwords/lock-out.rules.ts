// Lock-out: after too many wrong passwords an account is locked for a while.
import { seconds } from '../../../platform/clock.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { PasswordDeps } from './deps.ts';
import {
  clampFailureTime,
  countFailure,
  countFailureBelow,
  type FailuresAtLeast,
  findFailures,
  forgetFailures,
  usersWithFailures,
} from './passwords.store.ts';
import type { GuessLimit, LockableAccount, PasswordOptions } from './passwords.ts';

/** Undefined when nobody can be locked out. */
export function lockOutFilter({ clock, config }: Pick<PasswordDeps, 'clock' | 'config'>): FailuresAtLeast | undefined {
  const least = config.lockoutFailureAttempts;
  return least === undefined ? undefined : { least, after: seconds(clock) - config.lockoutDuration };
}

/** The accounts among these that are locked out. */
export async function findLockOuts(
  deps: PasswordDeps,
  reader: Reader,
  accounts: readonly LockableAccount[],
): Promise<ReadonlyMap<string, GuessLimit>> {
  const filter = lockOutFilter(deps);
  const ids = accounts.filter(({ options }) => !options.ignore_lockout_failure_attempts).map(({ id }) => id);
  if (!filter || ids.length === 0) return new Map();
  const now = seconds(deps.clock);
  const rows = await usersWithFailures(reader, ids, filter);
  return new Map(
    rows.map(({ user_id: id, failures, last_at }) => {
      const since = Math.min(last_at, now);
      return [id, { failures, since, until: since + deps.config.lockoutDuration }];
    }),
  );
}

export async function isLockedOut(
  { db, clock, config }: PasswordDeps,
  userId: string,
  options: PasswordOptions,
): Promise<boolean> {
  if (config.lockoutFailureAttempts === undefined || options.ignore_lockout_failure_attempts) return false;
  const row = await findFailures(db.read, userId);
  const now = seconds(clock);
  if (!row || row.failures < config.lockoutFailureAttempts) return false;
  if (row.last_at > now) await db.write((tx) => clampFailureTime(tx, userId, now));
  return row.last_at + config.lockoutDuration > now;
}

/**
 * Counts a wrong password. `isLocked`: further ones count no more. For accounts that cannot be locked, and for unknown ones, something else is
 * written instead: otherwise the time would tell who can be locked, and so who exists. For the same reason the count is no audit event of its
 * own; the refused login is one. `countedAs` is the key of the guess.
 */
export async function countFailedLogin(
  { db, clock, change, config, notify, pauses, counts }: PasswordDeps,
  account: LockableAccount | undefined,
  actor: Actor,
  { countedAs, isLocked }: { readonly countedAs: string; readonly isLocked: boolean },
): Promise<void> {
  const limit = config.lockoutFailureAttempts;
  if (limit === undefined) return;
  if (!account || isLocked || account.options.ignore_lockout_failure_attempts) return pauses.writeStandIn(countedAs);
  const { id } = account;
  const now = seconds(clock);
  const forgetBefore = now - config.lockoutDuration;
  const count = () => db.write((tx) => countFailureBelow(tx, id, { now, forgetBefore, limit }));
  if (await count()) return;
  try {
    await change(actor, async (transaction) => {
      const failures = await countFailure(transaction.tx, id, { now, forgetBefore });
      if (failures < limit) throw new UnlockedMeanwhile();
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

export async function forgetFailedLogins({ db, change, config }: PasswordDeps, userId: string): Promise<void> {
  if (config.lockoutFailureAttempts === undefined || !(await findFailures(db.read, userId))) return;
  await change({ userId, requestId: null }, async ({ tx, audit }) => {
    await forgetFailures(tx, userId);
    audit('user.login_failures_forgotten', { kind: 'user', id: userId });
  });
}
