// The DID of the node itself: made with its key when it is not there, and published.
import { type Caller, NODE, readAs } from '../access/index.ts';
import type { DidRow, Reader, WalletChange } from '../database.ts';
import { NODE_NAME } from '../publication/index.ts';
import { didWebOf } from '../resolver/index.ts';
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

/** One that is not the default is of an address the node had before, and has again: it is missing, too. */
const isCurrent = async (reader: Reader, did: string): Promise<boolean> => (await findDid(reader, NODE, did))?.is_default === 1;

/** With the key it is to have from now on. */
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
    // Another replica that starts at the same time.
    if (await isCurrent(transaction.tx, did)) return;
    const key = await keys.add(transaction, NODE, draft, { default: true });
    await put(deps, transaction, did, key.id);
  });
}
