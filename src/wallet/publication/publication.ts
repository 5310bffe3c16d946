// What happens to documents when DIDs and their keys change. Everything here runs within somebody's change.
import type { Clock } from '../../platform/clock.ts';
import type { Change, DidRow } from '../database.ts';
import { createKeyListener, leaveDocuments } from './key-changes.ts';
import { addKey, type CarriedKey, keysOfDids } from './publication.store.ts';
import { documentChanged, documentOf, publish, withdraw } from './publishing.ts';

export const createPublication = ({ clock }: { clock: Clock }) => ({
  documentOf: (did: DidRow, keys: readonly CarriedKey[]) => documentOf(clock, did, keys),
  changed: (inside: Change, did: DidRow) => documentChanged(clock, inside, did),
  publish: (inside: Change, did: DidRow) => publish(clock, inside, did),
  withdraw: (inside: Change, did: DidRow) => withdraw(clock, inside, did),
  leave: (inside: Change, owner: string, keyId: string) => leaveDocuments(clock, inside, owner, keyId),
  keyListener: createKeyListener(clock),
  /** The keys DIDs carry, as documents show them. */
  keysOf: keysOfDids,
  /** A DID carries another key. Whoever adds it says when the document changes. */
  addKey: ({ tx }: Change, { owner, id }: DidRow, keyId: string) => addKey(tx, { owner, didId: id, keyId }),
});

export type Publication = ReturnType<typeof createPublication>;
