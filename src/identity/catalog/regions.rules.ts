// Regions. Deleting one deletes its descendants too.
import { seconds } from '../../platform/clock.ts';
import { takeAdvisoryLock } from '../../platform/database/index.ts';
import type { Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { RegionRow, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { noteGoneLimits } from '../limits/index.ts';
import { extraOf, failOnBrokenReference, mergeExtra } from '../resource/index.ts';
import { type CreateRegion, regionFields, type UpdateRegion } from './catalog.schema.ts';
import {
  deleteRegions,
  findEntry,
  haveEndpoints,
  insertRegionIfMissing,
  regionAncestors,
  regionTree,
  updateEntry,
} from './catalog.store.ts';
import { type CatalogDeps, reviseEntry, writeEntry } from './entries.ts';

export type NewRegion = Static<typeof CreateRegion>['region'];
export type RegionChanges = Static<typeof UpdateRegion>['region'];

const withParent = <T>(parent: string | null, write: () => Promise<T>): Promise<T> =>
  failOnBrokenReference(() => fail('region.not_found', { id: parent ?? '' }), write);

async function checkParent({ db }: CatalogDeps, tx: Tx, id: string, parent: string | null): Promise<void> {
  if (parent === null) return;
  await takeAdvisoryLock(db, tx, 'regions');
  if (!(await findEntry(tx, 'regions', parent))) fail('region.not_found', { id: parent });
  if ((await regionAncestors(tx, parent)).has(id)) fail('region.cycle', { id });
}

/** `pathId`: the id in the path, if any. */
export async function createRegion(deps: CatalogDeps, caller: Caller, body: NewRegion, pathId?: string): Promise<RegionRow> {
  if (pathId !== undefined && !/^[^/]{1,255}$/.test(pathId))
    fail('request.bad_value', { field: 'id', why: 'it must have 1 to 255 characters and no slash' });
  if (pathId !== undefined && body.id !== undefined && body.id !== pathId)
    fail('request.bad_value', { field: 'id', why: 'it differs from the id in the path' });
  const row: RegionRow = {
    id: pathId ?? (body.id || newId()),
    description: body.description ?? '',
    parent_region_id: body.parent_region_id ?? null,
    extra: JSON.stringify(extraOf(body, regionFields)),
  };
  await writeEntry(deps, caller, 'regions', 'created', row.id, async ({ tx }) => {
    await checkParent(deps, tx, row.id, row.parent_region_id);
    const isNew = await withParent(row.parent_region_id, () => insertRegionIfMissing(tx, row));
    if (!isNew) fail('resource.duplicate', { kind: 'region', field: 'ID', value: row.id });
  });
  return row;
}

export async function updateRegion(
  deps: CatalogDeps,
  caller: Caller,
  { id }: RegionRow,
  body: RegionChanges,
): Promise<RegionRow> {
  if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'region' });
  const { parent_region_id: parent } = body;
  return reviseEntry(deps, caller, 'regions', id, async ({ tx }, lock) => {
    if (parent !== undefined) await checkParent(deps, tx, id, parent);
    const region = await lock();
    const values = {
      description: body.description === undefined ? region.description : (body.description ?? ''),
      parent_region_id: parent === undefined ? region.parent_region_id : parent,
      extra: mergeExtra(region.extra, extraOf(body, regionFields)),
    };
    await withParent(values.parent_region_id, () => updateEntry(tx, 'regions', id, values));
  });
}

export async function removeRegion(deps: CatalogDeps, caller: Caller, { id }: RegionRow): Promise<void> {
  await writeEntry(deps, caller, 'regions', 'deleted', id, async ({ tx, audit }) => {
    const tree = await regionTree(tx, id);
    if (await haveEndpoints(tx, tree)) fail('region.has_endpoints', { id });
    await noteGoneLimits(tx, 'region_id', tree, seconds(deps.clock));
    await failOnBrokenReference(
      () => fail('region.has_endpoints', { id }),
      () => deleteRegions(tx, tree),
    );
    for (const below of tree) if (below !== id) audit('region.deleted', { kind: 'region', id: below });
  });
}
