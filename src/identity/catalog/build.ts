// What services there are, and what they ask about projects.
import type { Directory } from '../directory/build.ts';
import { createEndpointFilter } from './endpoint-filter/index.ts';
import { createLimits } from './limits/index.ts';
import { createNouns } from './nouns.ts';
import { createPolicyAssociations } from './policies/index.ts';

export async function buildCatalog(below: Directory) {
  const limits = createLimits(below);
  await limits.checkProjectTree();
  const parts = { ...below, limits, nouns: createNouns(below) };
  return { ...parts, endpointFilter: createEndpointFilter(parts), policyAssociations: createPolicyAssociations(parts) };
}

export type Catalog = Awaited<ReturnType<typeof buildCatalog>>;
