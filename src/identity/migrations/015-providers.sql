-- Identity providers, as Keystone's OS-FEDERATION has them: whose people may sign in here.
create table identity_providers (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  enabled integer not null,
  description text,
  authorization_ttl bigint,
  created_at bigint not null
);

create table identity_provider_remote_ids (
  remote_id text primary key,
  provider_id text not null references identity_providers (id) on delete cascade
);

create index identity_provider_remote_ids_by_provider on identity_provider_remote_ids (provider_id);

create table mappings (
  id text primary key,
  -- JSON
  rules text not null,
  schema_version text not null,
  created_at bigint not null
);

-- The mapping may be deleted before the protocol, as in Keystone. Then nobody can sign in by it.
create table federation_protocols (
  provider_id text not null references identity_providers (id) on delete cascade,
  id text not null,
  mapping_id text not null,
  remote_id_attribute text,
  primary key (provider_id, id)
);

-- How people sign in through an identity provider that speaks OpenID Connect.
create table openid_providers (
  provider_id text primary key references identity_providers (id) on delete cascade,
  issuer text not null,
  client_id text not null,
  -- Sealed; null for a public client.
  client_secret text,
  -- JSON
  scopes text not null,
  -- Null: no button, the provider is found by the e-mail domain.
  button_name text,
  -- JSON: lower case
  email_domains text not null,
  -- 1: a verified address of the e-mail domains links an existing account.
  trusts_email integer not null,
  -- 1: also for accounts of other domains than that of the provider.
  whole_service integer not null,
  -- 1: the mapping may give the role admin.
  may_give_admin integer not null,
  -- Changes with every change: what was begun with former settings is not finished with these.
  version bigint not null
);

-- Who a person is at a provider.
create table provider_links (
  id text primary key,
  provider_id text not null references identity_providers (id) on delete cascade,
  -- A provider that gets another issuer has other people.
  issuer text not null,
  subject text not null,
  user_id text not null references users (id) on delete cascade,
  -- How the provider names the person, for the account page.
  label text not null,
  -- JSON: the groups and roles that the mapping gave, and takes away again.
  given text not null,
  created_at bigint not null,
  last_used_at bigint,
  unique (provider_id, issuer, subject)
);

create index provider_links_by_user on provider_links (user_id);

-- Sign-ins through a provider: they end when the provider says so.
create table provider_sessions (
  id text primary key,
  link_id text not null references provider_links (id) on delete cascade,
  -- Hash of the uid of the session here; null until it has begun.
  session_hash text,
  -- Hash of the session id at the provider; null if it has none.
  sid_hash text,
  -- The refresh token of the provider; null if it gave none.
  sealed text,
  -- When the refresh token is to be used; null if there is none.
  refresh_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);

create index provider_sessions_by_link on provider_sessions (link_id);
create index provider_sessions_by_session on provider_sessions (session_hash);
create index provider_sessions_by_sid on provider_sessions (sid_hash);
create index provider_sessions_by_end on provider_sessions (expires_at);

-- Logout tokens that were used.
create table used_logout_tokens (
  token_hash text primary key,
  expires_at bigint not null
);

create index used_logout_tokens_by_end on used_logout_tokens (expires_at);
