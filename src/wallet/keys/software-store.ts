// Private keys in the database, each under a data key of its own, which is sealed under the master key. Forgetting the data key
// forgets the key (crypto-shredding); a new master key re-seals data keys only.
import { createCipheriv, createDecipheriv, createPrivateKey, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { keyIdOf, type Seal } from '../../platform/seal/index.ts';
import { ALGORITHMS, generatePair, publicJwkOf, signWith } from '../jose/index.ts';
import type { KeptKey, KeyPlace, KeyStore, NewKey } from './key-store.ts';

const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Owner, key, purpose, version: a row copied to another owner or under another id does not open. */
const placeOf = ({ owner, keyId }: KeyPlace, purpose: 'data key' | 'private key'): string =>
  `wallet|${owner}|${keyId}|${purpose}|${VERSION}`;

function encrypt(dataKey: Buffer, plain: Buffer, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(dataKey), nonce);
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(dataKey: Buffer, text: string, place: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const key = createSecretKey(dataKey);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

export function createSoftwareStore(seal: Seal & { readonly keyId: string }): KeyStore {
  async function take(privateKey: KeyObject, place: KeyPlace): Promise<NewKey> {
    const dataKey = randomBytes(KEY_BYTES);
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    try {
      const kept: KeptKey = {
        wrappedKey: seal.seal(dataKey, placeOf(place, 'data key')),
        material: encrypt(dataKey, plain, placeOf(place, 'private key')),
      };
      return { publicJwk: publicJwkOf(privateKey), kept };
    } finally {
      dataKey.fill(0);
      plain.fill(0);
    }
  }

  function open({ wrappedKey, material }: KeptKey, place: KeyPlace): KeyObject {
    const dataKey = seal.open(wrappedKey!, placeOf(place, 'data key'));
    const plain = decrypt(dataKey, material, placeOf(place, 'private key'));
    try {
      return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
    } finally {
      dataKey.fill(0);
      plain.fill(0);
    }
  }

  return {
    algorithms: ALGORITHMS,
    take,
    generate: async (algorithm, place) => take(await generatePair(algorithm), place),
    sign: async (kept, algorithm, place, data) => signWith(open(kept, place), algorithm, data),
    rewrap(kept, place) {
      if (kept.wrappedKey === null || keyIdOf(kept.wrappedKey) === seal.keyId) return undefined;
      const dataKey = seal.open(kept.wrappedKey, placeOf(place, 'data key'));
      try {
        return { ...kept, wrappedKey: seal.seal(dataKey, placeOf(place, 'data key')) };
      } finally {
        dataKey.fill(0);
      }
    },
    // Everything of it is in the row.
    async destroy() {},
    async close() {},
  };
}
