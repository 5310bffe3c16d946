// Keys in the database. Every statement names the owner.
import { type Kysely, sql } from 'kysely';
import { NODE } from '../access/index.ts';
import type { KeyRow, KeyState, Reader, Tx } from '../ground/database.ts';
import type { ListPage } from '../resource/index.ts';

export interface KeyFilter {
  readonly state?: KeyState | undefined;
  readonly algorithm?: string | undefined;
}

/** Reads one row more than the page size. */
export function listKeys(
  db: Reader,
  owner: string,
  { state, algorithm }: KeyFilter,
  { limit, after }: ListPage,
): Promise<KeyRow[]> {
  let query = db.selectFrom('keys').where('owner', '=', owner);
  if (state) query = query.where('state', '=', state);
  if (algorithm) query = query.where('algorithm', '=', algorithm);
  if (after) query = query.where('id', '>', after);
  return query
    .orderBy('id')
    .limit(limit + 1)
    .selectAll()
    .execute();
}

export function findKey(db: Reader, owner: string, id: string): Promise<KeyRow | undefined> {
  return db.selectFrom('keys').where('owner', '=', owner).where('id', '=', id).selectAll().executeTakeFirst();
}

export async function countKeysOf(db: Reader, owner: string): Promise<number> {
  const counted = db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .select((eb) => eb.fn.countAll<number>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}

/** Whether the owner has or had a key with this thumbprint. */
export async function isKnownKid(db: Reader, owner: string, kid: string): Promise<boolean> {
  const has = db.selectFrom('keys').where('owner', '=', owner).where('kid', '=', kid).select('kid');
  const had = db.selectFrom('spent_kids').where('owner', '=', owner).where('kid', '=', kid).select('kid');
  return (await has.unionAll(had).execute()).length > 0;
}

export async function hasActiveAlias(db: Reader, owner: string, alias: string): Promise<boolean> {
  const found = await db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .where('alias', '=', alias)
    .where('state', '=', 'active')
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

export function findActiveByAlias(db: Reader, owner: string, alias: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .where('alias', '=', alias)
    .where('state', '=', 'active')
    .selectAll()
    .executeTakeFirst();
}

/** The key that signs if no other is named. */
export function findDefaultKey(db: Reader, owner: string): Promise<KeyRow | undefined> {
  return db.selectFrom('keys').where('owner', '=', owner).where('is_default', '=', 1).selectAll().executeTakeFirst();
}

export function findNewestActive(db: Reader, owner: string): Promise<KeyRow | undefined> {
  return db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .where('state', '=', 'active')
    .orderBy('id', 'desc')
    .limit(1)
    .selectAll()
    .executeTakeFirst();
}

export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
  await tx.insertInto('keys').values(row).execute();
}

export async function updateKey(tx: Tx, owner: string, id: string, values: Partial<KeyRow>): Promise<void> {
  await tx.updateTable('keys').set(values).where('owner', '=', owner).where('id', '=', id).execute();
}

export async function clearDefault(tx: Tx, owner: string): Promise<void> {
  await tx.updateTable('keys').set({ is_default: 0 }).where('owner', '=', owner).where('is_default', '=', 1).execute();
}

/** Deletes the row, and keeps the thumbprint so that the key cannot be registered again. */
export async function deleteKey(tx: Tx, { owner, id, kid }: KeyRow): Promise<void> {
  await tx.insertInto('spent_kids').values({ owner, kid }).execute();
  await tx.deleteFrom('keys').where('owner', '=', owner).where('id', '=', id).execute();
}

/** Revoked keys that are still in a device. */
export function listUndestroyed(db: Reader, storages: readonly string[], limit: number): Promise<KeyRow[]> {
  return db
    .selectFrom('keys')
    .where('state', '=', 'revoked')
    .where('material', 'is not', null)
    .where('storage', 'in', storages)
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute();
}

export interface KeyUse {
  readonly dids: ReadonlyMap<string, readonly string[]>;
  readonly credentials: ReadonlyMap<string, number>;
}

/** What refers to keys: the DIDs that use them, and how many credentials are bound to each. */
export async function usesOf(db: Reader, owner: string, ids: readonly string[]): Promise<KeyUse> {
  if (ids.length === 0) return { dids: new Map(), credentials: new Map() };
  const carried = await db
    .selectFrom('did_keys')
    .innerJoin('dids', 'dids.id', 'did_keys.did_id')
    .where('did_keys.owner', '=', owner)
    .where('did_keys.key_id', 'in', ids)
    .orderBy('dids.id')
    .select(['did_keys.key_id', 'dids.did'])
    .execute();
  const bound = await db
    .selectFrom('credential_instances')
    .where('owner', '=', owner)
    .where('key_id', 'in', ids)
    .groupBy('key_id')
    .select((eb) => ['key_id', eb.fn.count<number>('credential_id').distinct().as('count')])
    .execute();
  const dids = new Map<string, string[]>();
  for (const { key_id: id, did } of carried) dids.set(id, [...(dids.get(id) ?? []), did]);
  return { dids, credentials: new Map(bound.map(({ key_id: id, count }) => [id!, Number(count)])) };
}

export async function credentialsOfKey(db: Reader, owner: string, keyId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('credential_instances')
    .where('owner', '=', owner)
    .where('key_id', '=', keyId)
    .orderBy('credential_id')
    .select('credential_id')
    .distinct()
    .execute();
  return rows.map((row) => row.credential_id);
}

export async function countKeys(db: Reader): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('keys')
    .groupBy('state')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}

/** The key ids in the document of the node. For `gatehouse doctor`. */
export async function nodeKeyIds<S>(db: Kysely<S>): Promise<string[]> {
  const { rows } = await sql<{ kid: string }>`select kid from keys where owner = ${NODE}`.execute(db);
  return rows.map(({ kid }) => kid);
}
