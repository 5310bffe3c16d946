// argon2id hashes in PHC form, computed off the event loop by the platform.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Argon2Cost {
  /** KiB */
  readonly memory: number;
  readonly passes: number;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

function derive(password: string, nonce: Buffer, tagLength: number, { memory, passes }: Argon2Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Two spellings of the same letters are the same password (NFC), whichever keyboard typed them.
    const message = Buffer.from(password.normalize('NFC'));
    argon2('argon2id', { message, nonce, parallelism: 1, tagLength, memory, passes }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}

const phcOf = (salt: Buffer, hash: Buffer, { memory, passes }: Argon2Cost): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(salt)}$${base64(hash)}`;

export async function hashPassword(password: string, cost: Argon2Cost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phcOf(salt, await derive(password, salt, HASH_BYTES, cost), cost);
}

/** A hash no password is known to give: to check against it costs as much as to check against somebody's. */
export const hashOfNobody = (cost: Argon2Cost): string => phcOf(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES), cost);

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const match = PHC.exec(phc);
  if (!match) return false;
  const [, memory, passes, salt, expected] = match as unknown as [string, string, string, string, string];
  const wanted = Buffer.from(expected, 'base64');
  const hash = await derive(password, Buffer.from(salt, 'base64'), wanted.length, {
    memory: Number(memory),
    passes: Number(passes),
  });
  return timingSafeEqual(hash, wanted);
}

/** Made with other parameters than those in force: to be hashed again at the next login. */
export function isOutdated(phc: string, { memory, passes }: Argon2Cost): boolean {
  return !phc.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=1$`);
}
