// The catalog: which services there are, in which regions, at which addresses.
import { oneAtATime } from '../../platform/database/index.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { type Caller, type IdentityTarget, tagOf, targetOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { EndpointRow, RegionRow, ServiceRow, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { bit, criteriaOf, type Deps, extraOf, type Filters, mergeExtra, pageOf, single, unlessMoved } from '../resource/index.ts';
import {
  type CreateEndpoint,
  type CreateRegion,
  type CreateService,
  endpointFields,
  regionFields,
  serviceFields,
  type UpdateEndpoint,
  type UpdateRegion,
  type UpdateService,
} from './catalog.schema.ts';
import {
  deleteEntry,
  deleteRegions,
  type Entry,
  findEntry,
  haveEndpoints,
  insertEntry,
  insertRegionUnlessThere,
  listEntries,
  lockEntry,
  regionAncestors,
  regionTree,
  updateEntry,
} from './catalog.store.ts';
import { hasUnknownPart } from './token-catalog.ts';

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
type Table = keyof typeof kindOf;

export function createCatalog({ db, change }: Pick<Deps, 'db' | 'change'>) {
  const target = async <T extends Table>(table: T, id: string): Promise<IdentityTarget<Entry[T]>> =>
    targetOf(
      await findEntry(db.read, table, id),
      () => ({}),
      () => fail(`${kindOf[table as Table]}.not_found`, { id }),
    );

  async function list<T extends Table>(table: T, query: Query) {
    const page = await listEntries(db, table, pageOf(query), criteriaOf(query, filters[table]));
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  /** Every view shows the catalog, so every change of it touches every view. Work that says false found the entry gone. */
  function write(
    caller: Caller,
    table: Table,
    verb: string,
    id: string,
    work: (change: Change) => Promise<unknown>,
  ): Promise<void> {
    return change(caller, async (inside) => {
      if ((await work(inside)) === false) fail(`${kindOf[table]}.not_found`, { id });
      inside.touch(tagOf.everything);
      inside.audit(`${kindOf[table]}.${verb}`, { kind: kindOf[table], id });
    });
  }

  /** A change by what the entry is at that moment, which is held until the change ends. */
  async function revise<T extends Table>(
    caller: Caller,
    table: T,
    id: string,
    work: (change: Change, held: () => Promise<Entry[T]>) => Promise<void>,
  ): Promise<Entry[T]> {
    let entry: Entry[T] | undefined;
    await write(caller, table, 'updated', id, async (inside) => {
      const held = async (): Promise<Entry[T]> =>
        (await lockEntry(db, inside.tx, table, id)) ?? fail(`${kindOf[table as Table]}.not_found`, { id });
      await work(inside, held);
      entry = await held();
    });
    return entry!;
  }

  async function checkParent(tx: Tx, id: string, parent: string | null): Promise<void> {
    if (parent === null) return;
    await oneAtATime(db, tx, 'regions');
    if (!(await findEntry(tx, 'regions', parent))) fail('region.not_found', { id: parent });
    if ((await regionAncestors(tx, parent)).has(id)) fail('region.cycle', { id });
  }

  /** `pathId`: the id of the address, where it names one. */
  async function createRegion(caller: Caller, body: Static<typeof CreateRegion>['region'], pathId?: string): Promise<RegionRow> {
    if (pathId !== undefined && !/^[^/]{1,255}$/.test(pathId))
      fail('request.bad_value', { field: 'id', why: 'it must have 1 to 255 characters and no slash' });
    if (pathId !== undefined && body.id !== undefined && body.id !== pathId)
      fail('request.bad_value', { field: 'id', why: 'it is not the one of the address' });
    const row: RegionRow = {
      id: pathId ?? (body.id || newId()),
      description: body.description ?? '',
      parent_region_id: body.parent_region_id ?? null,
      extra: JSON.stringify(extraOf(body, regionFields)),
    };
    await write(caller, 'regions', 'created', row.id, async ({ tx }) => {
      await checkParent(tx, row.id, row.parent_region_id);
      const made = await withParent(row.parent_region_id, () => insertRegionUnlessThere(tx, row));
      if (!made) fail('resource.duplicate', { kind: 'region', field: 'ID', value: row.id });
    });
    return row;
  }

  async function updateRegion(
    caller: Caller,
    { id }: RegionRow,
    body: Static<typeof UpdateRegion>['region'],
  ): Promise<RegionRow> {
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'region' });
    const { parent_region_id: parent } = body;
    return revise(caller, 'regions', id, async ({ tx }, held) => {
      if (parent !== undefined) await checkParent(tx, id, parent);
      const region = await held();
      const values = {
        description: body.description === undefined ? region.description : (body.description ?? ''),
        parent_region_id: parent === undefined ? region.parent_region_id : parent,
        extra: mergeExtra(region.extra, extraOf(body, regionFields)),
      };
      await withParent(values.parent_region_id, () => updateEntry(tx, 'regions', id, values));
    });
  }

  async function removeRegion(caller: Caller, { id }: RegionRow): Promise<void> {
    await write(caller, 'regions', 'deleted', id, async ({ tx, audit }) => {
      const tree = await regionTree(tx, id);
      if (await haveEndpoints(tx, tree)) fail('region.has_endpoints', { id });
      await unlessMoved(
        () => fail('region.has_endpoints', { id }),
        () => deleteRegions(tx, tree),
      );
      for (const below of tree) if (below !== id) audit('region.deleted', { kind: 'region', id: below });
    });
  }

  async function createService(caller: Caller, body: Static<typeof CreateService>['service']): Promise<ServiceRow> {
    const row: ServiceRow = {
      id: newId(),
      type: body.type,
      name: body.name ?? null,
      enabled: bit(body.enabled ?? true),
      extra: JSON.stringify(extraOf(body, serviceFields)),
    };
    await write(caller, 'services', 'created', row.id, ({ tx }) => insertEntry(tx, 'services', row));
    return row;
  }

  async function updateService(
    caller: Caller,
    { id }: ServiceRow,
    body: Static<typeof UpdateService>['service'],
  ): Promise<ServiceRow> {
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'service' });
    return revise(caller, 'services', id, async ({ tx }, held) => {
      const service = await held();
      const values = {
        type: body.type ?? service.type,
        name: body.name === undefined ? service.name : body.name,
        enabled: body.enabled === undefined ? service.enabled : bit(body.enabled),
        extra: mergeExtra(service.extra, extraOf(body, serviceFields)),
      };
      await updateEntry(tx, 'services', id, values);
    });
  }

  async function checkParts(row: Pick<EndpointRow, 'service_id' | 'url'>): Promise<void> {
    if (hasUnknownPart(row.url)) {
      fail('request.bad_value', {
        field: 'url',
        why: 'only $(project_id)s, $(tenant_id)s and $(user_id)s can be filled in',
      });
    }
    if (!(await findEntry(db.read, 'services', row.service_id)))
      fail('request.bad_value', { field: 'service_id', why: `there is no service ${row.service_id}` });
  }

  /** The old way to name a region made it on the fly; the new one (`region_id`) insists that it is there. */
  async function regionOf(
    { tx, audit }: Change,
    body: { region_id?: string | null | undefined; region?: string | null | undefined },
  ): Promise<string | null | undefined> {
    const { region_id: id, region: name } = body;
    if (id !== undefined && id !== null) {
      if (!(await findEntry(tx, 'regions', id)))
        fail('request.bad_value', { field: 'region_id', why: `there is no region ${id}` });
      return id;
    }
    if (!name) return id === null || name === null ? null : undefined;
    const made = await insertRegionUnlessThere(tx, { id: name, description: '', parent_region_id: null, extra: '{}' });
    if (made) audit('region.created', { kind: 'region', id: name });
    return name;
  }

  async function createEndpoint(caller: Caller, body: Static<typeof CreateEndpoint>['endpoint']): Promise<EndpointRow> {
    const row: EndpointRow = {
      id: newId(),
      service_id: body.service_id,
      region_id: null,
      interface: body.interface,
      url: body.url,
      enabled: bit(body.enabled ?? true),
      extra: JSON.stringify(extraOf(body, endpointFields)),
    };
    await checkParts(row);
    await write(caller, 'endpoints', 'created', row.id, async (inside) => {
      row.region_id = (await regionOf(inside, body)) ?? null;
      await withService(row, () => insertEntry(inside.tx, 'endpoints', row));
    });
    return row;
  }

  async function updateEndpoint(
    caller: Caller,
    seen: EndpointRow,
    body: Static<typeof UpdateEndpoint>['endpoint'],
  ): Promise<EndpointRow> {
    const { id } = seen;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'endpoint' });
    await checkParts({ service_id: body.service_id ?? seen.service_id, url: body.url ?? seen.url });
    return revise(caller, 'endpoints', id, async (inside, held) => {
      const region = await regionOf(inside, body);
      const endpoint = await held();
      const values = {
        service_id: body.service_id ?? endpoint.service_id,
        region_id: region === undefined ? endpoint.region_id : region,
        interface: body.interface ?? endpoint.interface,
        url: body.url ?? endpoint.url,
        enabled: body.enabled === undefined ? endpoint.enabled : bit(body.enabled),
        extra: mergeExtra(endpoint.extra, extraOf(body, endpointFields)),
      };
      await withService(values, () => updateEntry(inside.tx, 'endpoints', id, values));
    });
  }

  const remove = (caller: Caller, table: 'services' | 'endpoints', id: string): Promise<void> =>
    write(caller, table, 'deleted', id, ({ tx }) => deleteEntry(tx, table, id));

  return {
    target,
    list,
    createRegion,
    updateRegion,
    removeRegion,
    createService,
    updateService,
    removeService: (caller: Caller, { id }: ServiceRow) => remove(caller, 'services', id),
    createEndpoint,
    updateEndpoint,
    removeEndpoint: (caller: Caller, { id }: EndpointRow) => remove(caller, 'endpoints', id),
  };
}

const withParent = <T>(parent: string | null, write: () => Promise<T>): Promise<T> =>
  unlessMoved(() => fail('region.not_found', { id: parent ?? '' }), write);

const withService = <T>({ service_id: id }: { service_id: string }, write: () => Promise<T>): Promise<T> =>
  unlessMoved(() => fail('service.not_found', { id }), write);

export type CatalogRules = ReturnType<typeof createCatalog>;
