// Passwords: accepted by rules, kept as argon2id hashes, checked in a bounded number of slots.
export {
  createPasswords,
  type NewPassword,
  type PasswordCheck,
  type PasswordOptions,
  type Passwords,
} from './passwords.rules.ts';
