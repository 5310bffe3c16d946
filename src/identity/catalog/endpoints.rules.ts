// Endpoints: the addresses of a service, optionally in a region.
import type { Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { EndpointRow } from '../database.ts';
import { fail } from '../faults.ts';
import { bit, extraOf, failOnBrokenReference, mergeExtra } from '../resource/index.ts';
import { type CreateEndpoint, endpointFields, type UpdateEndpoint } from './catalog.schema.ts';
import { findEntry, insertEntry, insertRegionIfMissing, updateEntry } from './catalog.store.ts';
import { type CatalogDeps, reviseEntry, writeEntry } from './entries.ts';
import { hasUnknownPlaceholder } from './token-catalog.ts';

export type NewEndpoint = Static<typeof CreateEndpoint>['endpoint'];
export type EndpointChanges = Static<typeof UpdateEndpoint>['endpoint'];

const withService = <T>({ service_id: id }: { service_id: string }, write: () => Promise<T>): Promise<T> =>
  failOnBrokenReference(() => fail('service.not_found', { id }), write);

async function checkParts({ db }: CatalogDeps, row: Pick<EndpointRow, 'service_id' | 'url'>): Promise<void> {
  if (hasUnknownPlaceholder(row.url)) {
    fail('request.bad_value', {
      field: 'url',
      why: 'only $(project_id)s, $(tenant_id)s and $(user_id)s can be filled in',
    });
  }
  if (!(await findEntry(db.read, 'services', row.service_id)))
    fail('request.bad_value', { field: 'service_id', why: `there is no service ${row.service_id}` });
}

/** A region named by the old field `region` is created if needed. The new field `region_id` must name an existing one. */
async function regionOf(
  { tx, audit }: Change,
  body: { region_id?: string | null | undefined; region?: string | null | undefined },
): Promise<string | null | undefined> {
  const { region_id: id, region: name } = body;
  if (id !== undefined && id !== null) {
    if (!(await findEntry(tx, 'regions', id))) fail('request.bad_value', { field: 'region_id', why: `there is no region ${id}` });
    return id;
  }
  if (!name) return id === null || name === null ? null : undefined;
  const isNew = await insertRegionIfMissing(tx, { id: name, description: '', parent_region_id: null, extra: '{}' });
  if (isNew) audit('region.created', { kind: 'region', id: name });
  return name;
}

export async function createEndpoint(deps: CatalogDeps, caller: Caller, body: NewEndpoint): Promise<EndpointRow> {
  const row: EndpointRow = {
    id: newId(),
    service_id: body.service_id,
    region_id: null,
    interface: body.interface,
    url: body.url,
    enabled: bit(body.enabled ?? true),
    extra: JSON.stringify(extraOf(body, endpointFields)),
  };
  await checkParts(deps, row);
  await writeEntry(deps, caller, 'endpoints', 'created', row.id, async (transaction) => {
    row.region_id = (await regionOf(transaction, body)) ?? null;
    await withService(row, () => insertEntry(transaction.tx, 'endpoints', row));
  });
  return row;
}

export async function updateEndpoint(
  deps: CatalogDeps,
  caller: Caller,
  before: EndpointRow,
  body: EndpointChanges,
): Promise<EndpointRow> {
  const { id } = before;
  if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'endpoint' });
  await checkParts(deps, { service_id: body.service_id ?? before.service_id, url: body.url ?? before.url });
  return reviseEntry(deps, caller, 'endpoints', id, async (transaction, lock) => {
    const region = await regionOf(transaction, body);
    const endpoint = await lock();
    const values = {
      service_id: body.service_id ?? endpoint.service_id,
      region_id: region === undefined ? endpoint.region_id : region,
      interface: body.interface ?? endpoint.interface,
      url: body.url ?? endpoint.url,
      enabled: body.enabled === undefined ? endpoint.enabled : bit(body.enabled),
      extra: mergeExtra(endpoint.extra, extraOf(body, endpointFields)),
    };
    await withService(values, () => updateEntry(transaction.tx, 'endpoints', id, values));
  });
}
