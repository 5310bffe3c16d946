// /v3/regions, /v3/services, /v3/endpoints

import type { IdentityApp } from '../access/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  withEtag,
} from '../resource/index.ts';
import type { CatalogRules } from './catalog.rules.ts';
import {
  CreateEndpoint,
  CreateRegion,
  CreateService,
  EndpointEnvelope,
  EndpointList,
  RegionEnvelope,
  RegionList,
  renderEndpoint,
  renderRegion,
  renderService,
  ServiceEnvelope,
  ServiceList,
  UpdateEndpoint,
  UpdateRegion,
  UpdateService,
} from './catalog.schema.ts';

const tag = 'Catalog';

export function mountCatalog(app: IdentityApp, { catalog }: { catalog: CatalogRules }): void {
  mountRegions(app, catalog);
  mountServices(app, catalog);
  mountEndpoints(app, catalog);
}

function mountRegions(app: IdentityApp, catalog: CatalogRules): void {
  const target = ({ params }: { params: { region_id: string } }) => catalog.target('regions', params.region_id);

  app.get(
    '/v3/regions',
    {
      summary: 'List regions',
      tag,
      rule: 'identity:list_regions',
      documentation: filterDocumentation(['parent_region_id']),
      reply: { 200: RegionList },
    },
    async (call) => {
      const page = await catalog.list('regions', call.query);
      return listOf(call, 'regions', { ...page, items: page.items.map((row) => renderRegion(call.base, row)) });
    },
  );
  app.post(
    '/v3/regions',
    { summary: 'Create a region', tag, rule: 'identity:create_region', body: CreateRegion, reply: { 201: RegionEnvelope } },
    async ({ caller, body, base }) => ({ region: renderRegion(base, await catalog.createRegion(caller, body.region)) }),
  );
  app.put(
    '/v3/regions/:region_id',
    {
      summary: 'Create a region with this id',
      tag,
      rule: 'identity:create_region',
      body: CreateRegion,
      reply: { 201: RegionEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      region: renderRegion(base, await catalog.createRegion(caller, body.region, params.region_id)),
    }),
  );
  app.get(
    '/v3/regions/:region_id',
    { summary: 'Show a region', tag, rule: 'identity:get_region', target, documentation: ETAG, reply: { 200: RegionEnvelope } },
    ({ target: row, base }) => withEtag(row, { region: renderRegion(base, row) }),
  );
  app.patch(
    '/v3/regions/:region_id',
    {
      summary: 'Change a region',
      tag,
      rule: 'identity:update_region',
      target,
      body: UpdateRegion,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: RegionEnvelope },
    },
    async (call) => {
      const row = await catalog.updateRegion(callerIfMatch('region', call), call.target, call.body.region);
      return withEtag(row, { region: renderRegion(call.base, row) });
    },
  );
  app.delete(
    '/v3/regions/:region_id',
    {
      summary: 'Delete a region',
      description: 'Only a region without endpoints, in it or below it, can be deleted.',
      tag,
      rule: 'identity:delete_region',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => catalog.removeRegion(callerIfMatch('region', call), call.target),
  );
}

function mountServices(app: IdentityApp, catalog: CatalogRules): void {
  const target = ({ params }: { params: { service_id: string } }) => catalog.target('services', params.service_id);

  app.get(
    '/v3/services',
    {
      summary: 'List services',
      tag,
      rule: 'identity:list_services',
      documentation: filterDocumentation(['name', 'type'], ['enabled']),
      reply: { 200: ServiceList },
    },
    async (call) => {
      const page = await catalog.list('services', call.query);
      return listOf(call, 'services', { ...page, items: page.items.map((row) => renderService(call.base, row)) });
    },
  );
  app.post(
    '/v3/services',
    { summary: 'Create a service', tag, rule: 'identity:create_service', body: CreateService, reply: { 201: ServiceEnvelope } },
    async ({ caller, body, base }) => ({ service: renderService(base, await catalog.createService(caller, body.service)) }),
  );
  app.get(
    '/v3/services/:service_id',
    {
      summary: 'Show a service',
      tag,
      rule: 'identity:get_service',
      target,
      documentation: ETAG,
      reply: { 200: ServiceEnvelope },
    },
    ({ target: row, base }) => withEtag(row, { service: renderService(base, row) }),
  );
  app.patch(
    '/v3/services/:service_id',
    {
      summary: 'Change a service',
      tag,
      rule: 'identity:update_service',
      target,
      body: UpdateService,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: ServiceEnvelope },
    },
    async (call) => {
      const row = await catalog.updateService(callerIfMatch('service', call), call.target, call.body.service);
      return withEtag(row, { service: renderService(call.base, row) });
    },
  );
  app.delete(
    '/v3/services/:service_id',
    {
      summary: 'Delete a service',
      description: 'Its endpoints and its limits are deleted with it.',
      tag,
      rule: 'identity:delete_service',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => catalog.removeService(callerIfMatch('service', call), call.target),
  );
}

function mountEndpoints(app: IdentityApp, catalog: CatalogRules): void {
  const target = ({ params }: { params: { endpoint_id: string } }) => catalog.target('endpoints', params.endpoint_id);

  app.get(
    '/v3/endpoints',
    {
      summary: 'List endpoints',
      tag,
      rule: 'identity:list_endpoints',
      documentation: filterDocumentation(['service_id', 'region_id', 'interface'], ['enabled']),
      reply: { 200: EndpointList },
    },
    async (call) => {
      const page = await catalog.list('endpoints', call.query);
      return listOf(call, 'endpoints', { ...page, items: page.items.map((row) => renderEndpoint(call.base, row)) });
    },
  );
  app.post(
    '/v3/endpoints',
    {
      summary: 'Create an endpoint',
      tag,
      rule: 'identity:create_endpoint',
      body: CreateEndpoint,
      reply: { 201: EndpointEnvelope },
    },
    async ({ caller, body, base }) => ({ endpoint: renderEndpoint(base, await catalog.createEndpoint(caller, body.endpoint)) }),
  );
  app.get(
    '/v3/endpoints/:endpoint_id',
    {
      summary: 'Show an endpoint',
      tag,
      rule: 'identity:get_endpoint',
      target,
      documentation: ETAG,
      reply: { 200: EndpointEnvelope },
    },
    ({ target: row, base }) => withEtag(row, { endpoint: renderEndpoint(base, row) }),
  );
  app.patch(
    '/v3/endpoints/:endpoint_id',
    {
      summary: 'Change an endpoint',
      tag,
      rule: 'identity:update_endpoint',
      target,
      body: UpdateEndpoint,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: EndpointEnvelope },
    },
    async (call) => {
      const row = await catalog.updateEndpoint(callerIfMatch('endpoint', call), call.target, call.body.endpoint);
      return withEtag(row, { endpoint: renderEndpoint(call.base, row) });
    },
  );
  app.delete(
    '/v3/endpoints/:endpoint_id',
    {
      summary: 'Delete an endpoint',
      tag,
      rule: 'identity:delete_endpoint',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => catalog.removeEndpoint(callerIfMatch('endpoint', call), call.target),
  );
}
