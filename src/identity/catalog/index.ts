// The catalog: regions, services and endpoints, and the catalog in tokens.
export { mountCatalog } from './catalog.routes.ts';
export { createCatalog } from './catalog.rules.ts';
export { Catalog, EndpointList, renderEndpoint } from './catalog.schema.ts';
export { insertEntry, readCatalog } from './catalog.store.ts';
export { type CatalogEntry, tokenCatalog } from './token-catalog.ts';
