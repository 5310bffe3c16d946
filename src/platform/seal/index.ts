// Encrypts secrets at rest: AES-256-GCM under a key derived from the master key, bound to the row and column they are stored in.
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
  /** The context is associated data: a sealed text copied to another row or column cannot be opened. */
  seal(plain: Buffer, context: string): string;
  open(sealed: string, context: string): Buffer;
}

interface MasterKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The text was sealed under a master key that is not configured. */
export class UnknownMasterKey extends Error {}

/** The sealed text was changed, or belongs to another row or column. */
export class DamagedSeal extends Error {
  constructor(context: string, options?: ErrorOptions) {
    super(`the secret sealed as ${context} is damaged and cannot be decrypted`, options);
  }
}

export function newMasterKey(): string {
  return randomBytes(32).toString('base64url');
}

function parseMasterKey(text: string): MasterKey {
  const bytes = Buffer.from(text.trim(), 'base64url');
  if (bytes.length !== 32) throw new Error('must be 32 bytes in base64url');
  const derived = hkdfSync('sha256', bytes, '', 'gatehouse seal v1', 32);
  // The id is a fingerprint of the key. A sealed text names its key, so that a wrong master key can be told from damage.
  const id = createHash('sha256').update('gatehouse master key id').update(bytes).digest('base64url').slice(0, 8);
  return { id, key: createSecretKey(Buffer.from(derived)) };
}

function parseMasterKeys(texts: readonly string[]): [all: readonly MasterKey[], current: MasterKey] {
  const keys = texts.map(parseMasterKey);
  const [current] = keys;
  if (!current) throw new Error('a master key is needed');
  return [keys, current];
}

function decrypt(key: KeyObject, bytes: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** The id of a key; undefined if the text is no key. */
export function masterKeyId(text: string): string | undefined {
  try {
    return parseMasterKey(text).id;
  } catch {
    return undefined;
  }
}

export interface MasterSeal extends Seal {
  /** The id of the key that seals. */
  readonly keyId: string;
  /** From here on these keys are used: the first seals, and any of them opens. */
  use(masterKeys: readonly string[]): void;
}

/** Seals with the first key and opens with any of them, so that the key can be rotated while the service runs. */
export function createSeal(masterKeys: readonly string[]): MasterSeal {
  let [keys, current] = parseMasterKeys(masterKeys);
  return {
    get keyId() {
      return current.id;
    },
    use(others) {
      [keys, current] = parseMasterKeys(others);
    },
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(Buffer.from(context));
      const bytes = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${current.id}.${bytes.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, keyId, text] = sealed.split('.');
      const master = keys.find((one) => one.id === keyId);
      if (version !== VERSION || !text) throw new DamagedSeal(context);
      if (!master) throw new UnknownMasterKey(`sealed under master key ${keyId}, which was not given`);
      const bytes = Buffer.from(text, 'base64url');
      try {
        return decrypt(master.key, bytes, context);
      } catch (error) {
        throw new DamagedSeal(context, { cause: error });
      }
    },
  };
}

export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}
