// Updates documents when DIDs and their keys change. Everything here runs within a change of the caller.
import type { Clock } from '../../platform/clock.ts';
import type { DidRow, WalletChange } from '../ground/database.ts';
import { createKeyListener, removeKeyFromDocuments } from './key-changes.ts';
import { addKey, type CarriedKey, keysOfDids } from './publication.store.ts';
import { documentChanged, documentOf, publish, withdraw } from './publishing.ts';

export const createPublication = ({ clock }: { clock: Clock }) => ({
  documentOf: (did: DidRow, keys: readonly CarriedKey[]) => documentOf(clock, did, keys),
  documentChanged: (transaction: WalletChange, did: DidRow) => documentChanged(clock, transaction, did),
  publish: (transaction: WalletChange, did: DidRow) => publish(clock, transaction, did),
  withdraw: (transaction: WalletChange, did: DidRow) => withdraw(clock, transaction, did),
  removeKey: (transaction: WalletChange, owner: string, keyId: string) =>
    removeKeyFromDocuments(clock, transaction, owner, keyId),
  keyListener: createKeyListener(clock),
  /** The keys of DIDs. */
  keysOf: keysOfDids,
  /** Adds a key to a DID. The caller must update the document afterwards. */
  addKey: ({ tx }: WalletChange, { owner, id }: DidRow, keyId: string) => addKey(tx, { owner, didId: id, keyId }),
});

export type Publication = ReturnType<typeof createPublication>;
