-- OAuth 1.0 (RFC 5849), as Keystone has it: a consumer signs its requests, and gets some roles that a user passed on to it.
-- The consumers of OAuth2 are others (table consumers).
create table oauth1_consumers (
  id text primary key,
  description text,
  -- Sealed: signatures need it as it is.
  secret text not null,
  extra text not null,
  created_at bigint not null
);

-- Before a user has authorized it, and until the consumer fetches its access token.
create table oauth1_request_tokens (
  id text primary key,
  consumer_id text not null references oauth1_consumers (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  secret text not null,
  user_id text references users (id) on delete cascade,
  verifier_hash text,
  role_ids text,
  expires_at bigint
);
create index oauth1_request_tokens_by_consumer on oauth1_request_tokens (consumer_id);
create index oauth1_request_tokens_by_project on oauth1_request_tokens (project_id);
create index oauth1_request_tokens_by_user on oauth1_request_tokens (user_id);
create index oauth1_request_tokens_by_expiry on oauth1_request_tokens (expires_at);

create table oauth1_access_tokens (
  id text primary key,
  consumer_id text not null references oauth1_consumers (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  project_id text not null references projects (id) on delete cascade,
  secret text not null,
  expires_at bigint,
  created_at bigint not null
);
create index oauth1_access_tokens_by_consumer on oauth1_access_tokens (consumer_id);
create index oauth1_access_tokens_by_user on oauth1_access_tokens (user_id);
create index oauth1_access_tokens_by_project on oauth1_access_tokens (project_id);
create index oauth1_access_tokens_by_expiry on oauth1_access_tokens (expires_at);

create table oauth1_access_token_roles (
  access_token_id text not null references oauth1_access_tokens (id) on delete cascade,
  role_id text not null references roles (id) on delete cascade,
  primary key (access_token_id, role_id)
);
create index oauth1_access_token_roles_by_role on oauth1_access_token_roles (role_id);

-- Requests that were accepted: each only once.
create table oauth1_nonces (
  hash text primary key,
  expires_at bigint not null
);
create index oauth1_nonces_by_expiry on oauth1_nonces (expires_at);
