// Creates and publishes the node's own DID and key if they do not exist.

import { didWebOf } from '../../verifiable/resolver/index.ts';
import { type Caller, NODE, readAs } from '../access/index.ts';
import type { DidRow, Reader, WalletChange } from '../ground/database.ts';
import { NODE_NAME } from '../publication/index.ts';
import type { DidDeps } from './deps.ts';
import { clearDefault, findDid, insertDid } from './dids.store.ts';
import { hostOf } from './hosting.ts';
import { newDidId } from './provision.ts';

const rowOf = (did: string, now: number): DidRow => ({
  id: newDidId(now),
  owner: NODE,
  did,
  method: 'web',
  name: NODE_NAME,
  alias: null,
  state: 'draft',
  is_default: 1,
  service: '[]',
  also_known_as: '[]',
  version: 1,
  created_at: now,
  published_at: null,
  unpublished_at: null,
});

/** If it is not the default, the node has returned to an earlier address, and the DID must be published again. */
const isCurrent = async (reader: Reader, did: string): Promise<boolean> => (await findDid(reader, NODE, did))?.is_default === 1;

/** Publishes the DID with a new key. */
async function put({ clock, publication }: DidDeps, transaction: WalletChange, did: string, keyId: string): Promise<void> {
  await clearDefault(transaction.tx, NODE);
  const former = await findDid(transaction.tx, NODE, did);
  if (former) {
    await publication.addKey(transaction, former, keyId);
    await publication.documentChanged(transaction, former);
    return publication.publish(transaction, { ...former, is_default: 1 });
  }
  const row = rowOf(did, clock.now());
  await insertDid(transaction.tx, row);
  await publication.addKey(transaction, row, keyId);
  await publication.publish(transaction, row);
}

export async function ensureNode(deps: DidDeps, caller: Caller): Promise<void> {
  const { db, change, keys, publicUrl } = deps;
  const did = didWebOf(hostOf(publicUrl()));
  if (await readAs(db, NODE, (reader) => isCurrent(reader, did))) return;
  const draft = await keys.draft(NODE);
  await change(caller, NODE, async (transaction) => {
    transaction.audit('did.ensured', { kind: 'did', id: did });
    // Another replica that started at the same time may have created it.
    if (await isCurrent(transaction.tx, did)) return;
    const key = await keys.add(transaction, NODE, draft, { default: true });
    await put(deps, transaction, did, key.id);
  });
}
