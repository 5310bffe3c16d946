// bcrypt: of Keystone, of most other systems, and as passlib extends it to long passwords (bcrypt-sha256).
import { createHash, createHmac } from 'node:crypto';
import { isSame, nothing } from './encodings.ts';
import type { HashForm, ReadHash } from './form.ts';
import { slowHash } from './slow-hashes.ts';

/** The hash takes twice as long with each. Some seconds in JavaScript; Keystone's default is 12. */
const MOST_ROUNDS = 14;
const LEAST_ROUNDS = 4;

/** `2x` is of an implementation with a fault, and differs. */
const HASH = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const EXTENDED = /^\$bcrypt-sha256\$(?:v=2,t=(2[by]),r=|(2[aby]),)(\d{1,2})\$([./A-Za-z0-9]{22})\$([./A-Za-z0-9]{31})$/;

function bcryptHash(rounds: number, salt: string, expected: string, keyOf: (password: string) => string): ReadHash | undefined {
  if (rounds < LEAST_ROUNDS) return undefined;
  // The variants differ for no password that a person types: in the name of a mended fault.
  const parameters = `$2b$${String(rounds).padStart(2, '0')}$${salt}`;
  return {
    cost: 2 ** (rounds - MOST_ROUNDS),
    // The digest that makes a long password short takes no time beside it.
    standIn: `${parameters.slice(0, 7)}${nothing(22, '.')}${nothing(31, '.')}`,
    async fits(password) {
      const hash = await slowHash({ algorithm: 'bcrypt', password: keyOf(password), salt: parameters });
      return isSame(Buffer.from(hash.slice(-expected.length)), Buffer.from(expected));
    },
  };
}

export const bcrypt: HashForm = {
  name: 'bcrypt',
  begins: /^\$2[abxy]\$/,
  read(hash) {
    const match = HASH.exec(hash);
    if (!match) return undefined;
    const [, rounds, salt, expected] = match as unknown as [string, string, string, string];
    return bcryptHash(Number(rounds), salt, expected, (password) => password);
  },
};

export const bcryptSha256: HashForm = {
  name: 'bcrypt-sha256',
  begins: /^\$bcrypt-sha256\$/,
  read(hash) {
    const match = EXTENDED.exec(hash);
    if (!match) return undefined;
    const [, second, , rounds, salt, expected] = match as unknown as [string, string | undefined, string, string, string, string];
    // The second version has a key, so that the digest cannot be looked up in a list of known ones.
    const keyOf = (password: string): string =>
      (second ? createHmac('sha256', salt) : createHash('sha256')).update(password).digest('base64');
    return bcryptHash(Number(rounds), salt, expected, keyOf);
  },
};
