// argon2id hashes in PHC format. Node computes them off the event loop.
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
    // NFC, since keyboards encode the same letters differently.
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

/** A random hash. Checking against it takes as long as checking against that of a user. */
export const dummyHash = (cost: Argon2Cost): string => phcOf(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES), cost);

/** Those of other systems are in hash-forms/. */
export const isOurs = (hash: string): boolean => PHC.test(hash);

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const match = PHC.exec(phc);
  if (!match) return false;
  const [, memory, passes, salt, expected] = match as unknown as [string, string, string, string, string];
  const expectedHash = Buffer.from(expected, 'base64');
  const hash = await derive(password, Buffer.from(salt, 'base64'), expectedHash.length, {
    memory: Number(memory),
    passes: Number(passes),
  });
  return timingSafeEqual(hash, expectedHash);
}

/** Made with other parameters than the current ones, so it is replaced at the next login. */
export function isOutdated(phc: string, { memory, passes }: Argon2Cost): boolean {
  return !phc.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=1$`);
}
