// Signing with keys that are allowed to sign.

import type { Algorithm } from '../../verifiable/jose/index.ts';
import { NODE, readAs } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { KeyDeps } from './deps.ts';
import { storedKeyOf } from './drafts.ts';
import { findDefaultKey, findKey } from './keys.store.ts';

type SigningDeps = Pick<KeyDeps, 'db' | 'drafts'>;

/** A rotated key only signs presentations of credentials that are bound to it. */
export type SigningPurpose = 'any' | 'presentation';

export async function sign(
  { db, drafts }: SigningDeps,
  owner: string,
  id: string,
  data: Buffer,
  purpose: SigningPurpose,
): Promise<Buffer> {
  const key = await readAs(db, owner, (reader) => findKey(reader, owner, id));
  const usable = key?.state === 'active' || (key?.state === 'rotated' && purpose === 'presentation');
  if (!key || !usable) fail('key-not-active/named', { id });
  return drafts.storeOf(key.storage).sign(storedKeyOf(key), key.algorithm as Algorithm, { owner, keyId: id }, data);
}

export const isActive = async ({ db }: SigningDeps, owner: string, id: string): Promise<boolean> =>
  (await readAs(db, owner, (reader) => findKey(reader, owner, id)))?.state === 'active';

/** The keys with these ids, within a change. Throws unless all are active. */
export async function activeKeys({ tx }: WalletChange, owner: string, ids: readonly string[]): Promise<KeyRow[]> {
  const rows: KeyRow[] = [];
  for (const id of ids) {
    const key = await findKey(tx, owner, id);
    if (key?.state !== 'active') fail('key-not-active/named', { id });
    rows.push(key);
  }
  return rows;
}

/** Readiness check: signs with the node's key, which needs the master key. */
export async function tryNodeKey(deps: SigningDeps): Promise<void> {
  const key = await readAs(deps.db, NODE, (reader) => findDefaultKey(reader, NODE));
  if (!key) throw new Error('the node has no key');
  await sign(deps, NODE, key.id, Buffer.from('ready?'), 'any');
}

export const nodeKeyCreatedAt = async ({ db }: Pick<SigningDeps, 'db'>): Promise<number | undefined> =>
  (await readAs(db, NODE, (reader) => findDefaultKey(reader, NODE)))?.created_at;
