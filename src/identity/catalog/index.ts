// The catalog: regions, services, endpoints, and the form of them a token carries.
export { mountCatalog } from './catalog.routes.ts';
export { createCatalog } from './catalog.rules.ts';
export { Catalog } from './catalog.schema.ts';
export { insertEntry, readCatalog } from './catalog.store.ts';
export { type CatalogEntry, tokenCatalog } from './token-catalog.ts';
