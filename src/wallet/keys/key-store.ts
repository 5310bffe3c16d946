// Where private keys live. The rules know this much of it; which one a key is in stands in its row (`storage`).
import type { KeyObject } from 'node:crypto';
import type { Algorithm, PublicJwk } from '../jose/index.ts';

export const STORAGES = ['software', 'pkcs11'] as const;
export type KeyStorage = (typeof STORAGES)[number];

/** Whose key it is and which one: what is kept of it is bound to both, and opens nowhere else. */
export interface KeyIdentity {
  readonly owner: string;
  readonly keyId: string;
}

/** What the row of a key keeps for its store: nothing in it tells the private key. */
export interface StoredKey {
  /** The data key, sealed under the master key; without it `material` is noise. Null where the store needs none. */
  readonly wrappedKey: string | null;
  /** The private key under its data key, or the handle of it in a device. */
  readonly material: string;
}

export interface CreatedKey {
  readonly publicJwk: PublicJwk;
  readonly stored: StoredKey;
}

export interface KeyStore {
  readonly algorithms: readonly Algorithm[];
  generate(algorithm: Algorithm, identity: KeyIdentity): Promise<CreatedKey>;
  /** Undefined where keys cannot be brought from outside. */
  readonly importPrivateKey?: (privateKey: KeyObject, identity: KeyIdentity) => Promise<CreatedKey>;
  /** The signature over the data, in JOSE's form. */
  sign(stored: StoredKey, algorithm: Algorithm, identity: KeyIdentity, data: Buffer): Promise<Buffer>;
  /** After the row forgot the key: what is outside the database goes too. Not being there any more is fine. */
  destroy(stored: StoredKey, identity: KeyIdentity): Promise<void>;
  /** What is kept, under the master key in force; undefined when it is already, or needs none. */
  rewrap(stored: StoredKey, identity: KeyIdentity): StoredKey | undefined;
  close(): Promise<void>;
}
