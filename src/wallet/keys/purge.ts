// Deletes the row of a key. Its thumbprint is kept, so that the key cannot be registered again.
import { type Caller, NODE, ownerTag } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { KeyDeps } from './deps.ts';
import { credentialsOfKey, deleteKey } from './keys.store.ts';
import { reloadKey, withUse } from './reading.ts';
import { destroy, markRevoked } from './revocation.ts';

async function checkUnused(deps: KeyDeps, { tx }: WalletChange, key: KeyRow): Promise<void> {
  const [use] = await withUse(deps, tx, key.owner, [key]);
  const { dids } = use!;
  const credentials = await credentialsOfKey(tx, key.owner, key.id);
  if (dids.length > 0 || credentials.length > 0) fail('key-in-use', undefined, { detail: { references: { dids, credentials } } });
}

async function remove(transaction: WalletChange, key: KeyRow): Promise<void> {
  await deleteKey(transaction.tx, key);
  transaction.audit('key.purged', { kind: 'key', id: key.id });
  transaction.invalidate(ownerTag(key.owner));
}

/** Returns the key if it must be removed from a device before its row is deleted. */
async function purgeWithin(deps: KeyDeps, transaction: WalletChange, row: KeyRow, force: boolean): Promise<KeyRow | undefined> {
  const key = await reloadKey(transaction, row);
  if (key.state !== 'revoked') {
    if (!force) await checkUnused(deps, transaction, key);
    await markRevoked(deps, transaction, key, 'cessation');
  }
  const ended = await reloadKey(transaction, row);
  if (ended.material !== null) {
    transaction.audit('key.purging', { kind: 'key', id: key.id });
    return ended;
  }
  await remove(transaction, ended);
  return undefined;
}

export async function purgeKey(deps: KeyDeps, caller: Caller, row: KeyRow, force: boolean): Promise<void> {
  const { db, change } = deps;
  const { owner } = row;
  if (owner === NODE) fail('forbidden', { why: 'the key of the node is rotated or revoked, never purged' });
  const left = await change(caller, owner, (transaction) => purgeWithin(deps, transaction, row, force));
  if (!left) return db.scrub();
  // The key is removed from the device first, because only the row knows where it is.
  await destroy(deps, left);
  await change(caller, owner, async (transaction) => remove(transaction, await reloadKey(transaction, left)));
  await db.scrub();
}
