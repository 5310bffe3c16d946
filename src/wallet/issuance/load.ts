// The parts of this module that are expensive to load.
export { createClients } from './clients.ts';
export { createIssuance } from './issuance.rules.ts';
