// Keys that exist in their store and not yet in the database: made or imported before the change that registers them.
import type { Clock } from '../../platform/clock.ts';
import { newUlid } from '../../platform/ids.ts';
import type { KeyRow } from '../database.ts';
import { fail } from '../faults.ts';
import { ALGORITHMS, type Algorithm } from '../jose/index.ts';
import { createSlowKeys, type Turn } from './generation.ts';
import { importKey } from './import.ts';
import type { KeptKey, KeyStore, NewKey as MadeKey, Storage } from './key-store.ts';
import type { NewKey } from './keys.schema.ts';

export type Stores = Readonly<Partial<Record<Storage, KeyStore>>> & { readonly software: KeyStore };

export interface Draft {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly storage: Storage;
  readonly made: MadeKey;
}

export function algorithmNamed(name: string): Algorithm {
  const found = ALGORITHMS.find((one) => one === name);
  return found ?? fail('unsupported-algorithm', { algorithm: name, why: `; there are ${ALGORITHMS.join(', ')}` });
}

/** What the row of a key keeps for its store. */
export const keptOf = ({ wrapped_key: wrappedKey, material }: KeyRow): KeptKey => ({ wrappedKey, material: material! });

export function createDrafts({ clock, stores }: { clock: Clock; stores: Stores }) {
  const slowKeys = createSlowKeys();

  const storeOf = (storage: string): KeyStore =>
    stores[storage as Storage] ?? fail('unsupported-storage', { what: 'kept', storage });

  const newKeyId = (): string => `key_${newUlid(clock.now())}`;

  async function generate(turn: Turn, algorithm: Algorithm, storage: Storage): Promise<Draft> {
    const store = storeOf(storage);
    if (!store.algorithms.includes(algorithm)) fail('unsupported-algorithm', { algorithm, why: ` in ${storage}` });
    const id = newKeyId();
    const place = { owner: turn.owner, keyId: id };
    return { id, algorithm, storage, made: await slowKeys.make(algorithm, turn, () => store.generate(algorithm, place)) };
  }

  async function draftOf(turn: Turn, body: NewKey): Promise<Draft> {
    const storage = body.storage ?? 'software';
    if (body.jwk === undefined && body.pem === undefined)
      return generate(turn, algorithmNamed(body.algorithm ?? 'ES256'), storage);
    if (body.jwk !== undefined && body.pem !== undefined) fail('invalid-request', { why: 'give a JWK or a PEM, not both' });
    const { take } = storeOf(storage);
    if (!take) fail('unsupported-storage', { what: 'imported', storage });
    const { privateKey, algorithm } = await importKey(body, body.algorithm && algorithmNamed(body.algorithm));
    const id = newKeyId();
    return { id, algorithm, storage, made: await take(privateKey, { owner: turn.owner, keyId: id }) };
  }

  const discard = (owner: string, { storage, made, id }: Draft): Promise<void> =>
    storeOf(storage).destroy(made.kept, { owner, keyId: id });

  /** A key made for a change that did not come to pass leaves nothing behind in a device either. */
  async function orDiscard<T>(owner: string, draft: Draft | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // What the caller must hear is why the change failed, whatever the device says now.
      if (draft) await discard(owner, draft).catch(() => {});
      throw error;
    }
  }

  return { storeOf, generate, draftOf, discard, orDiscard };
}

export type Drafts = ReturnType<typeof createDrafts>;
