// The catalog: regions, services and endpoints, and the catalog in tokens.
export { mountCatalog } from './catalog.routes.ts';
export { Catalog } from './catalog.schema.ts';
export { readCatalog } from './catalog.store.ts';
export { createCatalog } from './catalog.ts';
export { endpoint } from './endpoint.ts';
export { type CatalogEntry, tokenCatalog } from './token-catalog.ts';
