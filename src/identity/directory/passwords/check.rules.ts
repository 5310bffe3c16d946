// Checks a password, and counts failures.
import { seconds } from '../../../platform/clock.ts';
import { addressKey } from '../../../platform/limits/index.ts';
import type { PasswordDeps } from './deps.ts';
import { countFailedLogin, isLockedOut } from './lock-out.rules.ts';
import { findFailures, findPassword, forgetFailures, replaceHash } from './passwords.store.ts';
import type { DirectoryCandidate, DirectoryCheck, Guesser, PasswordAccount, PasswordCheck } from './passwords.ts';

const countKeyOf = (account: PasswordAccount): string => ('id' in account ? (account.countedAs ?? account.id) : account.unknown);

/** The limits are checked before the queue too, so that what would be refused anyway does not wait. */
async function guess<T>(
  { gate, hashing }: PasswordDeps,
  by: Guesser,
  account: string,
  check: (onChecked: () => void) => Promise<T>,
  isRight: (found: T) => boolean,
): Promise<T> {
  gate.check(by, account);
  const client = { key: addressKey(by.address), signal: by.signal };
  return hashing.queue.run(client, () => gate.guess(by, account, check, isRight));
}

async function afterSuccess(
  { db, change, config, hashing }: PasswordDeps,
  userId: string,
  password: string,
  row: { id: string; hash: string },
): Promise<void> {
  const hash = hashing.isOutdated(row.hash) ? await hashing.hash(password) : undefined;
  const failures = config.lockoutFailureAttempts === undefined ? undefined : await findFailures(db.read, userId);
  if (!hash && !failures) return;
  await change({ userId, requestId: null }, async ({ tx, audit }) => {
    if (hash) await replaceHash(tx, row.id, row.hash, hash);
    if (failures) await forgetFailures(tx, userId);
    audit(hash ? 'user.password_rehashed' : 'user.login_failures_forgotten', { kind: 'user', id: userId });
  });
}

async function forgetFailedLogins({ db, change, config }: PasswordDeps, userId: string): Promise<void> {
  if (config.lockoutFailureAttempts === undefined || !(await findFailures(db.read, userId))) return;
  await change({ userId, requestId: null }, async ({ tx, audit }) => {
    await forgetFailures(tx, userId);
    audit('user.login_failures_forgotten', { kind: 'user', id: userId });
  });
}

/** Runs when it is the request's turn in the queue. The lock is checked and a failure counted here, so parallel guesses gain nothing. */
async function checkNow(
  deps: PasswordDeps,
  password: string,
  account: PasswordAccount,
  by: Guesser,
  onChecked: () => void,
): Promise<PasswordCheck> {
  const { db, clock, hashing, pauses } = deps;
  const user = 'id' in account ? account : undefined;
  const turn = await pauses.claim(by, countKeyOf(account));
  // This and the lock are also asked for unknown users, so that all take the same time.
  const row = await findPassword(db.read, user?.id ?? '');
  const matches = await hashing.verify(password, row?.hash ?? hashing.dummyHash);
  onChecked();
  const locked = await isLockedOut(deps, user?.id ?? countKeyOf(account), user?.options ?? {});
  const good = matches && row !== undefined && user?.active === true && !locked;
  if (!good || !user || !row) {
    const countedAs = countKeyOf(account);
    await pauses.recordFailure(by, countedAs, turn);
    await countFailedLogin(deps, row ? user : undefined, by, { countedAs, isLocked: locked });
    if (!row) return 'wrong';
    return locked ? 'locked' : matches ? 'closed' : 'wrong';
  }
  await pauses.recordSuccess(by, countKeyOf(account), turn);
  const ends = user.options.ignore_password_expiry ? null : row.expires_at;
  if (ends !== null && ends <= seconds(clock)) return 'expired';
  await afterSuccess(deps, user.id, password, row);
  return 'good';
}

export const checkPassword = (
  deps: PasswordDeps,
  password: string,
  account: PasswordAccount,
  by: Guesser,
): Promise<PasswordCheck> =>
  guess(
    deps,
    by,
    countKeyOf(account),
    (onChecked) => checkNow(deps, password, account, by, onChecked),
    (found) => found === 'good' || found === 'expired',
  );

/**
 * For a password that a directory checks. Counts, pauses and lock-out are the same. The lock is checked before the password, so that
 * guesses at a locked account do not reach the directory, and after it, because of parallel guesses. A dummy hash is checked first,
 * as for an account here, after which a directory is asked about nobody; otherwise the time would reveal which accounts are in a directory.
 * The hash queue does not wait for the directory.
 */
async function checkInDirectory(
  deps: PasswordDeps,
  { password, countedAs, countsWhenAway, find }: DirectoryCheck,
  by: Guesser,
  onChecked: () => void,
): Promise<PasswordCheck> {
  const { pauses, hashing } = deps;
  const isLocked = async ({ account }: DirectoryCandidate): Promise<boolean> =>
    account !== undefined && (await isLockedOut(deps, account.id, account.options));
  const ask = async () => {
    const candidate = await find();
    return { candidate, isRight: await candidate.isPassword(await isLocked(candidate)) };
  };
  const turn = await pauses.claim(by, countedAs);
  const client = { key: addressKey(by.address), signal: by.signal };
  await hashing.queue.run(client, () => hashing.verify(password, hashing.dummyHash));
  const { candidate, isRight } = await ask().catch(async (error: unknown) => {
    if (!countsWhenAway) throw error;
    onChecked();
    await pauses.recordFailure(by, countedAs, turn);
    await countFailedLogin(deps, undefined, by, { countedAs, isLocked: false });
    throw error;
  });
  onChecked();
  const { account } = candidate;
  const locked = await isLocked(candidate);
  if (isRight && !locked && (await candidate.accept())) {
    await pauses.recordSuccess(by, countedAs, turn);
    if (account) await forgetFailedLogins(deps, account.id);
    return 'good';
  }
  await pauses.recordFailure(by, countedAs, turn);
  await countFailedLogin(deps, account, by, { countedAs, isLocked: locked });
  if (locked) return 'locked';
  return isRight ? 'closed' : 'wrong';
}

export const checkDirectoryPassword = (deps: PasswordDeps, check: DirectoryCheck, by: Guesser): Promise<PasswordCheck> =>
  deps.gate.guess(
    by,
    check.countedAs,
    (onChecked) => checkInDirectory(deps, check, by, onChecked),
    (found) => found === 'good',
  );

export const matchesSecret = (
  deps: PasswordDeps,
  secret: string,
  account: string,
  by: Guesser,
  expected: () => Promise<string | undefined>,
): Promise<boolean> =>
  guess(
    deps,
    by,
    account,
    async (onChecked) => {
      const { hashing, pauses } = deps;
      const turn = await pauses.claim(by, account);
      const hash = await expected();
      // Takes as long when there is nothing to compare with.
      const matches = await hashing.verify(secret, hash ?? hashing.dummyHash);
      onChecked();
      const isRight = hash !== undefined && matches;
      await (isRight ? pauses.recordSuccess(by, account, turn) : pauses.recordFailure(by, account, turn));
      return isRight;
    },
    Boolean,
  );
