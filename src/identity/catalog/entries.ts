// What regions, services and endpoints have in common: each is an entry of the catalog.
import type { Query } from '../../platform/http/index.ts';
import { type Caller, type IdentityTarget, tagOf, targetOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Deps, type Filters, pageOf, single } from '../resource/index.ts';
import { deleteEntry, type Entry, findEntry, listEntries, lockEntry } from './catalog.store.ts';

export type CatalogDeps = Pick<Deps, 'db' | 'change'>;

const filters = {
  regions: { parent_region_id: { column: 'regions.parent_region_id', kind: 'text' } },
  services: {
    name: { column: 'services.name', kind: 'text' },
    type: { column: 'services.type', kind: 'text' },
    enabled: { column: 'services.enabled', kind: 'flag' },
  },
  endpoints: {
    service_id: { column: 'endpoints.service_id', kind: 'text' },
    region_id: { column: 'endpoints.region_id', kind: 'text' },
    interface: { column: 'endpoints.interface', kind: 'text' },
    enabled: { column: 'endpoints.enabled', kind: 'flag' },
  },
} as const satisfies Record<string, Filters>;

const kindOf = { regions: 'region', services: 'service', endpoints: 'endpoint' } as const;
export type Table = keyof typeof kindOf;

const missing = (table: Table, id: string): never => fail(`${kindOf[table]}.not_found`, { id });

export const entryTarget = async <T extends Table>(
  { db }: CatalogDeps,
  table: T,
  id: string,
): Promise<IdentityTarget<Entry[T]>> =>
  targetOf(
    await findEntry(db.read, table, id),
    () => ({}),
    () => missing(table, id),
  );

export async function pageOfEntries<T extends Table>({ db }: CatalogDeps, table: T, query: Query) {
  const page = await listEntries(db, table, pageOf(query), criteriaOf(query, filters[table]));
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}

/** Every token shows the catalog, so every change of it invalidates everything. Work that says false found the entry gone. */
export function writeEntry(
  { change }: CatalogDeps,
  caller: Caller,
  table: Table,
  verb: string,
  id: string,
  work: (change: Change) => Promise<unknown>,
): Promise<void> {
  return change(caller, async (transaction) => {
    if ((await work(transaction)) === false) missing(table, id);
    transaction.invalidate(tagOf.everything);
    transaction.audit(`${kindOf[table]}.${verb}`, { kind: kindOf[table], id });
  });
}

/** A change by what the entry is at that moment, which is held until the change ends. */
export async function reviseEntry<T extends Table>(
  deps: CatalogDeps,
  caller: Caller,
  table: T,
  id: string,
  work: (change: Change, held: () => Promise<Entry[T]>) => Promise<void>,
): Promise<Entry[T]> {
  let entry: Entry[T] | undefined;
  await writeEntry(deps, caller, table, 'updated', id, async (transaction) => {
    const held = async (): Promise<Entry[T]> => (await lockEntry(deps.db, transaction.tx, table, id)) ?? missing(table, id);
    await work(transaction, held);
    entry = await held();
  });
  return entry!;
}

export const removeEntry = (deps: CatalogDeps, caller: Caller, table: 'services' | 'endpoints', id: string): Promise<void> =>
  writeEntry(deps, caller, table, 'deleted', id, ({ tx }) => deleteEntry(tx, table, id));
