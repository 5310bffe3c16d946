// Updates DID documents when keys change, within the change of the key.
import type { Clock } from '../../platform/clock.ts';
import type { DidRow, Reader, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { KeyListener } from '../keys/index.ts';
import { addKey, didsOfKey, keysOfDids, moveCredentials, removeKey } from './publication.store.ts';
import { documentChanged, withdraw } from './publishing.ts';

const webDidsOf = async (reader: Reader, owner: string, keyId: string): Promise<DidRow[]> =>
  (await didsOfKey(reader, owner, keyId)).filter(({ method }) => method === 'web');

/** Removes the key from all did:web documents. Returns the DIDs that were republished. */
export async function removeKeyFromDocuments(
  clock: Clock,
  transaction: WalletChange,
  owner: string,
  keyId: string,
): Promise<string[]> {
  const republished: string[] = [];
  for (const did of await webDidsOf(transaction.tx, owner, keyId)) {
    await removeKey(transaction.tx, owner, did.id, keyId);
    const other = (await keysOfDids(transaction.tx, owner, [did.id])).findLast(({ state }) => state === 'active');
    if (other) await moveCredentials(transaction.tx, did, keyId, { id: other.key_id, algorithm: other.algorithm });
    await documentChanged(clock, transaction, did);
    if (did.state === 'published') republished.push(did.did);
  }
  return republished;
}

/** Published DIDs that would have no active key left. */
async function orphans(reader: Reader, owner: string, keyId: string): Promise<DidRow[]> {
  const dids = (await webDidsOf(reader, owner, keyId)).filter(({ state }) => state === 'published');
  const keys = await keysOfDids(
    reader,
    owner,
    dids.map(({ id }) => id),
  );
  const hasOther = (did: DidRow): boolean =>
    keys.some((key) => key.did_id === did.id && key.key_id !== keyId && key.state === 'active');
  return dids.filter((did) => !hasOther(did));
}

export const createKeyListener = (clock: Clock): KeyListener => ({
  /** Adds the successor to every did:web document with the key. A did:key or did:jwk cannot have another key. */
  async onReplaced(transaction, { owner, id }, successor) {
    for (const did of await webDidsOf(transaction.tx, owner, id)) {
      await addKey(transaction.tx, { owner, didId: did.id, keyId: successor.id });
      await moveCredentials(transaction.tx, did, id, successor);
      await documentChanged(clock, transaction, did);
    }
  },

  /** Removes the key from every document. A did:key or did:jwk of the key becomes unusable. */
  async onRevoked(transaction, { owner, id }) {
    for (const did of await didsOfKey(transaction.tx, owner, id))
      if (did.method !== 'web') await withdraw(clock, transaction, did);
    return removeKeyFromDocuments(clock, transaction, owner, id);
  },

  async beforeRevocation(reader, { owner, id }) {
    if ((await orphans(reader, owner, id)).length > 0) fail('last-key-of-published-did');
  },
});
