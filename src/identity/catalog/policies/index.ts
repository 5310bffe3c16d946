// Policies: texts that services store here, and which endpoints they are for (OS-ENDPOINT-POLICY).
export { mountPolicies } from './policies.routes.ts';
export { createPolicies, type Policies } from './policy.ts';
