// Single digests: of LDAP directories (RFC 3112 and what OpenLDAP has besides), and of Keyrock. Whoever has them finds most passwords in no
// time, so it is good that they go with the first login.
import { createHash, createHmac } from 'node:crypto';
import { isSame } from './encodings.ts';
import type { HashForm } from './form.ts';

const LDAP = /^\{S?(SHA|SHA256|SHA384|SHA512|MD5)\}([+/A-Za-z0-9]+={0,2})$/i;
const ALGORITHMS = new Map([
  ['SHA', { algorithm: 'sha1', bytes: 20 }],
  ['SHA256', { algorithm: 'sha256', bytes: 32 }],
  ['SHA384', { algorithm: 'sha384', bytes: 48 }],
  ['SHA512', { algorithm: 'sha512', bytes: 64 }],
  ['MD5', { algorithm: 'md5', bytes: 16 }],
]);
const LONGEST_SALT = 64;

export const ldapDigest: HashForm = {
  name: 'LDAP digest',
  begins: /^\{S?(?:SHA|MD5)/i,
  read(hash) {
    const match = LDAP.exec(hash);
    if (!match) return undefined;
    const isSalted = /^\{S(?:SHA|MD5)/i.test(hash);
    const { algorithm, bytes } = ALGORITHMS.get(match[1]!.toUpperCase())!;
    const value = Buffer.from(match[2]!, 'base64');
    const saltLength = value.length - bytes;
    if (saltLength < 0 || saltLength > LONGEST_SALT || saltLength > 0 !== isSalted) return undefined;
    const [expected, salt] = [value.subarray(0, bytes), value.subarray(bytes)];
    return {
      cost: 0,
      standIn: undefined,
      fits: async (password) => isSame(createHash(algorithm).update(password).update(salt).digest(), expected),
    };
  },
};

/** The form is ours: Keyrock stores hash and salt in two columns. */
const KEYROCK = /^\$keyrock-hmac-sha1\$([A-Za-z0-9_-]{0,172})\$([0-9a-f]{40})$/;

export const keyrockDigest: HashForm = {
  name: 'Keyrock digest',
  begins: /^\$keyrock-/,
  read(hash) {
    const match = KEYROCK.exec(hash);
    if (!match) return undefined;
    const [salt, expected] = [Buffer.from(match[1]!, 'base64url').toString(), Buffer.from(match[2]!, 'hex')];
    return {
      cost: 0,
      standIn: undefined,
      fits: async (password) => isSame(createHmac('sha1', salt).update(password).digest(), expected),
    };
  },
};
