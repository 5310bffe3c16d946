// scrypt as passlib writes it, of Keystone.
import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { isSame, LEAST_BYTES, nothing } from './encodings.ts';
import type { HashForm } from './form.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const HASH = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([+/A-Za-z0-9]*)\$([+/A-Za-z0-9]{1,700})$/;
/** Keystone's default takes 64 MiB. */
const MOST_MEMORY = 128 * 1024 ** 2;
/** Passes over all that memory. */
const MOST_PASSES = 4;

export const scryptForm: HashForm = {
  name: 'scrypt',
  begins: /^\$scrypt\$/,
  read(hash) {
    const match = HASH.exec(hash);
    if (!match) return undefined;
    const [, log, blockSize, parallelization, salt, expected] = match as unknown as [string, ...string[]] & {
      readonly [at: number]: string;
    };
    const [N, r, p] = [2 ** Number(log), Number(blockSize), Number(parallelization)];

    const memory = 128 * r * N;
    const bytes = Buffer.from(expected!, 'base64');
    // The second is of RFC 7914, 2.
    if (N < 2 || N >= 2 ** (16 * r) || r < 1 || p < 1 || bytes.length < LEAST_BYTES) return undefined;
    const options = { N, r, p, maxmem: memory + 128 * r * (p + 4) };
    return {
      cost: Math.max(memory / MOST_MEMORY, (memory * p) / (MOST_MEMORY * MOST_PASSES)),
      standIn: `$scrypt$ln=${Number(log)},r=${r},p=${p}$${nothing(22)}$${nothing(expected!.length)}`,
      fits: async (password) => isSame(await derive(password, Buffer.from(salt!, 'base64'), bytes.length, options), bytes),
    };
  },
};
