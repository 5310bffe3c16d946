-- What users pass on to programs: some of their roles in one project, for a secret that is not their password.
create table application_credentials (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  name text not null,
  description text,
  -- argon2id: users may choose the secret.
  secret_hash text not null,
  unrestricted integer not null,
  expires_at bigint,
  created_at bigint not null,
  unique (user_id, name)
);
create index application_credentials_by_project on application_credentials (project_id);

create table application_credential_roles (
  credential_id text not null references application_credentials (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (credential_id, role_id)
);
create index application_credential_roles_by_role on application_credential_roles (role_id);

-- Requests that a program may send. A credential without rules may send every request.
create table access_rules (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  service text not null,
  path text not null,
  method text not null,
  unique (user_id, service, path, method)
);

create table application_credential_access_rules (
  credential_id text not null references application_credentials (id) on delete cascade,
  rule_id text not null references access_rules (id) on delete cascade,
  primary key (credential_id, rule_id)
);
create index application_credential_access_rules_by_rule on application_credential_access_rules (rule_id);
