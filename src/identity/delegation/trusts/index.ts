// Trusts: users let others use some of their roles in one project.
// redelegation.ts is what may be passed on, delegation.ts what their tokens may do.
export { trustDelegation } from './delegation.ts';
export { importTrust, replaceTrustEnds } from './imported.rules.ts';
export { mountTrusts } from './trusts.routes.ts';
export { createTrusts, endTrusts, type Trusts } from './trusts.rules.ts';
