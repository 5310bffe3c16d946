// Passwords: checked against rules, stored as argon2id hashes, verified in a fair queue.
export { createPasswords } from './passwords.rules.ts';
export type { Guesser, GuessLimit, NewPassword, PasswordCheck, PasswordOptions, Passwords, SecretPlace } from './passwords.ts';
