// The catalog in a token: endpoint addresses with the ids of the token's project and user filled in.
import type { Reader } from '../../ground/database/index.ts';
import { readCatalog } from './catalog.store.ts';

export interface CatalogEntry {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly { id: string; interface: string; region: string | null; region_id: string | null; url: string }[];
}

const PLACEHOLDER = /\$\((tenant_id|project_id|user_id)\)s|%\((tenant_id|project_id|user_id)\)s/g;

/** Whether a URL has a placeholder that we cannot fill in. Clients would get it as it is. */
export const hasUnknownPlaceholder = (url: string): boolean => /[$%]\(/.test(url.replace(PLACEHOLDER, ''));

/** Undefined when the URL needs a project and the token has none. Such an endpoint is left out, as in Keystone. */
function substitute(url: string, values: { project_id: string | undefined; user_id: string }): string | undefined {
  let complete = true;
  const text = url.replace(PLACEHOLDER, (_, dollar?: string, percent?: string) => {
    const name = dollar ?? percent;
    const value = name === 'user_id' ? values.user_id : values.project_id;
    if (value === undefined) complete = false;
    return value ?? '';
  });
  return complete ? text : undefined;
}

/** `endpointIds`: the endpoints that the project is limited to. Services that have none of them are left out, as in Keystone. */
export async function tokenCatalog(
  db: Reader,
  values: { project_id: string | undefined; user_id: string },
  endpointIds?: ReadonlySet<string>,
): Promise<CatalogEntry[]> {
  const { services, endpoints } = await readCatalog(db);
  const byService = Map.groupBy(endpoints, (endpoint) => endpoint.service_id);
  const entries = services.map((service) => ({
    id: service.id,
    type: service.type,
    name: service.name ?? '',
    endpoints: (byService.get(service.id) ?? []).flatMap((endpoint) => {
      if (endpointIds && !endpointIds.has(endpoint.id)) return [];
      const url = substitute(endpoint.url, values);
      if (url === undefined) return [];
      return [{ id: endpoint.id, interface: endpoint.interface, region: endpoint.region_id, region_id: endpoint.region_id, url }];
    }),
  }));
  return endpointIds ? entries.filter((entry) => entry.endpoints.length > 0) : entries;
}
