// Publication of DID documents, and updates when their keys change.
export { type DidDocument, type DidService, methodId } from './document.ts';
export { mountDocuments } from './documents.routes.ts';
export { createDocuments, type Documents } from './documents.ts';
export type { CarriedKey } from './publication.store.ts';
export { createPublication, type Publication } from './publication.ts';
export { NODE_NAME } from './publishing.ts';
export { retireKeys } from './retire.ts';
