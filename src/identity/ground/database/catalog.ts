// The tables of the catalog, and of what is about it: limits, policies, the endpoints of projects; and of the configuration of domains. Booleans are 0 or 1.

export interface RegionRow {
  id: string;
  description: string;
  parent_region_id: string | null;
  extra: string;
}

export interface ServiceRow {
  id: string;
  type: string;
  name: string | null;
  enabled: number;
  extra: string;
}

export interface EndpointRow {
  id: string;
  service_id: string;
  region_id: string | null;
  interface: string;
  url: string;
  enabled: number;
  extra: string;
}

export interface RegisteredLimitRow {
  id: string;
  service_id: string;
  region_id: string | null;
  resource_name: string;
  default_limit: number;
  description: string | null;
}

/** Of a project or of a domain: one of the two ids is null. */
export interface LimitRow {
  id: string;
  registered_limit_id: string;
  project_id: string | null;
  domain_id: string | null;
  resource_limit: number;
  description: string | null;
}

/** A registered limit or a limit that was deleted with its service or region. */
export interface GoneLimitRow {
  id: string;
  gone_at: number;
}

export interface PolicyRow {
  id: string;
  type: string;
  blob: string;
  extra: string;
}

/** For an endpoint alone, for a service in a region, or for a service alone. */
export interface PolicyAssociationRow {
  id: string;
  policy_id: string;
  endpoint_id: string | null;
  service_id: string | null;
  region_id: string | null;
}

/** Endpoints with some values in common; `filters` is JSON. */
export interface EndpointGroupRow {
  id: string;
  name: string;
  description: string | null;
  filters: string;
}

/** What access tokens can be for. `scopes` and `applications` are JSON; `applications` is null for all. */
export interface ApiRow {
  id: string;
  identifier: string;
  name: string;
  description: string | null;
  scopes: string;
  application_id: string | null;
  applications: string | null;
  token_format: string;
  token_lifetime: number | null;
  /** JSON; null for none. */
  exchanges: string | null;
  epoch: number;
}

export interface DomainConfigOptionRow {
  domain_id: string;
  config_group: string;
  config_option: string;
  /** JSON. */
  value: string;
  stored_by: SettingOwner | null;
}

/** Who stored a setting of a domain. Null: a version in which it had no effect. */
export type SettingOwner = 'administrator' | 'manager';

/** A setting that was stored; its key is the id. */
export interface ServiceSettingRow {
  id: string;
  value: string | null;
  sealed: string | null;
  version: string;
  changed_at: number;
}

export interface DomainConfigSecretRow {
  id: string;
  domain_id: string;
  config_group: string;
  config_option: string;
  sealed: string;
  stored_by: SettingOwner | null;
}

export interface CatalogTables {
  regions: RegionRow;
  services: ServiceRow;
  endpoints: EndpointRow;
  registered_limits: RegisteredLimitRow;
  limits: LimitRow;
  gone_limits: GoneLimitRow;
  policies: PolicyRow;
  apis: ApiRow;
  policy_associations: PolicyAssociationRow;
  domain_config_options: DomainConfigOptionRow;
  domain_config_secrets: DomainConfigSecretRow;
  service_settings: ServiceSettingRow;
  project_endpoints: { endpoint_id: string; project_id: string };
  endpoint_groups: EndpointGroupRow;
  project_endpoint_groups: { endpoint_group_id: string; project_id: string };
}
