// What services there are, and what they ask about projects.
import type { Nouns } from '../access/noun/index.ts';
import type { Directory } from '../directory/build.ts';
import { createEndpointFilter } from './endpoint-filter/index.ts';
import { createLimits } from './limits/index.ts';
import { createPolicyAssociations } from './policies/index.ts';

export async function buildCatalog(below: Directory, nouns: Nouns) {
  const limits = createLimits(below);
  await limits.checkProjectTree();
  const modules = { ...below, limits, nouns };
  return { ...modules, endpointFilter: createEndpointFilter(modules), policyAssociations: createPolicyAssociations(modules) };
}

export type Catalog = Awaited<ReturnType<typeof buildCatalog>>;
