// How a password is checked, and what a failure costs.
import { seconds } from '../../platform/clock.ts';
import { addressKey } from '../../platform/limits/index.ts';
import type { PasswordDeps } from './deps.ts';
import { countWrong, isLockedOut } from './lock-out.rules.ts';
import { findFailures, findPassword, forgetFailures, replaceHash } from './passwords.store.ts';
import type { Guesser, Meant, PasswordCheck } from './passwords.ts';

const accountOf = (meant: Meant): string => ('id' in meant ? (meant.countedAs ?? meant.id) : meant.unknown);

/** What would be refused when it is its turn does not wait in the line for it. */
async function guess<T>(
  { gate, hashing }: PasswordDeps,
  by: Guesser,
  account: string,
  look: (looked: () => void) => Promise<T>,
  isRight: (found: T) => boolean,
): Promise<T> {
  gate.check(by, account);
  const place = { key: addressKey(by.address), signal: by.signal };
  return hashing.queue.run(place, () => gate.guess(by, account, look, isRight));
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

/** The lock is looked at, and a failure counted, while it is their turn: a thousand parallel guesses gain nothing. */
async function look(deps: PasswordDeps, password: string, meant: Meant, by: Guesser, looked: () => void): Promise<PasswordCheck> {
  const { db, clock, hashing, pauses } = deps;
  const user = 'id' in meant ? meant : undefined;
  const turn = await pauses.claim(by, accountOf(meant));
  const row = user && (await findPassword(db.read, user.id));
  const matches = await hashing.verify(password, row?.hash ?? hashing.nobody);
  looked();
  const locked = user !== undefined && row !== undefined && (await isLockedOut(deps, user.id, user.options));
  const good = matches && row !== undefined && user?.open === true && !locked;
  if (good) await pauses.right(by, accountOf(meant), turn);
  else await pauses.wrong(by, accountOf(meant), turn);
  if (!user || !row) return 'wrong';
  if (locked) return 'locked';
  if (!good) {
    await countWrong(deps, user.id, user.options, by);
    return matches ? 'closed' : 'wrong';
  }
  const ends = user.options.ignore_password_expiry ? null : row.expires_at;
  if (ends !== null && ends <= seconds(clock)) return 'expired';
  await afterSuccess(deps, user.id, password, row);
  return 'good';
}

export const checkPassword = (deps: PasswordDeps, password: string, meant: Meant, by: Guesser): Promise<PasswordCheck> =>
  guess(
    deps,
    by,
    accountOf(meant),
    (looked) => look(deps, password, meant, by, looked),
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
