// Secrets at rest: sealed with AES-256-GCM under a key derived from the master key, bound to the place they are kept in.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Seal {
  /** The place is associated data: a sealed text copied to another row or column does not open. */
  seal(plain: Buffer, place: string): string;
  open(sealed: string, place: string): Buffer;
}

interface MasterKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** It was sealed under a key that was not given. */
export class UnknownMasterKey extends Error {}

/** It was changed after it was sealed, or belongs to another place. */
export class DamagedSeal extends Error {
  constructor(place: string, options?: ErrorOptions) {
    super(`what is sealed as ${place} is damaged: it does not open`, options);
  }
}

export function newMasterKey(): string {
  return randomBytes(32).toString('base64url');
}

function parseMasterKey(text: string): MasterKey {
  const bytes = Buffer.from(text.trim(), 'base64url');
  if (bytes.length !== 32) throw new Error('must be 32 bytes in base64url');
  const derived = hkdfSync('sha256', bytes, '', 'gatehouse seal v1', 32);
  // The id is a fingerprint, so that a sealed text names its key and a wrong master key is told from damage.
  const id = createHash('sha256').update('gatehouse master key id').update(bytes).digest('base64url').slice(0, 8);
  return { id, key: createSecretKey(Buffer.from(derived)) };
}

function decrypt(key: KeyObject, bytes: Buffer, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** Seals with the first key; opens with any of them, so that a rotation can go on while the service runs. */
export function createSeal(masterKeys: readonly string[]): Seal & { readonly keyId: string } {
  const keys = masterKeys.map(parseMasterKey);
  const current = keys[0];
  if (!current) throw new Error('a master key is needed');
  return {
    keyId: current.id,
    seal(plain, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(Buffer.from(place));
      const bytes = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${current.id}.${bytes.toString('base64url')}`;
    },
    open(sealed, place) {
      const [version, keyId, text] = sealed.split('.');
      const master = keys.find((one) => one.id === keyId);
      if (version !== VERSION || !text) throw new DamagedSeal(place);
      if (!master) throw new UnknownMasterKey(`sealed under master key ${keyId}, which was not given`);
      const bytes = Buffer.from(text, 'base64url');
      try {
        return decrypt(master.key, bytes, place);
      } catch (error) {
        throw new DamagedSeal(place, { cause: error });
      }
    },
  };
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}
