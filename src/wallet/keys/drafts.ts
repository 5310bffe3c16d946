// Keys that are in their key store but not yet in the database: generated or imported before the change that registers them.
import type { Clock } from '../../platform/clock.ts';
import { newUlid } from '../../platform/ids.ts';
import { ALGORITHMS, type Algorithm } from '../../verifiable/jose/index.ts';
import type { KeyRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { createSlowKeys, type KeyRequester } from './generation.ts';
import { importKey } from './import.ts';
import type { CreatedKey, KeyStorage, KeyStore, StoredKey } from './key-store.ts';
import type { NewKey } from './keys.schema.ts';

export type KeyStores = Readonly<Partial<Record<KeyStorage, KeyStore>>> & { readonly software: KeyStore };

export interface KeyDraft {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly storage: KeyStorage;
  readonly created: CreatedKey;
}

export function parseAlgorithm(name: string): Algorithm {
  const found = ALGORITHMS.find((one) => one === name);
  return found ?? fail('unsupported-algorithm', { algorithm: name, why: `; there are ${ALGORITHMS.join(', ')}` });
}

/** The part of a key row that belongs to its key store. */
export const storedKeyOf = ({ wrapped_key: wrappedKey, material }: KeyRow): StoredKey => ({ wrappedKey, material: material! });

export function createDrafts({ clock, stores }: { clock: Clock; stores: KeyStores }) {
  const slowKeys = createSlowKeys();

  const storeOf = (storage: string): KeyStore =>
    stores[storage as KeyStorage] ?? fail('unsupported-storage', { what: 'kept', storage });

  const newKeyId = (): string => `key_${newUlid(clock.now())}`;

  async function generate(requester: KeyRequester, algorithm: Algorithm, storage: KeyStorage): Promise<KeyDraft> {
    const store = storeOf(storage);
    if (!store.algorithms.includes(algorithm)) fail('unsupported-algorithm', { algorithm, why: ` in ${storage}` });
    const id = newKeyId();
    const identity = { owner: requester.owner, keyId: id };
    return {
      id,
      algorithm,
      storage,
      created: await slowKeys.make(algorithm, requester, () => store.generate(algorithm, identity)),
    };
  }

  async function createDraft(requester: KeyRequester, body: NewKey): Promise<KeyDraft> {
    const storage = body.storage ?? 'software';
    if (body.jwk === undefined && body.pem === undefined)
      return generate(requester, parseAlgorithm(body.algorithm ?? 'ES256'), storage);
    if (body.jwk !== undefined && body.pem !== undefined) fail('invalid-request', { why: 'give a JWK or a PEM, not both' });
    const { importPrivateKey } = storeOf(storage);
    if (!importPrivateKey) fail('unsupported-storage', { what: 'imported', storage });
    const { privateKey, algorithm } = await importKey(body, body.algorithm && parseAlgorithm(body.algorithm));
    const id = newKeyId();
    return { id, algorithm, storage, created: await importPrivateKey(privateKey, { owner: requester.owner, keyId: id }) };
  }

  const discard = (owner: string, { storage, created, id }: KeyDraft): Promise<void> =>
    storeOf(storage).destroy(created.stored, { owner, keyId: id });

  /** If the change fails, the drafted key is removed from the device too. */
  async function discardOnFailure<T>(owner: string, draft: KeyDraft | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The caller must get the error of the change, not one of the device.
      if (draft) await discard(owner, draft).catch(() => {});
      throw error;
    }
  }

  return { storeOf, generate, createDraft, discard, discardOnFailure };
}

export type KeyDrafts = ReturnType<typeof createDrafts>;
