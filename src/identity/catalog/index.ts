// The catalog: regions, services and endpoints, and the catalog in tokens.
export { createCatalog, mountCatalog } from './catalog.routes.ts';
export { Catalog } from './catalog.schema.ts';
export { readCatalog } from './catalog.store.ts';
export { endpoint } from './endpoint.ts';
export { type CatalogEntry, tokenCatalog } from './token-catalog.ts';
