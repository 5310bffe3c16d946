// Passwords: accepted by rules, kept as argon2id hashes, checked one after the other in a line that is fair.
export {
  createPasswords,
  type Guesser,
  type Meant,
  type NewPassword,
  type PasswordCheck,
  type PasswordOptions,
  type Passwords,
} from './passwords.rules.ts';
