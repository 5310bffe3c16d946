// Regions, services and endpoints on the wire.
import { t } from '../../platform/http/index.ts';
import type { EndpointRow, RegionRow, ServiceRow } from '../database.ts';
import { Links, ListLinks, parseJson } from '../resource/index.ts';

const RegionId = t.string({ minLength: 0, maxLength: 255, pattern: '^[^/]*$' });

export const regionFields = ['description', 'parent_region_id'];
const NewRegion = t.open(
  {},
  { id: t.nullable(RegionId), description: t.nullable(t.string()), parent_region_id: t.nullable(RegionId) },
);
export const CreateRegion = t.envelope('region', NewRegion);
const RegionChanges = t.changes(t.open({}, { description: t.nullable(t.string()), parent_region_id: t.nullable(RegionId) }));
export const UpdateRegion = t.envelope('region', RegionChanges);
export const Region = t.open({ id: t.string(), description: t.string(), parent_region_id: t.nullable(t.string()), links: Links });
export const RegionEnvelope = t.envelope('region', Region);
export const RegionList = t.object({ links: ListLinks, regions: t.array(Region) });

export const serviceFields = ['type', 'name', 'enabled'];
const Type = t.string({ minLength: 1, maxLength: 255 });
const serviceOptional = {
  name: t.string({ minLength: 1, maxLength: 255 }),
  enabled: t.boolean(),
  description: t.nullable(t.string()),
};
const NewService = t.open({ type: Type }, serviceOptional);
export const CreateService = t.envelope('service', NewService);
const ServiceChanges = t.changes(t.open({}, { type: Type, ...serviceOptional }));
export const UpdateService = t.envelope('service', ServiceChanges);
export const Service = t.open(
  { id: t.string(), type: t.string(), name: t.string(), enabled: t.boolean(), links: Links },
  { description: t.nullable(t.string()) },
);
export const ServiceEnvelope = t.envelope('service', Service);
export const ServiceList = t.object({ links: ListLinks, services: t.array(Service) });

export const endpointFields = ['service_id', 'region_id', 'region', 'interface', 'url', 'enabled'];
const Interface = t.oneOf('public', 'internal', 'admin');
const Url = t.string({ minLength: 1, maxLength: 2048, pattern: '^[a-zA-Z0-9+.-]+:.+' });
const endpointOptional = { region_id: t.nullable(t.string()), region: t.nullable(RegionId), enabled: t.boolean() };
const Id = t.string({ minLength: 1, maxLength: 64 });
const NewEndpoint = t.open({ service_id: Id, interface: Interface, url: Url }, endpointOptional);
export const CreateEndpoint = t.envelope('endpoint', NewEndpoint);
const EndpointChanges = t.changes(t.open({}, { service_id: Id, interface: Interface, url: Url, ...endpointOptional }));
export const UpdateEndpoint = t.envelope('endpoint', EndpointChanges);
export const Endpoint = t.open({
  id: t.string(),
  service_id: t.string(),
  interface: t.string(),
  url: t.string(),
  enabled: t.boolean(),
  region_id: t.nullable(t.string()),
  region: t.nullable(t.string()),
  links: Links,
});
export const EndpointEnvelope = t.envelope('endpoint', Endpoint);
export const EndpointList = t.object({ links: ListLinks, endpoints: t.array(Endpoint) });

/** A service in the catalog of a token. */
const CatalogEntry = t.object({
  id: t.string(),
  type: t.string(),
  name: t.string(),
  endpoints: t.array(
    t.object({
      id: t.string(),
      interface: t.string(),
      region: t.nullable(t.string()),
      region_id: t.nullable(t.string()),
      url: t.string(),
    }),
  ),
});
export const Catalog = t.array(CatalogEntry);

export const renderRegion = (base: string, row: RegionRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  description: row.description,
  parent_region_id: row.parent_region_id,
  links: { self: `${base}/v3/regions/${encodeURIComponent(row.id)}` },
});

export const renderService = (base: string, row: ServiceRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  type: row.type,
  name: row.name ?? '',
  enabled: row.enabled === 1,
  links: { self: `${base}/v3/services/${row.id}` },
});

/** `region` is the old name of `region_id`; clients read either. */
export const renderEndpoint = (base: string, row: EndpointRow) => ({
  ...parseJson(row.extra),
  id: row.id,
  service_id: row.service_id,
  interface: row.interface,
  url: row.url,
  enabled: row.enabled === 1,
  region_id: row.region_id,
  region: row.region_id,
  links: { self: `${base}/v3/endpoints/${row.id}` },
});

t.name({
  CatalogEntry,
  NewRegion,
  CreateRegion,
  RegionChanges,
  UpdateRegion,
  Region,
  RegionEnvelope,
  RegionList,
  NewService,
  CreateService,
  ServiceChanges,
  UpdateService,
  Service,
  ServiceEnvelope,
  ServiceList,
  NewEndpoint,
  CreateEndpoint,
  EndpointChanges,
  UpdateEndpoint,
  Endpoint,
  EndpointEnvelope,
  EndpointList,
});
