-- How much of a resource of a service may be used: by default, and by single projects and domains. Services ask for it; nothing is counted here.
create table registered_limits (
  id text primary key,
  service_id text not null references services (id) on delete cascade,
  region_id text references regions (id) on delete cascade,
  resource_name text not null,
  -- -1: no limit.
  default_limit bigint not null,
  description text
);
create unique index registered_limits_by_resource on registered_limits (service_id, resource_name, coalesce(region_id, ''));
create index registered_limits_by_region on registered_limits (region_id);

create table limits (
  id text primary key,
  registered_limit_id text not null references registered_limits (id) on delete cascade,
  project_id text references projects (id) on delete cascade,
  domain_id text references projects (id) on delete cascade,
  resource_limit bigint not null,
  description text,
  unique (registered_limit_id, project_id),
  unique (registered_limit_id, domain_id)
);
create index limits_by_project on limits (project_id);
create index limits_by_domain on limits (domain_id);
