// Passwords: accepted by rules, kept as argon2id hashes, checked one after the other in a line that is fair.
export { createPasswords } from './passwords.rules.ts';
export type { Guesser, Meant, NewPassword, PasswordCheck, PasswordOptions, Passwords } from './passwords.ts';
