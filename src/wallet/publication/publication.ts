// What happens to documents when DIDs and their keys change. Everything here runs within somebody's change.
import type { Clock } from '../../platform/clock.ts';
import type { DidRow, WalletChange } from '../database.ts';
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
  /** The keys DIDs carry, as documents show them. */
  keysOf: keysOfDids,
  /** A DID carries another key. Whoever adds it says when the document changes. */
  addKey: ({ tx }: WalletChange, { owner, id }: DidRow, keyId: string) => addKey(tx, { owner, didId: id, keyId }),
});

export type Publication = ReturnType<typeof createPublication>;
