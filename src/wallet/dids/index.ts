// DIDs of the wallet: /api/v1/wallet/dids.
export { mountDids } from './dids.routes.ts';
export { createDids, type Dids } from './dids.rules.ts';
export { hostOf } from './hosting.ts';
export { mountNode } from './node.routes.ts';
