-- Applications that consume OAuth2 (consumers), their roles and permissions, and who holds them.

create table consumers (
  id text primary key,
  name text not null,
  description text,
  client_type text not null,
  grant_type text not null,
  redirect_uris text not null,
  scopes text not null,
  extra text not null,
  -- Sealed with the master key; shown by create and read-single.
  secret text not null,
  created_at bigint not null
);

create index consumers_by_name on consumers (name, id);

create table app_roles (
  id text primary key,
  application_id text not null references consumers (id) on delete cascade,
  name text not null,
  -- An internal role can be held in every application.
  is_internal integer not null,
  created_at bigint not null
);

create unique index app_roles_name on app_roles (application_id, name);
create index app_roles_by_name on app_roles (name, id);

create table app_permissions (
  id text primary key,
  application_id text not null references consumers (id) on delete cascade,
  name text not null,
  is_internal integer not null,
  action text,
  resource text,
  xml text,
  created_at bigint not null
);

create unique index app_permissions_name on app_permissions (application_id, name);
create index app_permissions_by_name on app_permissions (name, id);

create table app_role_permissions (
  role_id text not null references app_roles (id) on delete cascade,
  permission_id text not null references app_permissions (id) on delete cascade,
  primary key (role_id, permission_id)
);

create index app_role_permissions_by_permission on app_role_permissions (permission_id);

-- A user holds a role of an application inside an organization.
create table app_user_roles (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  organization_id text not null references projects (id) on delete cascade,
  application_id text not null references consumers (id) on delete cascade,
  role_id text not null references app_roles (id) on delete cascade
);

create index app_user_roles_by_user on app_user_roles (user_id, application_id);
create index app_user_roles_by_organization on app_user_roles (organization_id, application_id);
create index app_user_roles_by_application on app_user_roles (application_id);
create index app_user_roles_by_role on app_user_roles (role_id);

-- An organization holds a role of an application.
create table app_organization_roles (
  id text primary key,
  organization_id text not null references projects (id) on delete cascade,
  application_id text not null references consumers (id) on delete cascade,
  role_id text not null references app_roles (id) on delete cascade
);

create index app_organization_roles_by_organization on app_organization_roles (organization_id, application_id);
create index app_organization_roles_by_application on app_organization_roles (application_id);
create index app_organization_roles_by_role on app_organization_roles (role_id);
