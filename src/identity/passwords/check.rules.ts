// Checks a password, and counts failures.
import { seconds } from '../../platform/clock.ts';
import { addressKey } from '../../platform/limits/index.ts';
import type { PasswordDeps } from './deps.ts';
import { countFailedLogin, isLockedOut } from './lock-out.rules.ts';
import { findFailures, findPassword, forgetFailures, replaceHash } from './passwords.store.ts';
import type { Guesser, PasswordAccount, PasswordCheck } from './passwords.ts';

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
  const row = user && (await findPassword(db.read, user.id));
  const matches = await hashing.verify(password, row?.hash ?? hashing.dummyHash);
  onChecked();
  const locked = user !== undefined && row !== undefined && (await isLockedOut(deps, user.id, user.options));
  const good = matches && row !== undefined && user?.active === true && !locked;
  if (good) await pauses.recordSuccess(by, countKeyOf(account), turn);
  else await pauses.recordFailure(by, countKeyOf(account), turn);
  if (!user || !row) return 'wrong';
  if (locked) return 'locked';
  if (!good) {
    await countFailedLogin(deps, user.id, user.options, by);
    return matches ? 'closed' : 'wrong';
  }
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
    async () => {
      const hash = await expected();
      return hash !== undefined && deps.hashing.verify(secret, hash);
    },
    Boolean,
  );
