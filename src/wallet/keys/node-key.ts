// Keys of the node itself that have a task, by their alias: made when they are first needed, and again after a revocation. Administrators rotate and
// revoke them as any other key of the node.
import { NODE, readAs, theNode } from '../access/index.ts';
import type { KeyRow } from '../ground/database.ts';
import type { KeyDeps } from './deps.ts';
import { findActiveByAlias } from './keys.store.ts';
import { addKey } from './registration.ts';

const USE: ['assertionMethod'] = ['assertionMethod'];

/** In the device, if there is one. */
export async function nodeKey(deps: KeyDeps, alias: string): Promise<KeyRow> {
  const { db, drafts, stores, change } = deps;
  const found = await readAs(db, NODE, (reader) => findActiveByAlias(reader, NODE, alias));
  if (found) return found;
  const draft = await drafts.generate({ owner: NODE }, 'ES256', stores.pkcs11 ? 'pkcs11' : 'software');
  const row = await drafts.discardOnFailure(NODE, draft, () =>
    change(theNode, NODE, async (transaction) => {
      const first = await findActiveByAlias(transaction.tx, NODE, alias);
      // Another process was first. This change still has to say something.
      if (first) transaction.audit('key.repeated', { kind: 'key', id: first.id });
      return first ?? addKey(deps, transaction, NODE, draft, { alias, use: USE, default: false });
    }),
  );
  if (row.id !== draft.id) await drafts.discard(NODE, draft).catch(() => {});
  return row;
}
