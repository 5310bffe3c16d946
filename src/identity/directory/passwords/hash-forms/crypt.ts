// Hashes of crypt(3) with SHA-2.
import { isSame, nothing } from './encodings.ts';
import type { HashForm } from './form.ts';
import { slowHash } from './slow-hashes.ts';

const HASH = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$:\n]{0,16})\$([./A-Za-z0-9]{43}(?:[./A-Za-z0-9]{43})?)$/;
const DEFAULT_ROUNDS = 5000;
const LEAST_ROUNDS = 1000;
/** About three seconds in JavaScript, which passlib's default of 656,000 takes already. */
const MOST_ROUNDS = 700_000;
/** Bytes. Each round reads the whole password, so a long one would take minutes, whatever the hash says. crypt(3) takes no longer one. */
const LONGEST_PASSWORD = 512;

export const cryptForm: HashForm = {
  name: 'SHA-crypt',
  begins: /^\$[56]\$/,
  read(hash) {
    const match = HASH.exec(hash);
    if (!match) return undefined;
    const [, kind, asked, salt, expected] = match as unknown as readonly [string, '5' | '6', string | undefined, string, string];
    const algorithm = kind === '5' ? 'sha256' : 'sha512';
    if (expected.length !== (kind === '5' ? 43 : 86)) return undefined;
    const rounds = Math.max(LEAST_ROUNDS, asked === undefined ? DEFAULT_ROUNDS : Number(asked));
    return {
      cost: rounds / MOST_ROUNDS,
      standIn: `$${kind}$rounds=${rounds}$${nothing(16, '.')}$${nothing(expected.length, '.')}`,
      async fits(password) {
        if (Buffer.byteLength(password) > LONGEST_PASSWORD) return false;
        return isSame(Buffer.from(await slowHash({ algorithm, password, salt, rounds })), Buffer.from(expected));
      },
    };
  },
};
