// The catalog: services, their regions and their addresses. Each kind of entry has its own file.
import type { Query } from '../../platform/http/index.ts';
import type { Caller } from '../access/index.ts';
import type { EndpointRow, RegionRow, ServiceRow } from '../database.ts';
import type { CatalogTable } from './catalog.store.ts';
import { createEndpoint, type EndpointChanges, type NewEndpoint, updateEndpoint } from './endpoints.rules.ts';
import { type CatalogDeps, entryTarget, pageOfEntries, removeEntry } from './entries.ts';
import { createRegion, type NewRegion, type RegionChanges, removeRegion, updateRegion } from './regions.rules.ts';
import { createService, type NewService, type ServiceChanges, updateService } from './services.rules.ts';

export function createCatalog(deps: CatalogDeps) {
  return {
    target: <T extends CatalogTable>(table: T, id: string) => entryTarget(deps, table, id),
    list: <T extends CatalogTable>(table: T, query: Query) => pageOfEntries(deps, table, query),

    /** `pathId`: the id in the path, if any. */
    createRegion: (caller: Caller, body: NewRegion, pathId?: string) => createRegion(deps, caller, body, pathId),
    updateRegion: (caller: Caller, region: RegionRow, body: RegionChanges) => updateRegion(deps, caller, region, body),
    removeRegion: (caller: Caller, region: RegionRow) => removeRegion(deps, caller, region),

    createService: (caller: Caller, body: NewService) => createService(deps, caller, body),
    updateService: (caller: Caller, service: ServiceRow, body: ServiceChanges) => updateService(deps, caller, service, body),
    removeService: (caller: Caller, { id }: ServiceRow) => removeEntry(deps, caller, 'services', id),

    createEndpoint: (caller: Caller, body: NewEndpoint) => createEndpoint(deps, caller, body),
    updateEndpoint: (caller: Caller, endpoint: EndpointRow, body: EndpointChanges) =>
      updateEndpoint(deps, caller, endpoint, body),
    removeEndpoint: (caller: Caller, { id }: EndpointRow) => removeEntry(deps, caller, 'endpoints', id),
  };
}

export type CatalogRules = ReturnType<typeof createCatalog>;
