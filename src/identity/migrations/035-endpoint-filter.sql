-- Which endpoints are in the catalog of a project's tokens. A project without any entry has all of them.
create table project_endpoints (
  endpoint_id text not null references endpoints (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  primary key (endpoint_id, project_id)
);
create index project_endpoints_by_project on project_endpoints (project_id);

-- All endpoints with some service, region or interface.
create table endpoint_groups (
  id text primary key,
  name text not null,
  description text,
  filters text not null
);

create table project_endpoint_groups (
  endpoint_group_id text not null references endpoint_groups (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  primary key (endpoint_group_id, project_id)
);
create index project_endpoint_groups_by_project on project_endpoint_groups (project_id);
