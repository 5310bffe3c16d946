// Passwords: rules for new ones, checks at login, and lock-out; each has its own file. Names and defaults are Keystone's.
import { seconds } from '../../../platform/clock.ts';
import { checkDirectoryPassword, checkPassword, matchesSecret } from './check.rules.ts';
import type { PasswordDeps } from './deps.ts';
import { createHashing } from './hashing.ts';
import { checkNewPassword, passwordProblem, preparePassword, storePassword } from './new-password.rules.ts';
import { deletePasswords, expirePassword, findPassword, forgetFailures } from './passwords.store.ts';
import type { Passwords } from './passwords.ts';
import { createPauses } from './pauses.ts';

export function createPasswords(
  options: Omit<PasswordDeps, 'hashing' | 'pauses' | 'counts'> & { readonly rateLimits: boolean },
): Passwords {
  const hashing = createHashing(options.config);
  const pauses = createPauses(options);
  const counts = { lockouts: 0 };
  const deps: PasswordDeps = { ...options, hashing, pauses, counts };
  return {
    problem: (password) => passwordProblem(options.config, password),
    checkNew: (password, by, user) => checkNewPassword(deps, password, by, user),
    prepare: (password, by, user, client) => preparePassword(deps, password, by, user, client),
    store: (change, userId, password) => storePassword(deps, change, userId, password),
    remove: ({ tx }, userId) => deletePasswords(tx, userId, Number.MAX_SAFE_INTEGER),
    expire: ({ tx }, userId) => expirePassword(tx, userId, seconds(options.clock)),
    unlock: ({ tx }, userId) => forgetFailures(tx, userId),
    check: (password, account, by) => checkPassword(deps, password, account, by),
    checkInDirectory: (check, by) => checkDirectoryPassword(deps, check, by),
    async isPasswordOf(userId, password) {
      const row = await findPassword(deps.db.read, userId);
      return row !== undefined && hashing.verify(password, row.hash);
    },
    hash: (secret, client) => hashing.queue.run(client, () => hashing.hash(secret)),
    matches: (secret, account, by, expected) => matchesSecret(deps, secret, account, by, expected),
    sweep: () => pauses.sweep(),
    settled: () => hashing.queue.settled(),
    queue: hashing.queue,
    get lockouts() {
      return counts.lockouts;
    },
    get waiting() {
      return hashing.queue.waiting;
    },
    get hashed() {
      return hashing.begun;
    },
  };
}
