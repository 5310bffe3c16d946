// Revokes a key permanently: nothing can be signed with it again, not even with a copy of the row.
import { type Caller, EVERYONE, NODE, ownerTag, readAs, theNode } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import type { KeyDeps } from './deps.ts';
import { type KeyDraft, parseAlgorithm, storedKeyOf } from './drafts.ts';
import type { KeyStorage } from './key-store.ts';
import type { Revocation } from './keys.schema.ts';
import { credentialsOfKey, findDefaultKey, findNewestActive, listUndestroyed, updateKey } from './keys.store.ts';
import { getKey, type KeyWithUse, reloadKey } from './reading.ts';
import { addSuccessor } from './rotation.ts';

const BATCH = 100;

/** If the default key is revoked, the newest active key becomes the default. */
async function replaceDefault({ tx }: WalletChange, { owner, is_default: wasDefault }: KeyRow): Promise<void> {
  if (wasDefault !== 1 || (await findDefaultKey(tx, owner))) return;
  const next = await findNewestActive(tx, owner);
  if (next) await updateKey(tx, owner, next.id, { is_default: 1 });
}

/** Marks a key as revoked within a change. */
export async function markRevoked(
  { clock, listener }: Pick<KeyDeps, 'clock' | 'listener'>,
  transaction: WalletChange,
  key: KeyRow,
  reason: string,
): Promise<void> {
  const { owner, id } = key;
  const republished = await listener.onRevoked(transaction, key);
  await updateKey(transaction.tx, owner, id, {
    state: 'revoked',
    is_default: 0,
    wrapped_key: null,
    // The handle of a key in a device is not secret. It is kept until the key is removed from the device.
    material: key.wrapped_key === null ? key.material : null,
    revoked_at: clock.now(),
    revocation_reason: reason,
    republished: JSON.stringify(republished),
  });
  await replaceDefault(transaction, key);
  transaction.audit('key.revoked', { kind: 'key', id }, { reason, republished });
  transaction.invalidate(ownerTag(owner));
}

/** Removes what is outside the database. */
export const destroy = ({ drafts }: Pick<KeyDeps, 'drafts'>, key: KeyRow): Promise<void> =>
  drafts.storeOf(key.storage).destroy(storedKeyOf(key), { owner: key.owner, keyId: key.id });

/** Removes a revoked key from its device. If the device is not connected to this node, another node or a later start does it. */
async function destroyInDevice(deps: KeyDeps, caller: Caller, key: KeyRow): Promise<void> {
  const { owner, id, material, storage } = key;
  if (material === null || !deps.stores[storage as KeyStorage]) return;
  await destroy(deps, key);
  await deps.change(caller, owner, async (transaction) => {
    await updateKey(transaction.tx, owner, id, { material: null });
    transaction.audit('key.destroyed', { kind: 'key', id });
  });
}

/** Removes revoked keys that are still in devices, because a device did not answer or the process ended. Returns how many. */
export async function destroyPending(deps: KeyDeps): Promise<number> {
  const left = await readAs(deps.db, EVERYONE, (reader) => listUndestroyed(reader, Object.keys(deps.stores), BATCH));
  const failures: unknown[] = [];
  for (const key of left) await destroyInDevice(deps, theNode, key).catch((error: unknown) => failures.push(error));
  // A failure with one key does not stop the others.
  if (failures.length > 0) throw failures[0];
  return left.length;
}

/** Drafts a successor if one is needed. A rotated key already has one. */
async function successorOf(
  { drafts }: Pick<KeyDeps, 'drafts'>,
  { owner, state, algorithm, storage }: KeyRow,
  successor: Revocation['successor'],
  signal: AbortSignal | undefined,
): Promise<KeyDraft | undefined> {
  // The key of the node always gets a successor, because a node without a key is not ready and cannot recover.
  const wanted = successor || owner === NODE ? parseAlgorithm(successor?.algorithm ?? algorithm) : undefined;
  return wanted && state === 'active' ? drafts.generate({ owner, signal }, wanted, storage as KeyStorage) : undefined;
}

interface RevocationOptions {
  readonly reason: string;
  readonly draft: KeyDraft | undefined;
  /** Allowed even if it is the last key of a published DID. */
  readonly mayBeLast: boolean;
}

/** Returns whether the draft became the successor. */
async function revokeWithin(
  deps: KeyDeps,
  transaction: WalletChange,
  row: KeyRow,
  { reason, draft, mayBeLast }: RevocationOptions,
): Promise<boolean> {
  const key = await reloadKey(transaction, row);
  const { owner, id } = key;
  if (key.state === 'revoked') {
    transaction.audit('key.revoked_again', { kind: 'key', id });
    return false;
  }
  if (!mayBeLast && key.state === 'active') await deps.listener.beforeRevocation(transaction.tx, key);
  const isFollowed = draft !== undefined && key.state === 'active';
  if (isFollowed) {
    await updateKey(transaction.tx, owner, id, { state: 'rotated', is_default: 0, successor_id: draft.id });
    await addSuccessor(deps, transaction, key, draft, key.alias ?? undefined);
  }
  await markRevoked(deps, transaction, isFollowed ? { ...key, is_default: 0 } : key, reason);
  return isFollowed;
}

export interface RevocationResult {
  readonly key: KeyWithUse;
  readonly affectedCredentials: string[];
  readonly republishedDids: string[];
}

export async function revokeKey(
  deps: KeyDeps,
  caller: Caller,
  row: KeyRow,
  { reason = 'unspecified', successor }: Revocation,
  force: boolean,
  signal?: AbortSignal,
): Promise<RevocationResult> {
  const { db, change, drafts } = deps;
  const { owner, id } = row;
  const draft = await successorOf(deps, row, successor, signal);
  if (row.state !== 'revoked') {
    const follows = await drafts.discardOnFailure(owner, draft, () =>
      change(caller, owner, (transaction) =>
        revokeWithin(deps, transaction, row, { reason, draft, mayBeLast: successor !== undefined || force }),
      ),
    );
    // Another request was first, so the draft is not needed.
    if (draft && !follows) await drafts.discard(owner, draft).catch(() => {});
    await db.scrub();
  }
  const key = await getKey(deps, owner, id);
  // Also for keys that were already revoked, so that a failed removal can be repeated.
  await destroyInDevice(deps, caller, key.row);
  return {
    key,
    affectedCredentials: await readAs(db, owner, (reader) => credentialsOfKey(reader, owner, id)),
    republishedDids: JSON.parse(key.row.republished ?? '[]') as string[],
  };
}
