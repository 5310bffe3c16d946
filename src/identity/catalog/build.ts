// What services there are, and what they ask about projects.
import type { Directory } from '../directory/build.ts';
import { createEndpointFilter } from './endpoint-filter/index.ts';
import { createLimits } from './limits/index.ts';
import { createPolicies } from './policies/index.ts';
import { createCatalog } from './services/index.ts';

export async function buildCatalog(below: Directory) {
  const limits = createLimits(below);
  await limits.checkProjectTree();
  return {
    ...below,
    ...createCatalog(below),
    endpointFilter: createEndpointFilter(below),
    policies: createPolicies(below),
    limits,
  };
}

export type Catalog = Awaited<ReturnType<typeof buildCatalog>>;
