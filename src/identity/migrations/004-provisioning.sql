-- What provisioning (SCIM) keeps beside the base API: the same rows, with a profile, the client's own id, and a version.

-- Grows with every change of the row; ETags are made of it.
alter table users add column version bigint not null default 1;
-- Milliseconds, not seconds: clients ask for what changed after the last change they saw.
alter table users add column updated_at bigint not null default 0;
alter table users add column external_id text;
-- Name, addresses, phone numbers, ...: JSON with the attributes of the SCIM schema.
alter table users add column profile text not null default '{}';
update users set updated_at = created_at * 1000;
create index users_by_external_id on users (external_id);
create index users_by_update on users (domain_id, updated_at);

-- The addresses in the profile, as they are compared.
create table user_emails (
  user_id text not null references users (id) on delete cascade,
  value_key text not null,
  primary key (user_id, value_key)
);

create index user_emails_by_value on user_emails (value_key);

alter table groups add column version bigint not null default 1;
alter table groups add column updated_at bigint not null default 0;
alter table groups add column external_id text;
update groups set updated_at = created_at * 1000;
create index groups_by_external_id on groups (external_id);
create index groups_by_folded_name on groups (domain_id, lower(name));

-- What the client calls a member, where it said so.
alter table group_members add column display text;

alter table projects add column version bigint not null default 1;
alter table projects add column updated_at bigint not null default 0;
alter table projects add column external_id text;
update projects set updated_at = created_at * 1000;
create index projects_by_external_id on projects (external_id);

-- Bearer tokens of provisioning connections. A connection acts in one domain.
create table scim_connections (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  name text not null,
  token_hash text not null,
  created_at bigint not null,
  last_used_at bigint
);

create unique index scim_connections_token on scim_connections (token_hash);
create index scim_connections_by_domain on scim_connections (domain_id);
