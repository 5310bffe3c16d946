// /v3/regions, /v3/services, /v3/endpoints

import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
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
  app.get(
    '/v3/regions',
    {
      summary: 'List regions',
      tag,
      policy: 'identity:list_regions',
      described: filtered(['parent_region_id']),
      reply: { 200: RegionList },
    },
    async (call) => {
      const page = await catalog.list(call.caller, 'regions', call.query);
      return listOf(call, 'regions', { ...page, items: page.items.map((row) => renderRegion(call.base, row)) });
    },
  );
  app.post(
    '/v3/regions',
    { summary: 'Create a region', tag, policy: 'identity:create_region', body: CreateRegion, reply: { 201: RegionEnvelope } },
    async ({ caller, body, base }) => ({ region: renderRegion(base, await catalog.createRegion(caller, body.region)) }),
  );
  app.put(
    '/v3/regions/:region_id',
    {
      summary: 'Create a region with this id',
      tag,
      policy: 'identity:create_region',
      body: CreateRegion,
      reply: { 201: RegionEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      region: renderRegion(base, await catalog.createRegion(caller, body.region, params.region_id)),
    }),
  );
  app.get(
    '/v3/regions/:region_id',
    { summary: 'Show a region', tag, policy: 'identity:get_region', reply: { 200: RegionEnvelope } },
    async ({ caller, params, base }) => ({ region: renderRegion(base, await catalog.getRegion(caller, params.region_id)) }),
  );
  app.patch(
    '/v3/regions/:region_id',
    { summary: 'Change a region', tag, policy: 'identity:update_region', body: UpdateRegion, reply: { 200: RegionEnvelope } },
    async ({ caller, params, body, base }) => ({
      region: renderRegion(base, await catalog.updateRegion(caller, params.region_id, body.region)),
    }),
  );
  app.delete(
    '/v3/regions/:region_id',
    { summary: 'Delete an unused region', tag, policy: 'identity:delete_region', reply: { 204: null } },
    async ({ caller, params }) => catalog.removeRegion(caller, params.region_id),
  );
}

function mountServices(app: IdentityApp, catalog: CatalogRules): void {
  app.get(
    '/v3/services',
    {
      summary: 'List services',
      tag,
      policy: 'identity:list_services',
      described: filtered(['name', 'type'], ['enabled']),
      reply: { 200: ServiceList },
    },
    async (call) => {
      const page = await catalog.list(call.caller, 'services', call.query);
      return listOf(call, 'services', { ...page, items: page.items.map((row) => renderService(call.base, row)) });
    },
  );
  app.post(
    '/v3/services',
    { summary: 'Create a service', tag, policy: 'identity:create_service', body: CreateService, reply: { 201: ServiceEnvelope } },
    async ({ caller, body, base }) => ({ service: renderService(base, await catalog.createService(caller, body.service)) }),
  );
  app.get(
    '/v3/services/:service_id',
    { summary: 'Show a service', tag, policy: 'identity:get_service', reply: { 200: ServiceEnvelope } },
    async ({ caller, params, base }) => ({ service: renderService(base, await catalog.getService(caller, params.service_id)) }),
  );
  app.patch(
    '/v3/services/:service_id',
    { summary: 'Change a service', tag, policy: 'identity:update_service', body: UpdateService, reply: { 200: ServiceEnvelope } },
    async ({ caller, params, body, base }) => ({
      service: renderService(base, await catalog.updateService(caller, params.service_id, body.service)),
    }),
  );
  app.delete(
    '/v3/services/:service_id',
    { summary: 'Delete a service and its endpoints', tag, policy: 'identity:delete_service', reply: { 204: null } },
    async ({ caller, params }) => catalog.removeService(caller, params.service_id),
  );
}

function mountEndpoints(app: IdentityApp, catalog: CatalogRules): void {
  app.get(
    '/v3/endpoints',
    {
      summary: 'List endpoints',
      tag,
      policy: 'identity:list_endpoints',
      described: filtered(['service_id', 'region_id', 'interface'], ['enabled']),
      reply: { 200: EndpointList },
    },
    async (call) => {
      const page = await catalog.list(call.caller, 'endpoints', call.query);
      return listOf(call, 'endpoints', { ...page, items: page.items.map((row) => renderEndpoint(call.base, row)) });
    },
  );
  app.post(
    '/v3/endpoints',
    {
      summary: 'Create an endpoint',
      tag,
      policy: 'identity:create_endpoint',
      body: CreateEndpoint,
      reply: { 201: EndpointEnvelope },
    },
    async ({ caller, body, base }) => ({ endpoint: renderEndpoint(base, await catalog.createEndpoint(caller, body.endpoint)) }),
  );
  app.get(
    '/v3/endpoints/:endpoint_id',
    { summary: 'Show an endpoint', tag, policy: 'identity:get_endpoint', reply: { 200: EndpointEnvelope } },
    async ({ caller, params, base }) => ({
      endpoint: renderEndpoint(base, await catalog.getEndpoint(caller, params.endpoint_id)),
    }),
  );
  app.patch(
    '/v3/endpoints/:endpoint_id',
    {
      summary: 'Change an endpoint',
      tag,
      policy: 'identity:update_endpoint',
      body: UpdateEndpoint,
      reply: { 200: EndpointEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      endpoint: renderEndpoint(base, await catalog.updateEndpoint(caller, params.endpoint_id, body.endpoint)),
    }),
  );
  app.delete(
    '/v3/endpoints/:endpoint_id',
    { summary: 'Delete an endpoint', tag, policy: 'identity:delete_endpoint', reply: { 204: null } },
    async ({ caller, params }) => catalog.removeEndpoint(caller, params.endpoint_id),
  );
}
