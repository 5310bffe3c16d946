// Private keys in the database, each encrypted with its own data key, which is sealed under the master key. Deleting the data key
// destroys the key (crypto-shredding). A new master key reseals only the data keys.
import { createCipheriv, createDecipheriv, createPrivateKey, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Seal } from '../../platform/seal/index.ts';
import { ALGORITHMS, generatePair, publicJwkOf, signWith } from '../../verifiable/jose/index.ts';
import type { CreatedKey, KeyIdentity, KeyStore, StoredKey } from './key-store.ts';

const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Binds the ciphertext to owner, key, purpose and version, so that it cannot be used in another row. */
const sealContext = ({ owner, keyId }: KeyIdentity, purpose: 'data key' | 'private key'): string =>
  `wallet|${owner}|${keyId}|${purpose}|${VERSION}`;

/** The context of a sealed data key. */
export const dataKeySealContext = (identity: KeyIdentity): string => sealContext(identity, 'data key');

function encrypt(dataKey: Buffer, plain: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(dataKey), nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(dataKey: Buffer, text: string, context: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  const key = createSecretKey(dataKey);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

export function createSoftwareStore(seal: Seal): KeyStore {
  async function importPrivateKey(privateKey: KeyObject, identity: KeyIdentity): Promise<CreatedKey> {
    const dataKey = randomBytes(KEY_BYTES);
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    try {
      const stored: StoredKey = {
        wrappedKey: seal.seal(dataKey, dataKeySealContext(identity)),
        material: encrypt(dataKey, plain, sealContext(identity, 'private key')),
      };
      return { publicJwk: publicJwkOf(privateKey), stored };
    } finally {
      dataKey.fill(0);
      plain.fill(0);
    }
  }

  function open({ wrappedKey, material }: StoredKey, identity: KeyIdentity): KeyObject {
    const dataKey = seal.open(wrappedKey!, dataKeySealContext(identity));
    const plain = decrypt(dataKey, material, sealContext(identity, 'private key'));
    try {
      return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
    } finally {
      dataKey.fill(0);
      plain.fill(0);
    }
  }

  return {
    algorithms: ALGORITHMS,
    importPrivateKey,
    generate: async (algorithm, identity) => importPrivateKey(await generatePair(algorithm), identity),
    sign: async (stored, algorithm, identity, data) => signWith(open(stored, identity), algorithm, data),
    // Everything is in the row.
    async destroy() {},
    async close() {},
  };
}
