// Regions, services, endpoints; policies; endpoint filter and endpoint policy.
import { type Area, as, del, get, head, patch, post, put } from '../request.ts';
import { tour } from '../tour.ts';

export const regions: Area = {
  title: 'regions',
  requests: [
    ...tour({
      path: '/v3/regions',
      one: 'region',
      name: 'toured region',
      good: { id: 'toured', description: 'a region' },
      bad: [
        { id: 7 },
        { id: '' },
        { id: 'x'.repeat(256) },
        { description: 7 },
        { description: null, id: 'toured-2' },
        { parent_region_id: 'no-such' },
        { parent_region_id: 7 },
        { parent_region_id: null, id: 'toured-3' },
        { anything: 'else', id: 'toured-4' },
      ],
      change: { description: 'changed' },
      badChanges: [{ description: 7 }, { parent_region_id: 'no-such' }, { parent_region_id: null }, { anything: 'else' }],
      filters: ['parent_region_id=RegionOne', 'parent_region_id=no-such', 'id=toured', 'description=a'],
    }),
    post('/v3/regions', { region: {} }, { keep: { 'named by the service': 'region.id' } }),
    put('/v3/regions/by-put', { region: { description: 'x' } }),
    put('/v3/regions/by-put', { region: { description: 'x' } }),
    put('/v3/regions/by-put-2', { region: { id: 'another' } }),
    post('/v3/regions', { region: { id: 'child', parent_region_id: 'by-put' } }),
    patch('/v3/regions/by-put', { region: { parent_region_id: 'child' } }),
    del('/v3/regions/by-put'),
    del('/v3/regions/child'),
    del('/v3/regions/by-put'),
    post('/v3/regions', { region: { id: 'with space' } }),
    get('/v3/regions/with%20space'),
  ],
};

export const services: Area = {
  title: 'services',
  requests: [
    ...tour({
      path: '/v3/services',
      one: 'service',
      name: 'toured service',
      good: { type: 'volume', name: 'toured', description: 'a service' },
      again: true,
      bad: [
        { type: undefined },
        { type: '' },
        { type: 7 },
        { type: 'x'.repeat(256) },
        { name: 7 },
        { name: '' },
        { name: 'x'.repeat(256) },
        { enabled: 'yes' },
        { description: 7 },
        { anything: 'else' },
      ],
      change: { description: 'changed' },
      badChanges: [{ type: '' }, { type: 7 }, { enabled: 'no' }, { name: null }, { anything: 'else' }],
      filters: ['name=toured', 'type=volume', 'type=no-such', 'type=volume&type=identity', 'enabled=true'],
    }),
    post('/v3/services', { service: { type: 'image' } }, { keep: { images: 'service.id' } }),
    get('/v3/services/{images}'),
  ],
};

const endpoint = { interface: 'public', url: 'http://images.example.org/v2', service_id: '{images}', region_id: 'RegionOne' };

export const endpoints: Area = {
  title: 'endpoints',
  requests: [
    ...tour({
      path: '/v3/endpoints',
      one: 'endpoint',
      name: 'toured endpoint',
      good: endpoint,
      bad: [
        { interface: undefined },
        { interface: 'other' },
        { interface: 7 },
        { url: undefined },
        { url: '' },
        { url: 7 },
        { url: 'not an address' },
        { url: 'http://host/$(tenant_id)s' },
        { url: 'http://host/$(no_such)s' },
        { url: 'http://host/$(tenant_id)' },
        { service_id: undefined },
        { service_id: 'no-such' },
        { service_id: 7 },
        { region_id: 'no-such' },
        { region_id: null },
        { region_id: undefined, region: 'by-the-old-name' },
        { enabled: 'yes' },
        { anything: 'else' },
      ],
      change: { url: 'http://images.example.org/v3' },
      badChanges: [
        { interface: 'other' },
        { url: '' },
        { url: 'http://host/$(no_such)s' },
        { service_id: 'no-such' },
        { region_id: 'no-such' },
        { enabled: 'no' },
        { enabled: false },
        { anything: 'else' },
      ],
      filters: [
        'interface=public',
        'interface=other',
        'service_id={images}',
        'service_id=no-such',
        'region_id=RegionOne',
        'region_id=no-such',
        'interface=public&interface=admin',
      ],
    }),
    post('/v3/endpoints', { endpoint }, { keep: { 'image endpoint': 'endpoint.id' } }),
    ...as('project-member', get('/v3/auth/catalog')),
    get('/v3/endpoints/{image endpoint}'),
  ],
};

export const policies: Area = {
  title: 'policies',
  requests: [
    ...tour({
      path: '/v3/policies',
      one: 'policy',
      name: 'toured policy',
      good: { blob: '{"rule": "role:admin"}', type: 'application/json' },
      again: true,
      bad: [
        { blob: undefined },
        { blob: 7 },
        { blob: '' },
        { type: undefined },
        { type: 7 },
        { type: '' },
        { type: 'x'.repeat(256) },
        { anything: 'else' },
      ],
      change: { blob: 'changed' },
      badChanges: [{ blob: 7 }, { type: 7 }, { anything: 'else' }],
      filters: ['type=application/json', 'type=no-such'],
    }),
    post('/v3/policies', { policy: { blob: 'x', type: 'text/plain' } }, { keep: { policy: 'policy.id' } }),
  ],
};

const association = '/v3/policies/{policy}/OS-ENDPOINT-POLICY';
const ofEndpoint = `${association}/endpoints/{image endpoint}`;
const ofService = `${association}/services/{images}`;
const ofRegion = `${association}/services/{images}/regions/RegionOne`;

export const endpointPolicy: Area = {
  title: 'endpoint policy',
  requests: [
    get('/v3/endpoints/{image endpoint}/OS-ENDPOINT-POLICY/policy'),
    get(`${association}/endpoints`),
    ...[ofEndpoint, ofService, ofRegion].flatMap((path) => [
      get(path),
      head(path),
      del(path),
      put(path),
      put(path),
      get(path),
      head(path),
      get('/v3/endpoints/{image endpoint}/OS-ENDPOINT-POLICY/policy'),
      head('/v3/endpoints/{image endpoint}/OS-ENDPOINT-POLICY/policy'),
      get(`${association}/endpoints`),
      get(path, { as: 'project-member' }),
      put(path, undefined, { as: 'project-member' }),
      get(path, { as: 'nobody' }),
      del(path),
      del(path),
    ]),
    put(`${association}/endpoints/no-such`),
    put(`${association}/services/no-such`),
    put(`${association}/services/{images}/regions/no-such`),
    put('/v3/policies/no-such/OS-ENDPOINT-POLICY/services/{images}'),
    get('/v3/policies/no-such/OS-ENDPOINT-POLICY/endpoints'),
    get('/v3/endpoints/no-such/OS-ENDPOINT-POLICY/policy'),
    del('/v3/policies/{policy}'),
  ],
};

const filter = '/v3/OS-EP-FILTER';
const group = `${filter}/endpoint_groups/{endpoint group}`;

export const endpointFilter: Area = {
  title: 'endpoint filter',
  requests: [
    ...tour({
      path: `${filter}/endpoint_groups`,
      one: 'endpoint_group',
      name: 'toured endpoint group',
      good: { name: 'toured', description: 'a group', filters: { interface: 'public' } },
      bad: [
        { name: undefined },
        { name: '' },
        { name: 7 },
        { filters: undefined },
        { filters: {} },
        { filters: 'text' },
        { filters: { no_such: 'x' } },
        { filters: { interface: 'other' } },
        { filters: { region_id: 'RegionOne', service_id: '{images}' }, name: 'toured-2' },
        { description: 7 },
        { anything: 'else', name: 'toured-3' },
      ],
      change: { description: 'changed' },
      badChanges: [{ name: '' }, { filters: {} }, { filters: { no_such: 'x' } }, { anything: 'else' }],
      filters: ['name=toured', 'name=no-such'],
    }),
    ...[`${filter}/projects/{lonely}/endpoints/{image endpoint}`, `${filter}/projects/{web}/endpoints/{public endpoint}`].flatMap(
      (path) => [
        get(path),
        head(path),
        put(path),
        put(path),
        get(path),
        head(path),
        get(path, { as: 'project-member' }),
        get(path, { as: 'nobody' }),
      ],
    ),
    ...as('project-member', get('/v3/auth/catalog')),
    get(`${filter}/projects/{lonely}/endpoints`),
    head(`${filter}/projects/{lonely}/endpoints`),
    get(`${filter}/projects/no-such/endpoints`),
    get(`${filter}/endpoints/{image endpoint}/projects`),
    get(`${filter}/endpoints/no-such/projects`),
    put(`${filter}/projects/no-such/endpoints/{image endpoint}`),
    put(`${filter}/projects/{lonely}/endpoints/no-such`),
    post(
      `${filter}/endpoint_groups`,
      { endpoint_group: { name: 'images', filters: { service_id: '{images}' } } },
      { keep: { 'endpoint group': 'endpoint_group.id' } },
    ),
    get(`${group}/endpoints`),
    get(`${group}/projects`),
    put(`${group}/projects/{web}`),
    put(`${group}/projects/{web}`),
    get(`${group}/projects/{web}`),
    head(`${group}/projects/{web}`),
    get(`${group}/projects/{lonely}`),
    get(`${group}/projects`),
    get(`${filter}/projects/{web}/endpoint_groups`),
    get(`${filter}/projects/no-such/endpoint_groups`),
    get(`${filter}/projects/{web}/endpoints`),
    put(`${group}/projects/no-such`),
    put(`${filter}/endpoint_groups/no-such/projects/{web}`),
    ...as('project-member', get(`${group}/projects`), put(`${group}/projects/{web}`), get('/v3/auth/catalog')),
    del(`${group}/projects/{web}`),
    del(`${group}/projects/{web}`),
    del(group),
    del(`${filter}/projects/{lonely}/endpoints/{image endpoint}`),
    del(`${filter}/projects/{lonely}/endpoints/{image endpoint}`),
    del(`${filter}/projects/{web}/endpoints/{public endpoint}`),
    ...as('project-member', get('/v3/auth/catalog')),
  ],
};
