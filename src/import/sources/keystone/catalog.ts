// The catalog, which endpoints projects have, policies, and other services that trust this one.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import { type Readers, Unreadable } from '../../source.ts';
import { jsonOf, type Row, type SqlSource, textOf } from '../../sql/index.ts';
import { damaged, eachRow, extraOf, isEnabled, nothingBeside } from './rows.ts';

const INTERFACES = ['public', 'internal', 'admin'];

/** Null stays away: a record says only what there is. */
const said = <Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> => {
  const text = textOf(value);
  return text === undefined ? {} : ({ [name]: text } as Partial<Record<Name, string>>);
};

function endpointOf(row: Row): RecordOf<'endpoint'> | Unreadable {
  const extra = extraOf(row);
  const id = String(row.id);
  if (!extra) return damaged('endpoint', id);
  const { interface: face } = row;
  if (!INTERFACES.includes(String(face))) return new Unreadable(`endpoint ${id}`, `its interface is ${String(face)}`);
  return {
    key: id,
    id,
    service: String(row.service_id),
    interface: String(face) as 'public',
    // Keystone fills in both.
    url: String(row.url).replace(/%\((\w+)\)s/g, '$($1)s'),
    enabled: isEnabled(row.enabled),
    ...said('region', row.region_id),
    extra,
  };
}

function serviceOf(row: Row): RecordOf<'service'> | Unreadable {
  const extra = extraOf(row);
  const id = String(row.id);
  if (!extra) return damaged('service', id);
  const { name, ...others } = extra;
  return {
    key: id,
    id,
    type: String(row.type),
    ...(typeof name === 'string' ? { name } : {}),
    enabled: isEnabled(row.enabled),
    extra: others,
  };
}

export function catalogReaders(source: SqlSource): Readers {
  const each = <Item>(table: string, columns: readonly string[], make: (row: Row) => Item) =>
    eachRow(source, { table, columns, key: ['id'] }, nothingBeside, make);
  return {
    region: () =>
      // Within a batch the order is made; a region below one that comes later is found by the next run.
      each('region', ['description', 'parent_region_id', 'extra'], (row): RecordOf<'region'> | Unreadable => {
        const extra = extraOf(row);
        const id = String(row.id);
        if (!extra) return damaged('region', id);
        return { key: id, id, description: textOf(row.description) ?? '', ...said('parent', row.parent_region_id), extra };
      }),
    service: () => each('service', ['type', 'enabled', 'extra'], serviceOf),
    endpoint: () => each('endpoint', ['interface', 'service_id', 'url', 'extra', 'enabled', 'region_id'], endpointOf),
    endpoint_group: () =>
      each('endpoint_group', ['name', 'description', 'filters'], (row): RecordOf<'endpoint_group'> | Unreadable => {
        const filters = jsonOf(row.filters);
        const id = String(row.id);
        if (!filters) return new Unreadable(`endpoint group ${id}`, 'its filters are no JSON object');
        return { key: id, id, name: String(row.name), ...said('description', row.description), filters };
      }),
    async *project_endpoint() {
      const endpoints = { table: 'project_endpoint', columns: [], key: ['endpoint_id', 'project_id'] };
      yield* eachRow(source, endpoints, nothingBeside, ({ endpoint_id, project_id }) => ({
        key: `${project_id} endpoint ${endpoint_id}`,
        project: String(project_id),
        endpoint: String(endpoint_id),
      }));
      const groups = { table: 'project_endpoint_group', columns: [], key: ['endpoint_group_id', 'project_id'] };
      yield* eachRow(source, groups, nothingBeside, ({ endpoint_group_id, project_id }) => ({
        key: `${project_id} group ${endpoint_group_id}`,
        project: String(project_id),
        endpoint_group: String(endpoint_group_id),
      }));
    },
    policy: () =>
      each('policy', ['type', 'blob', 'extra'], (row): RecordOf<'policy'> | Unreadable => {
        const extra = extraOf(row);
        const id = String(row.id);
        if (!extra) return damaged('policy', id);
        return { key: id, id, type: String(row.type), blob: blobOf(row.blob), extra };
      }),
    service_provider: () =>
      each('service_provider', ['auth_url', 'enabled', 'description', 'sp_url', 'relay_state_prefix'], (row) => ({
        key: String(row.id),
        id: String(row.id),
        auth_url: String(row.auth_url),
        sp_url: String(row.sp_url),
        enabled: isEnabled(row.enabled),
        ...said('description', row.description),
        ...said('relay_state_prefix', row.relay_state_prefix),
      })),
  };
}

/** Keystone stores a text as JSON. */
function blobOf(value: unknown): string {
  const text = textOf(value) ?? '';
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'string' ? read : text;
  } catch {
    return text;
  }
}
