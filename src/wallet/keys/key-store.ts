// Where private keys live. The rules know this much of it; which one a key is in stands in its row (`storage`).
import type { KeyObject } from 'node:crypto';
import type { Algorithm, PublicJwk } from '../jose/index.ts';

export const STORAGES = ['software', 'pkcs11'] as const;
export type Storage = (typeof STORAGES)[number];

/** Whose key it is and which one: what is kept of it is bound to both, and opens nowhere else. */
export interface KeyPlace {
  readonly owner: string;
  readonly keyId: string;
}

/** What the row of a key keeps for its store: nothing in it tells the private key. */
export interface KeptKey {
  /** The data key, sealed under the master key; without it `material` is noise. Null where the store needs none. */
  readonly wrappedKey: string | null;
  /** The private key under its data key, or the handle of it in a device. */
  readonly material: string;
}

export interface NewKey {
  readonly publicJwk: PublicJwk;
  readonly kept: KeptKey;
}

export interface KeyStore {
  readonly algorithms: readonly Algorithm[];
  generate(algorithm: Algorithm, place: KeyPlace): Promise<NewKey>;
  /** Undefined where keys cannot be brought from outside. */
  readonly take?: (privateKey: KeyObject, place: KeyPlace) => Promise<NewKey>;
  /** The signature over the data, in JOSE's form. */
  sign(kept: KeptKey, algorithm: Algorithm, place: KeyPlace, data: Buffer): Promise<Buffer>;
  /** After the row forgot the key: what is outside the database goes too. Not being there any more is fine. */
  destroy(kept: KeptKey, place: KeyPlace): Promise<void>;
  /** What is kept, under the master key in force; undefined when it is already, or needs none. */
  rewrap(kept: KeptKey, place: KeyPlace): KeptKey | undefined;
  close(): Promise<void>;
}
