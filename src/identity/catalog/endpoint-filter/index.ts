// OS-EP-FILTER: which endpoints are in the catalog of a project's tokens.
export { mountEndpointFilter } from './endpoint-filter.routes.ts';
export { createEndpointFilter, type EndpointFilter, givePart } from './endpoint-filter.rules.ts';
export { projectEndpointIds } from './endpoint-filter.store.ts';
export { endpointGroup } from './endpoint-group.ts';
