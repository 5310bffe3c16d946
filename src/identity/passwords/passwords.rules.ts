// Passwords: which are accepted, how one is checked at login, and what a failure costs. Names and defaults are Keystone's. Each has a
// file of its own.
import { checkPassword, matchesSecret } from './check.rules.ts';
import type { PasswordDeps } from './deps.ts';
import { createHashing } from './hashing.ts';
import { misfit, preparePassword, storePassword } from './new-password.rules.ts';
import { deletePasswords, findPassword, forgetFailures } from './passwords.store.ts';
import type { Passwords } from './passwords.ts';
import { createPauses } from './pauses.ts';

export function createPasswords(given: Omit<PasswordDeps, 'hashing' | 'pauses'> & { readonly rateLimits: boolean }): Passwords {
  const hashing = createHashing(given.config);
  const pauses = createPauses(given);
  const deps: PasswordDeps = { ...given, hashing, pauses };
  return {
    misfit: (password) => misfit(given.config, password),
    prepare: (password, by, user, place) => preparePassword(deps, password, by, user, place),
    store: (change, userId, password) => storePassword(deps, change, userId, password),
    remove: ({ tx }, userId) => deletePasswords(tx, userId, Number.MAX_SAFE_INTEGER),
    unlock: ({ tx }, userId) => forgetFailures(tx, userId),
    check: (password, meant, by) => checkPassword(deps, password, meant, by),
    async isOf(userId, password) {
      const row = await findPassword(deps.db.read, userId);
      return row !== undefined && hashing.verify(password, row.hash);
    },
    hash: (secret, place) => hashing.queue.run(place, () => hashing.hash(secret)),
    matches: (secret, account, by, expected) => matchesSecret(deps, secret, account, by, expected),
    sweep: () => pauses.sweep(),
    settled: () => hashing.queue.settled(),
    get waiting() {
      return hashing.queue.waiting;
    },
    get hashed() {
      return hashing.begun;
    },
  };
}
