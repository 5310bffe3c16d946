// Policies: texts that services store here, and which endpoints they are for (OS-ENDPOINT-POLICY).
export { createPolicyAssociations } from './associations.rules.ts';
export { mountPolicyAssociations } from './policies.routes.ts';
export { policy } from './policy.ts';
