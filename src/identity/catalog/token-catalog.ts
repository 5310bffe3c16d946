// The catalog as a token shows it: addresses with the project and user of the token written in.
import type { EndpointRow, ServiceRow } from '../database.ts';

export interface CatalogEntry {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly endpoints: readonly { id: string; interface: string; region: string | null; region_id: string | null; url: string }[];
}

const KNOWN = /\$\((tenant_id|project_id|user_id)\)s|%\((tenant_id|project_id|user_id)\)s/g;

/** Something to fill in that no token can: such an address would reach clients with the hole in it. */
export const hasUnknownPart = (url: string): boolean => /[$%]\(/.test(url.replace(KNOWN, ''));

/** Undefined when the address needs a project and there is none: such an endpoint is left out, as Keystone does. */
function substituted(url: string, values: { project_id: string | undefined; user_id: string }): string | undefined {
  let complete = true;
  const text = url.replace(KNOWN, (_, dollar?: string, percent?: string) => {
    const name = dollar ?? percent;
    const value = name === 'user_id' ? values.user_id : values.project_id;
    if (value === undefined) complete = false;
    return value ?? '';
  });
  return complete ? text : undefined;
}

export function tokenCatalog(
  { services, endpoints }: { services: readonly ServiceRow[]; endpoints: readonly EndpointRow[] },
  values: { project_id: string | undefined; user_id: string },
): CatalogEntry[] {
  const byService = Map.groupBy(endpoints, (endpoint) => endpoint.service_id);
  return services.map((service) => ({
    id: service.id,
    type: service.type,
    name: service.name ?? '',
    endpoints: (byService.get(service.id) ?? []).flatMap((endpoint) => {
      const url = substituted(endpoint.url, values);
      if (url === undefined) return [];
      return [{ id: endpoint.id, interface: endpoint.interface, region: endpoint.region_id, region_id: endpoint.region_id, url }];
    }),
  }));
}
