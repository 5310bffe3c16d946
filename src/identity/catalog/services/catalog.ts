// The nouns of the catalog.
import type { Deps } from '../../ground/resource/index.ts';
import { createEndpoints } from './endpoint.ts';
import { createRegions } from './region.ts';
import { createServices } from './service.ts';

export const createCatalog = (deps: Pick<Deps, 'db' | 'change' | 'clock'>) => ({
  regions: createRegions(deps),
  services: createServices(deps),
  endpoints: createEndpoints(deps),
});

export type CatalogNouns = ReturnType<typeof createCatalog>;
