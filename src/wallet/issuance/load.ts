// Everything of this module that costs something to load.
export { createClients } from './clients.ts';
export { createIssuance } from './issuance.rules.ts';
