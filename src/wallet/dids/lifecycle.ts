// Publishes, unpublishes and deletes DIDs.
import { type Caller, NODE, ownerTag } from '../access/index.ts';
import type { DidRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { DidDeps } from './deps.ts';
import type { DidDetails } from './dids.schema.ts';
import { deleteDid, hasCredentials, makeNewestDefault } from './dids.store.ts';
import { getDid, reloadDid } from './reading.ts';

/** A did:key or did:jwk has no hosted document. */
function checkHosted({ method }: DidRow): void {
  if (method !== 'web') fail('not-publishable', { method });
}

export async function publishDid(deps: DidDeps, caller: Caller, row: DidRow): Promise<DidDetails> {
  const { change, publication } = deps;
  checkHosted(row);
  await change(caller, row.owner, async (transaction) => {
    const did = await reloadDid(transaction, row);
    const carried = await publication.keysOf(transaction.tx, did.owner, [did.id]);
    if (!carried.some(({ state }) => state === 'active')) fail('no-active-key');
    await publication.publish(transaction, did);
    transaction.audit('did.published', { kind: 'did', id: did.id });
  });
  return getDid(deps, row.owner, row.id);
}

export async function unpublishDid(deps: DidDeps, caller: Caller, row: DidRow): Promise<DidDetails> {
  const { change, publication } = deps;
  checkHosted(row);
  await change(caller, row.owner, async (transaction) => {
    const did = await reloadDid(transaction, row);
    if (did.state === 'draft') fail('not-published');
    if (did.state === 'published') await publication.withdraw(transaction, did);
    transaction.audit('did.unpublished', { kind: 'did', id: did.id });
  });
  return getDid(deps, row.owner, row.id);
}

export async function removeDid(deps: DidDeps, caller: Caller, row: DidRow, force: boolean): Promise<void> {
  const { owner } = row;
  if (owner === NODE) fail('forbidden', { why: 'the DID of the node can be unpublished, not deleted' });
  await deps.change(caller, owner, async (transaction) => {
    const did = await reloadDid(transaction, row);
    if (did.method === 'web' && did.state === 'published') fail('did-published');
    if (!force && (await hasCredentials(transaction.tx, owner, did.id))) fail('did-in-use');
    await deleteDid(transaction.tx, did);
    if (did.is_default === 1) await makeNewestDefault(transaction.tx, owner);
    transaction.audit('did.deleted', { kind: 'did', id: did.id }, { did: did.did });
    transaction.invalidate(ownerTag(owner));
  });
}
