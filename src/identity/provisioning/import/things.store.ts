// What came from which source, in the database.
import { createHash } from 'node:crypto';
import { insertRows, isIn } from '../../../platform/database/index.ts';
import type { ImportedThingRow, Reader, Tx } from '../../ground/database/index.ts';

const BYTES = 16;

const hashed = (text: string): string => createHash('sha256').update(text).digest().subarray(0, BYTES).toString('base64url');

/** Keys are of any length, and may be the names of people. */
export const thingKey = (kind: string, key: string): string => hashed(`${kind} ${key}`);

/** In the order of the names, so that a source may say the same in another order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [name, canonical(one)]),
  );
}

/** As they are stored: `account=... passwords=...`. */
export const digestsOf = (parts: Readonly<Record<string, unknown>>): string =>
  Object.entries(parts)
    .map(([name, value]) => `${name}=${hashed(JSON.stringify(canonical(value)) ?? '')}`)
    .join(' ');

/** The names of the parts that differ. */
export function changedParts(before: string, now: string): Set<string> {
  const known = new Set(before.split(' '));
  return new Set(
    now
      .split(' ')
      .filter((one) => !known.has(one))
      .map((one) => one.slice(0, one.indexOf('='))),
  );
}

/** Where a rehearsal notes what it could not take, and what is here already. */
export const rehearsalOf = (runId: string): string => `rehearsal ${runId}`;

const AT_ONCE = 500;

/** By source and key: `${source} ${key}`. */
export async function findThings(
  reader: Reader,
  sources: readonly string[],
  keys: readonly string[],
): Promise<Map<string, ImportedThingRow>> {
  const found = new Map<string, ImportedThingRow>();
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const rows = await reader
      .selectFrom('imported_things')
      .where(isIn('source', sources))
      .where(isIn('key', keys.slice(at, at + AT_ONCE)))
      .selectAll()
      .execute();
    for (const row of rows) found.set(`${row.source} ${row.key}`, row);
  }
  return found;
}

/** Those of these ids of things here that came from the source. */
export async function ownIds(reader: Reader, source: string, kind: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await reader
    .selectFrom('imported_things')
    .where(isIn('local_id', ids))
    .where('kind', '=', kind)
    .where('source', '=', source)
    .select('local_id')
    .execute();
  return new Set(rows.map(({ local_id }) => local_id!));
}

export const insertThings = (tx: Tx, rows: readonly ImportedThingRow[]): Promise<void> =>
  insertRows(tx, { imported_things: rows });

export async function updateThing(tx: Tx, source: string, key: string, digests: string): Promise<void> {
  await tx.updateTable('imported_things').set({ digests }).where('source', '=', source).where('key', '=', key).execute();
}

/** A rehearsal may say the same twice. */
export async function noteInRehearsal(tx: Tx, rows: readonly ImportedThingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('imported_things')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function forgetThingsOf(tx: Tx, source: string): Promise<void> {
  await tx.deleteFrom('imported_things').where('source', '=', source).execute();
}

export async function countThings(reader: Reader, source: string): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('imported_things')
    .where('source', '=', source)
    .groupBy('kind')
    .select(['kind', (eb) => eb.fn.countAll<number | string>().as('count')])
    .execute();
  return new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
}
