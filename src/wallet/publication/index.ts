// Publication: DID documents, what becomes of them when their keys change, and how the world reads them.
export { type DidDocument, methodId, type Service } from './document.ts';
export { mountDocuments } from './documents.routes.ts';
export { createDocuments, type Documents } from './documents.ts';
export type { CarriedKey } from './publication.store.ts';
export { createPublication, NODE_NAME, type Publication } from './publication.ts';
export { retireKeys } from './retire.ts';
