// PBKDF2 as passlib writes it: of Keystone, and of Keycloak, whose hashes are written in this form when they are imported.
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { adaptedBase64, isSame, LEAST_BYTES, nothing } from './encodings.ts';
import type { HashForm } from './form.ts';

const derive = promisify(pbkdf2);

const HASH = /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,8})\$([./A-Za-z0-9]*)\$([./A-Za-z0-9]{1,700})$/;
/** About a second. The most that Keycloak has as its default is 1,300,000, with SHA-1. */
const MOST_ROUNDS = 3_000_000;

export const pbkdf2Form: HashForm = {
  name: 'PBKDF2',
  begins: /^\$pbkdf2/,
  read(hash) {
    const match = HASH.exec(hash);
    if (!match) return undefined;
    const [, digest = 'sha1', rounds, salt, expected] = match as unknown as [string, string | undefined, string, string, string];
    const bytes = adaptedBase64(expected);
    if (Number(rounds) < 1 || bytes.length < LEAST_BYTES) return undefined;

    // Each block of the result costs all rounds again.
    const blocks = Math.ceil(bytes.length / BLOCK_BYTES[digest as keyof typeof BLOCK_BYTES]);
    return {
      cost: (Number(rounds) * blocks) / MOST_ROUNDS,
      standIn: `$pbkdf2${digest === 'sha1' ? '' : `-${digest}`}$${rounds}$${nothing(22, '.')}$${nothing(expected.length, '.')}`,
      fits: async (password) => isSame(await derive(password, adaptedBase64(salt), Number(rounds), bytes.length, digest), bytes),
    };
  },
};

const BLOCK_BYTES = { sha1: 20, sha256: 32, sha512: 64 };

/** The text of a hash in this form. */
export const pbkdf2Text = (
  digest: keyof typeof BLOCK_BYTES,
  { rounds, salt, hash }: { readonly rounds: number; readonly salt: Buffer; readonly hash: Buffer },
): string => {
  const written = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '').replaceAll('+', '.');
  return `$pbkdf2${digest === 'sha1' ? '' : `-${digest}`}$${rounds}$${written(salt)}$${written(hash)}`;
};
