-- The configuration of a domain as clients of Keystone write it. It is kept; keystone.<domain name>.conf is what counts.
create table domain_config_options (
  domain_id text not null references projects (id) on delete cascade,
  config_group text not null,
  config_option text not null,
  -- JSON.
  value text not null,
  primary key (domain_id, config_group, config_option)
);

-- Options that are never shown.
create table domain_config_secrets (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  config_group text not null,
  config_option text not null,
  sealed text not null,
  unique (domain_id, config_group, config_option)
);
