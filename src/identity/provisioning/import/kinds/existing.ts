// Finds what is here already: the same id, or the same name in the same place.
import type { Found, KeyedRecord, ReadPlace } from '../kind.ts';
import { idsAmong, named } from './existing.store.ts';

export interface NamedRecord extends KeyedRecord {
  readonly id?: string | undefined;
  readonly name: string;
}

export const BY_ID = 'its id';
export const BY_NAME = 'its name';

type Table = Parameters<typeof idsAmong>[1];

/** The things with their ids, and of the others those with their names: by place, which is a domain. What came from the same source is another one. */
export async function existingThings<R extends NamedRecord>(
  { reader }: ReadPlace,
  table: Table,
  records: readonly R[],
  ownAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  placeOf: (record: R) => string | null,
  find: (placeId: string | null, records: readonly R[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const ids = await idsAmong(
    reader,
    table,
    records.flatMap(({ id }) => id ?? []),
  );
  for (const { key, id } of records) if (id !== undefined && ids.has(id)) found.set(key, { id, by: BY_ID });
  const byPlace = Map.groupBy(
    records.filter(({ key }) => !found.has(key)),
    placeOf,
  );
  for (const [placeId, some] of byPlace) for (const [key, id] of await find(placeId, some)) found.set(key, { id, by: BY_NAME });
  const own = await ownAmong([...found.values()].map(({ id }) => id));
  for (const [key, { id }] of found) if (own.has(id)) found.delete(key);
  return found;
}

/** By the name as it is. */
export const byExactName =
  <R extends NamedRecord>({ reader }: ReadPlace, table: Table) =>
  async (placeId: string | null, records: readonly R[]): Promise<Map<string, string>> => {
    const names = records.map(({ name }) => name.trim());
    const ids = new Map((await named(reader, table, placeId, names)).map(({ id, name }) => [name, id]));
    return new Map(records.flatMap(({ key, name }) => (ids.has(name.trim()) ? [[key, ids.get(name.trim())!]] : [])));
  };
