// What regions, services and endpoints share as entries of the catalog.
import { seconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/http/index.ts';
import { type Caller, type IdentityTarget, tagOf, targetOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import { fail } from '../faults.ts';
import { noteGoneLimits } from '../limits/index.ts';
import { criteriaOf, type Deps, type Filters, pageOf, single } from '../resource/index.ts';
import { type CatalogRows, type CatalogTable, deleteEntry, findEntry, listEntries, lockEntry } from './catalog.store.ts';

export type CatalogDeps = Pick<Deps, 'db' | 'change' | 'clock'>;

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

const missing = (table: CatalogTable, id: string): never => fail(`${kindOf[table]}.not_found`, { id });

export const entryTarget = async <T extends CatalogTable>(
  { db }: CatalogDeps,
  table: T,
  id: string,
): Promise<IdentityTarget<CatalogRows[T]>> =>
  targetOf(
    await findEntry(db.read, table, id),
    () => ({}),
    () => missing(table, id),
  );

export async function pageOfEntries<T extends CatalogTable>({ db }: CatalogDeps, table: T, query: Query) {
  const page = await listEntries(db, table, pageOf(query), criteriaOf(query, filters[table]));
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}

/** Every token shows the catalog, so every change invalidates all contexts. `work` returns false when the entry does not exist. */
export function writeEntry(
  { change }: CatalogDeps,
  caller: Caller,
  table: CatalogTable,
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

/** Changes an entry. `lock` locks and reads its row, so that concurrent updates do not overwrite each other. */
export async function reviseEntry<T extends CatalogTable>(
  deps: CatalogDeps,
  caller: Caller,
  table: T,
  id: string,
  work: (change: Change, lock: () => Promise<CatalogRows[T]>) => Promise<void>,
): Promise<CatalogRows[T]> {
  let entry: CatalogRows[T] | undefined;
  await writeEntry(deps, caller, table, 'updated', id, async (transaction) => {
    const lock = async (): Promise<CatalogRows[T]> => (await lockEntry(deps.db, transaction.tx, table, id)) ?? missing(table, id);
    await work(transaction, lock);
    entry = await lock();
  });
  return entry!;
}

export const removeEntry = (deps: CatalogDeps, caller: Caller, table: 'services' | 'endpoints', id: string): Promise<void> =>
  writeEntry(deps, caller, table, 'deleted', id, async ({ tx }) => {
    if (table === 'services') await noteGoneLimits(tx, 'service_id', [id], seconds(deps.clock));
    return deleteEntry(tx, table, id);
  });
