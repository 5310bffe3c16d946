-- Trusts: a user (the trustor) lets another one (the trustee) use some of the trustor's roles in one project.
create table trusts (
  id text primary key,
  trustor_user_id text not null references users (id) on delete cascade,
  trustee_user_id text not null references users (id) on delete cascade,
  -- Null for a trust that passes nothing on. Nobody can log in with it.
  project_id text references projects (id) on delete cascade,
  impersonation integer not null,
  expires_at bigint,
  -- Null for any number of logins.
  remaining_uses bigint,
  -- The trust that was passed on, and how many times this one may be.
  redelegated_trust_id text references trusts (id) on delete cascade,
  redelegation_count integer not null,
  extra text not null,
  created_at bigint not null
);
create index trusts_by_trustor on trusts (trustor_user_id);
create index trusts_by_trustee on trusts (trustee_user_id);
create index trusts_by_project on trusts (project_id);
create index trusts_by_redelegated on trusts (redelegated_trust_id);
create index trusts_by_expiry on trusts (expires_at);

create table trust_roles (
  trust_id text not null references trusts (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (trust_id, role_id)
);
create index trust_roles_by_role on trust_roles (role_id);
