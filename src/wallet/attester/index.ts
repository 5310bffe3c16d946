// The node as the provider of its wallets, and its wallets as clients of authorization servers: attestations and client assertions.
export { mountAttester } from './attester.routes.ts';
export { type Attester, createAttester } from './attester.ts';
