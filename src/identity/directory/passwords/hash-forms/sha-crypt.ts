// crypt(3) with SHA-256 and SHA-512: `$5$` and `$6$` of Unix, of LDAP directories, and of Keystone before 2017. The steps are numbered as in
// the specification (Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512").
import { createHash } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Which bytes of the digest make the letters, three bytes to four letters. */
const ORDER = {
  sha256: [0, 10, 20, 21, 1, 11, 12, 22, 2, 3, 13, 23, 24, 4, 14, 15, 25, 5, 6, 16, 26, 27, 7, 17, 18, 28, 8, 9, 19, 29],
  sha512: [
    0, 21, 42, 22, 43, 1, 44, 2, 23, 3, 24, 45, 25, 46, 4, 47, 5, 26, 6, 27, 48, 28, 49, 7, 50, 8, 29, 9, 30, 51, 31, 52, 10, 53,
    11, 32, 12, 33, 54, 34, 55, 13, 56, 14, 35, 15, 36, 57, 37, 58, 16, 59, 17, 38, 18, 39, 60, 40, 61, 19, 62, 20, 41,
  ],
};
/** The bytes at the end, which are no three. */
const REST = { sha256: [31, 30], sha512: [63] };

type Algorithm = keyof typeof ORDER;

/** The letters of a number, the lowest six bits first. */
function letters(value: number, count: number): string {
  let text = '';
  for (let rest = value, at = 0; at < count; at++, rest >>= 6) text += ALPHABET[rest & 63];
  return text;
}

function textOf(algorithm: Algorithm, digest: Buffer): string {
  const order = ORDER[algorithm];
  let text = '';
  for (let at = 0; at < order.length; at += 3)
    text += letters((digest[order[at]!]! << 16) | (digest[order[at + 1]!]! << 8) | digest[order[at + 2]!]!, 4);
  const rest = REST[algorithm];
  const value = rest.reduce((sum, at) => (sum << 8) | digest[at]!, 0);
  return text + letters(value, rest.length + 1);
}

/** So many bytes, repeated from these. */
const repeated = (bytes: Buffer, length: number): Buffer => Buffer.alloc(length, bytes);

export function shaCrypt(algorithm: Algorithm, password: string, saltText: string, rounds: number): string {
  const [key, salt] = [Buffer.from(password), Buffer.from(saltText)];
  const digestOf = (...parts: readonly Buffer[]): Buffer => createHash(algorithm).update(Buffer.concat(parts)).digest();

  // 4 to 8: digest B.
  const b = digestOf(key, salt, key);
  // 9 to 12: digest A. The bits of the length of the key, the lowest first, say what is added: B or the key.
  const byBits: Buffer[] = [];
  for (let bits = key.length; bits > 0; bits >>= 1) byBits.push(bits & 1 ? b : key);
  const a = digestOf(key, salt, key.length > 0 ? repeated(b, key.length) : Buffer.alloc(0), ...byBits);
  // 13 to 16: P, from the key as often as it is long.
  const p = key.length > 0 ? repeated(digestOf(...Array<Buffer>(key.length).fill(key)), key.length) : key;
  // 17 to 20: S, from the salt.
  const s = salt.length > 0 ? repeated(digestOf(...Array<Buffer>(16 + a[0]!).fill(salt)), salt.length) : salt;
  // 21: the rounds.
  let c = a;
  for (let round = 0; round < rounds; round++) {
    const hash = createHash(algorithm).update(round % 2 === 1 ? p : c);
    if (round % 3 !== 0) hash.update(s);
    if (round % 7 !== 0) hash.update(p);
    c = hash.update(round % 2 === 1 ? c : p).digest();
  }
  return textOf(algorithm, c);
}
