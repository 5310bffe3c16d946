// Lock-out: after too many wrong passwords an account is locked for a while.
import { seconds } from '../../../platform/clock.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { PasswordDeps } from './deps.ts';
import { clampFailureTime, countFailure, countFailureBelow, findFailures, forgetFailures } from './passwords.store.ts';
import type { LockableAccount, PasswordOptions } from './passwords.ts';

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
  if (await db.write((tx) => countFailureBelow(tx, id, { now, forgetBefore, limit }))) return;
  await change(actor, async (transaction) => {
    const failures = await countFailure(transaction.tx, id, { now, forgetBefore });
    transaction.audit('user.locked_out', { kind: 'user', id }, { failures });
    await notify(transaction, 'user.locked_out', id);
  });
  counts.lockouts++;
}

export async function forgetFailedLogins({ db, change, config }: PasswordDeps, userId: string): Promise<void> {
  if (config.lockoutFailureAttempts === undefined || !(await findFailures(db.read, userId))) return;
  await change({ userId, requestId: null }, async ({ tx, audit }) => {
    await forgetFailures(tx, userId);
    audit('user.login_failures_forgotten', { kind: 'user', id: userId });
  });
}
