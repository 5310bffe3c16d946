// Publication: DID documents, and what becomes of them when their keys change.
export {
  type DidDocument,
  methodId,
  type Service,
} from './document.ts';
export {
  addKey,
  type CarriedKey,
  didsOfKey,
  findDocument,
  keysOfDids,
  overdueKeys,
} from './publication.store.ts';
export { createPublication, documentTag, NODE_NAME, type Publication } from './publication.ts';
