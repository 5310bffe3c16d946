// DIDs with their keys, and the published documents.
import { preparedRow } from '../../platform/database/index.ts';
import { FORMAT_NAMES, FORMATS } from '../../verifiable/formats/index.ts';
import type { DidKeyRow, DidRow, KeyRow, PublishedDocumentRow, Reader, Tables, Tx } from '../ground/database.ts';

/** A key of a DID, with the columns a document needs. */
export type CarriedKey = Pick<KeyRow, 'kid' | 'algorithm' | 'state' | 'uses' | 'public_jwk' | 'verify_until'> &
  Pick<DidKeyRow, 'did_id' | 'key_id'>;

export function keysOfDids(db: Reader, owner: string, didIds: readonly string[]): Promise<CarriedKey[]> {
  if (didIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('did_keys')
    .innerJoin('keys', 'keys.id', 'did_keys.key_id')
    .where('did_keys.owner', '=', owner)
    .where('did_keys.did_id', 'in', didIds)
    .orderBy('did_keys.did_id')
    .orderBy('did_keys.position')
    .select([
      'did_keys.did_id',
      'did_keys.key_id',
      'keys.kid',
      'keys.algorithm',
      'keys.state',
      'keys.uses',
      'keys.public_jwk',
      'keys.verify_until',
    ])
    .execute();
}

/** The DIDs that use a key. */
export function didsOfKey(db: Reader, owner: string, keyId: string): Promise<DidRow[]> {
  return db
    .selectFrom('dids')
    .innerJoin('did_keys', 'did_keys.did_id', 'dids.id')
    .where('dids.owner', '=', owner)
    .where('did_keys.key_id', '=', keyId)
    .orderBy('dids.id')
    .selectAll('dids')
    .execute();
}

/** Other published DIDs of the owner with the same document name. */
export function publishedUnder(db: Reader, { owner, name, id }: DidRow): Promise<DidRow[]> {
  return db
    .selectFrom('dids')
    .where('owner', '=', owner)
    .where('name', '=', name)
    .where('state', '=', 'published')
    .where('id', '!=', id)
    .selectAll()
    .execute();
}

/** Appends a key to a DID. */
export async function addKey(tx: Tx, { owner, didId, keyId }: { owner: string; didId: string; keyId: string }): Promise<void> {
  const last = await tx
    .selectFrom('did_keys')
    .where('did_id', '=', didId)
    .select((eb) => eb.fn.max('position').as('position'))
    .executeTakeFirst();
  await tx
    .insertInto('did_keys')
    .values({ did_id: didId, key_id: keyId, owner, position: (last?.position ?? 0) + 1 })
    .execute();
}

/**
 * Credentials that are bound to a DID can be shown with any of its keys, so another key takes over. Those of some formats are bound
 * to the key itself and stay with it, and some support only some algorithms.
 */
export async function moveCredentials(
  tx: Tx,
  { owner, id }: DidRow,
  from: string,
  to: { readonly id: string; readonly algorithm: string },
): Promise<void> {
  const formats = FORMAT_NAMES.filter((name) => {
    const { followsDid, algorithms } = FORMATS[name].holder;
    return followsDid && (algorithms?.includes(to.algorithm) ?? true);
  });
  const bound = tx
    .selectFrom('credentials')
    .where('owner', '=', owner)
    .where('did_id', '=', id)
    .where('binding', '=', 'did')
    .where('format', 'in', formats);
  await tx
    .updateTable('credential_instances')
    .set({ key_id: to.id })
    .where('owner', '=', owner)
    .where('key_id', '=', from)
    .where('credential_id', 'in', bound.select('id'))
    .execute();
  await tx
    .updateTable('credentials')
    .set({ key_id: to.id })
    .where('owner', '=', owner)
    .where('key_id', '=', from)
    .where('id', 'in', bound.select('id'))
    .execute();
}

export async function removeKey(tx: Tx, owner: string, didId: string, keyId: string): Promise<void> {
  await tx.deleteFrom('did_keys').where('owner', '=', owner).where('did_id', '=', didId).where('key_id', '=', keyId).execute();
}

export async function updateDid(tx: Tx, { id, owner }: DidRow, values: Partial<DidRow>): Promise<void> {
  await tx.updateTable('dids').set(values).where('owner', '=', owner).where('id', '=', id).execute();
}

export async function putDocument(tx: Tx, row: PublishedDocumentRow): Promise<void> {
  const { did, ...values } = row;
  await tx
    .insertInto('published_documents')
    .values(row)
    .onConflict((conflict) => conflict.column('did').doUpdateSet(values))
    .execute();
}

export async function removeDocument(tx: Tx, did: string): Promise<void> {
  await tx.deleteFrom('published_documents').where('did', '=', did).execute();
}

export const findDocument = preparedRow<Tables, [name: string], PublishedDocumentRow>((db, name) =>
  db.selectFrom('published_documents').where('name', '=', name).selectAll(),
);

/** Rotated keys whose grace period is over and that are still in a document. */
export function overdueKeys(db: Reader, now: number, limit: number): Promise<Pick<KeyRow, 'id' | 'owner'>[]> {
  return db
    .selectFrom('keys')
    .where('state', '=', 'rotated')
    .where('verify_until', '<=', now)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('did_keys')
        .innerJoin('dids', 'dids.id', 'did_keys.did_id')
        .where('dids.method', '=', 'web')
        .select('did_keys.key_id'),
    )
    .orderBy('id')
    .limit(limit)
    .select(['id', 'owner'])
    .execute();
}
