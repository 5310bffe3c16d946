// Passwords: checked against rules, stored as argon2id hashes, verified in a fair queue. Hashes of other systems: hash-forms/.

export type { LockOuts } from './deps.ts';
export { type ImportedPassword, importedSecret, type PasswordsOfUser, readImported } from './imported.rules.ts';
export { createPasswords } from './passwords.rules.ts';
export type {
  Guesser,
  GuessLimit,
  LockOutFilter,
  NewPassword,
  PasswordCheck,
  PasswordOptions,
  Passwords,
  SecretPlace,
} from './passwords.ts';
