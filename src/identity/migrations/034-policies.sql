-- Policies of services, as texts that nobody here interprets, and which endpoints they are for.
create table policies (
  id text primary key,
  type text not null,
  blob text not null,
  extra text not null
);

-- For one endpoint, for a service in a region, or for a whole service.
create table policy_associations (
  id text primary key,
  policy_id text not null references policies (id) on delete cascade,
  endpoint_id text references endpoints (id) on delete cascade,
  service_id text references services (id) on delete cascade,
  region_id text references regions (id) on delete cascade
);
create unique index policy_associations_once on policy_associations (coalesce(endpoint_id, ''), coalesce(service_id, ''), coalesce(region_id, ''));
create index policy_associations_by_policy on policy_associations (policy_id);
create index policy_associations_by_endpoint on policy_associations (endpoint_id);
create index policy_associations_by_service on policy_associations (service_id);
create index policy_associations_by_region on policy_associations (region_id);
