// The interface of stores for private keys. The column `storage` says which store a key is in.
import type { KeyObject } from 'node:crypto';
import type { Algorithm, PublicJwk } from '../../verifiable/jose/index.ts';

export const STORAGES = ['software', 'pkcs11'] as const;
export type KeyStorage = (typeof STORAGES)[number];

/** Owner and id of a key. The stored key is bound to both, and cannot be used in another row. */
export interface KeyIdentity {
  readonly owner: string;
  readonly keyId: string;
}

/** The part of a key row that belongs to its store. It does not reveal the private key. */
export interface StoredKey {
  /** The data key, sealed under the master key; `material` cannot be decrypted without it. Null if the store needs none. */
  readonly wrappedKey: string | null;
  /** The private key encrypted with its data key, or its handle in a device. */
  readonly material: string;
}

export interface CreatedKey {
  readonly publicJwk: PublicJwk;
  readonly stored: StoredKey;
}

export interface KeyStore {
  readonly algorithms: readonly Algorithm[];
  generate(algorithm: Algorithm, identity: KeyIdentity): Promise<CreatedKey>;
  /** Undefined if the store cannot import keys. */
  readonly importPrivateKey?: (privateKey: KeyObject, identity: KeyIdentity) => Promise<CreatedKey>;
  /** The signature over the data, in JOSE's form. */
  sign(stored: StoredKey, algorithm: Algorithm, identity: KeyIdentity, data: Buffer): Promise<Buffer>;
  /** Removes what is outside the database. It is not an error if it is already gone. */
  destroy(stored: StoredKey, identity: KeyIdentity): Promise<void>;
  close(): Promise<void>;
}
