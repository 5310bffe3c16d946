// argon2 of other systems: with parameters that ours do not have, and not of this service's costs. Keycloak's are written in this form when
// they are imported.
import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { isSame, LEAST_BYTES, nothing } from './encodings.ts';
import type { HashForm } from './form.ts';

const derive = promisify(argon2);

const HASH = /^\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([+/A-Za-z0-9]{11,})\$([+/A-Za-z0-9]{6,700})$/;
const MOST_MEMORY = 256 * 1024;
/** KiB, over all passes. */
const MOST_WORK = 1024 * 1024;

export const argon2Form: HashForm = {
  name: 'argon2',
  begins: /^\$argon2/,
  read(hash) {
    const match = HASH.exec(hash);
    if (!match) return undefined;
    const [, algorithm, m, t, p, salt, expected] = match as unknown as readonly [string, 'argon2id', ...string[]];
    const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
    const bytes = Buffer.from(expected!, 'base64');
    if (passes < 1 || parallelism < 1 || memory < 8 * parallelism || bytes.length < LEAST_BYTES) return undefined;
    const nonce = Buffer.from(salt!, 'base64');
    return {
      cost: Math.max(memory / MOST_MEMORY, (memory * passes) / MOST_WORK),
      standIn: `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${nothing(22)}$${nothing(expected!.length)}`,
      async fits(password) {
        const message = Buffer.from(password);
        return isSame(await derive(algorithm, { message, nonce, parallelism, tagLength: bytes.length, memory, passes }), bytes);
      },
    };
  },
};
