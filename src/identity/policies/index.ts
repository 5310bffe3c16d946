// Policies: texts that services store here, and which endpoints they are for (OS-ENDPOINT-POLICY).
export { createPolicies, mountPolicies, type Policies } from './policies.routes.ts';
