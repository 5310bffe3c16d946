-- The base identity API v3. Written for both databases: text, bigint, and integer 0/1 only.
-- Times are seconds UTC, but for epochs; JSON is kept as text and never queried.

-- A domain is a project with is_domain = 1; an organization is a project.
create table projects (
  id text primary key,
  name text not null,
  domain_id text references projects (id) on delete cascade,
  parent_id text references projects (id),
  is_domain integer not null,
  enabled integer not null,
  description text not null,
  -- Grows whenever every token of this scope must die; tokens carry the sum of the epochs they depend on.
  epoch bigint not null,
  options text not null,
  extra text not null,
  created_at bigint not null
);

create unique index projects_domain_name on projects (name) where is_domain = 1;
create unique index projects_name on projects (domain_id, name) where is_domain = 0;
create index projects_by_name on projects (name, id);
create index projects_by_parent on projects (parent_id);

create table project_tags (
  project_id text not null references projects (id) on delete cascade,
  name text not null,
  primary key (project_id, name)
);

create index project_tags_by_name on project_tags (name);

create table users (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  name text not null,
  -- The name as it is compared: one person is not two because of a capital letter.
  name_key text not null,
  enabled integer not null,
  default_project_id text,
  epoch bigint not null,
  options text not null,
  extra text not null,
  last_active_at bigint,
  created_at bigint not null
);

create unique index users_name on users (domain_id, name_key);
create index users_by_name on users (name, id);
create index users_by_domain on users (domain_id, name, id);
create index users_by_name_key on users (name_key);
create index users_by_default_project on users (default_project_id);

-- The newest row is the password in force; the others are its history.
create table passwords (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  hash text not null,
  created_at bigint not null,
  expires_at bigint,
  serial bigint not null,
  -- 1 when the user chose it, 0 when it was given by an administrator.
  self_service integer not null
);

create unique index passwords_by_user on passwords (user_id, serial);

create table login_failures (
  user_id text primary key references users (id) on delete cascade,
  failures bigint not null,
  last_at bigint not null
);

create table groups (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  name text not null,
  description text not null,
  extra text not null,
  created_at bigint not null
);

create unique index groups_name on groups (domain_id, name);
create index groups_by_name on groups (name, id);

create table group_members (
  group_id text not null references groups (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  primary key (group_id, user_id)
);

create index group_members_by_user on group_members (user_id);

create table roles (
  id text primary key,
  name text not null,
  domain_id text references projects (id) on delete cascade,
  description text,
  options text not null,
  extra text not null,
  created_at bigint not null
);

create unique index roles_name on roles (name) where domain_id is null;
create unique index roles_domain_name on roles (domain_id, name) where domain_id is not null;
create index roles_by_name on roles (name, id);

create table implied_roles (
  prior_role_id text not null references roles (id) on delete cascade,
  implied_role_id text not null references roles (id) on delete cascade,
  primary key (prior_role_id, implied_role_id)
);

create index implied_roles_by_implied on implied_roles (implied_role_id);

-- One actor (a user or a group), one target (a project, a domain, or the system when null), one role.
create table grants (
  id text primary key,
  user_id text references users (id) on delete cascade,
  group_id text references groups (id) on delete cascade,
  target_id text references projects (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  inherited integer not null
);

create index grants_by_user on grants (user_id);
create index grants_by_group on grants (group_id);
create index grants_by_target on grants (target_id);
create index grants_by_role on grants (role_id);

create table regions (
  id text primary key,
  description text not null,
  parent_region_id text references regions (id),
  extra text not null
);

create table services (
  id text primary key,
  type text not null,
  name text,
  enabled integer not null,
  extra text not null
);

create table endpoints (
  id text primary key,
  service_id text not null references services (id) on delete cascade,
  region_id text references regions (id),
  interface text not null,
  url text not null,
  enabled integer not null,
  extra text not null
);

create index endpoints_by_service on endpoints (service_id);
create index endpoints_by_region on endpoints (region_id);

-- Keys that seal tokens, themselves sealed with the master key. A key signs from active_from on, so that every replica knows it first.
create table token_keys (
  id bigint primary key,
  sealed text not null,
  active_from bigint not null
);

create table revoked_tokens (
  audit_id text primary key,
  expires_at bigint not null
);

create index revoked_tokens_by_expiry on revoked_tokens (expires_at);

create table audit_events (
  id text primary key,
  at bigint not null,
  request_id text,
  actor_id text,
  action text not null,
  target_kind text not null,
  target_id text not null,
  outcome text not null,
  detail text not null
);

create index audit_events_by_time on audit_events (at, id);
create index audit_events_by_target on audit_events (target_id, at);

-- Facts the service remembers about itself, such as the addresses it wrote into the catalog.
create table service_facts (
  name text primary key,
  value text not null
);
