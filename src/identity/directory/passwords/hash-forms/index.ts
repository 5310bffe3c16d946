// Password hashes that were imported from other systems. They are verified here until the first good login, which replaces them by ours.
import { argon2Form } from './argon2.ts';
import { bcrypt, bcryptSha256 } from './bcrypt.ts';
import { cryptForm } from './crypt.ts';
import { keyrockDigest, ldapDigest } from './digest.ts';
import type { HashForm, ReadHash } from './form.ts';
import { pbkdf2Form } from './pbkdf2.ts';
import { scryptForm } from './scrypt.ts';

export { pbkdf2Text } from './pbkdf2.ts';

export const HASH_FORMS: readonly HashForm[] = [
  bcrypt,
  bcryptSha256,
  pbkdf2Form,
  scryptForm,
  argon2Form,
  cryptForm,
  ldapDigest,
  keyrockDigest,
];

/** The longest text of a hash that is read. */
const LONGEST = 2000;
/** LDAP directories put this before hashes of crypt(3) and others. */
const PREFIX = /^\{(?:CRYPT|BCRYPT|ARGON2|PBKDF2[\w-]*)\}(?=\$)/i;

export type HashProblem = 'unknown' | 'damaged' | 'costly';

/** As it is stored. */
export interface ImportedHash {
  readonly hash: string;
  /** For people. */
  readonly form: string;
  readonly standIn: string | undefined;
}

/** Or why it is not taken. */
export function importedHash(text: string): ImportedHash | { readonly problem: HashProblem } {
  const hash = text.trim().replace(PREFIX, '');
  const form = hash.length <= LONGEST ? formOf(hash) : undefined;
  if (!form) return { problem: 'unknown' };
  const read = form.read(hash);
  if (!read) return { problem: 'damaged' };
  return read.cost > 1 ? { problem: 'costly' } : { hash, form: form.name, standIn: read.standIn };
}

const formOf = (hash: string): HashForm | undefined => HASH_FORMS.find(({ begins }) => begins.test(hash));

/** Undefined if it is of no form. What costs too much was stored by nobody, and is not computed. */
export function readHash(hash: string): ReadHash | undefined {
  const read = formOf(hash)?.read(hash);
  return read && read.cost <= 1 ? read : undefined;
}
