// DIDs and the documents the node hosts for them.
export { mountDids } from './dids.routes.ts';
export { createDids, type Dids } from './dids.rules.ts';
export { countDids, findDid } from './dids.store.ts';
export { mountDocuments } from './documents.routes.ts';
export { createDocuments, type Documents } from './documents.ts';
export { hostOf } from './hosting.ts';
