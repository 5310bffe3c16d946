// The catalog: regions, services and endpoints, and the catalog in tokens.
export { Catalog } from './catalog.schema.ts';
export { endpoint } from './endpoint.ts';
export { region } from './region.ts';
export { service } from './service.ts';
export { type CatalogEntry, tokenCatalog } from './token-catalog.ts';
