// Passwords: rules for new ones, checks at login, and lock-out; each has its own file. Names and defaults are Keystone's.
import { seconds } from '../../../platform/clock.ts';
import { checkSecret, hashedSecret, passwordState, storedPassword } from './check.rules.ts';
import type { PasswordDeps } from './deps.ts';
import { createHashing } from './hashing.ts';
import { removePasswords, replaceImported, storeImported } from './imported.rules.ts';
import { findLockOuts, lockOutFilter } from './lock-out.rules.ts';
import { checkNewPassword, passwordProblem, preparePassword, storePassword } from './new-password.rules.ts';
import { countImported, expirePassword, findPassword, forgetFailures, hasPassword } from './passwords.store.ts';
import type { Passwords } from './passwords.ts';
import { createPauses } from './pauses.ts';
import { createStandIns } from './stand-in.ts';

export function createPasswords(
  options: Omit<PasswordDeps, 'hashing' | 'pauses' | 'standIns' | 'counts'> & { readonly rateLimits: boolean },
): Passwords {
  const hashing = createHashing(options.config);
  const pauses = createPauses(options);
  const standIns = createStandIns(options.db);
  const counts = { lockouts: 0 };
  const deps: PasswordDeps = { ...options, hashing, pauses, standIns, counts };
  return {
    problem: (password) =>
      passwordProblem({ minLength: options.config.passwordMinLength, common: options.config.passwordCommon }, password),
    checkNew: (password, by, user) => checkNewPassword(deps, password, by, user),
    prepare: (password, by, user, client) => preparePassword(deps, password, by, user, client),
    store: (change, userId, password) => storePassword(deps, change, userId, password),
    storeImported: ({ tx }, people) => storeImported(tx, people),
    replaceImported: ({ tx }, person) => replaceImported(tx, person),
    countImported,
    remove: ({ tx }, userId) => removePasswords(tx, userId),
    expire: ({ tx }, userId) => expirePassword(tx, userId, seconds(options.clock)),
    unlock: ({ tx }, userId) => forgetFailures(tx, userId),
    forgive: (change, countedAs) => pauses.forgive(change, countedAs),
    lockOuts: (reader, accounts) => findLockOuts(deps, reader, accounts),
    pauses: (reader, countedAs) => pauses.ofKeys(reader, countedAs),
    lockOutFilter: () => lockOutFilter(deps),
    check: (password, place, by) => checkSecret(deps, place, password, by),
    storedHere: (holder, countedAs, domainId) => storedPassword(deps, holder, countedAs, domainId),
    has: hasPassword,
    stateOf: (reader, account) => passwordState(deps, reader, account),
    async isPasswordOf(userId, password) {
      const row = await findPassword(deps.db.read, userId);
      return row !== undefined && hashing.verify(password, row.hash);
    },
    hash: (secret, client) => hashing.queue.run(client, () => hashing.hash(secret)),
    matches: async (secret, account, by, expected) =>
      (await checkSecret(deps, hashedSecret(deps, account, expected), secret, by)) === 'good',
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
