-- The wallet node. Written for both databases: text, bigint, and integer 0/1 only. Times are milliseconds UTC.
-- On PostgreSQL, tables with an owner are also guarded by row-level security (owners.store.ts).

create table keys (
  id text primary key,
  owner text not null,
  alias text,
  algorithm text not null,
  -- The RFC 7638 thumbprint, and the fragment of the verification method.
  kid text not null,
  state text not null,
  is_default integer not null,
  uses text not null,
  storage text not null,
  public_jwk text not null,
  -- Both null once the key is revoked: without its data key the private key is noise, wherever a copy of it lies.
  wrapped_key text,
  material text,
  created_at bigint not null,
  rotated_at bigint,
  verify_until bigint,
  successor_id text,
  predecessor_id text,
  revoked_at bigint,
  revocation_reason text,
  -- The DIDs that were published anew without it, as its revocation said.
  republished text
);

create unique index keys_kid on keys (owner, kid);
create unique index keys_alias on keys (owner, alias) where state = 'active';
create index keys_by_owner on keys (owner, id);
create index keys_by_end on keys (verify_until) where state = 'rotated';

-- Keys that were purged: their thumbprints never become a verification method again.
create table spent_kids (
  owner text not null,
  kid text not null,
  primary key (owner, kid)
);

create table dids (
  id text primary key,
  owner text not null,
  did text not null,
  method text not null,
  name text,
  alias text,
  state text not null,
  is_default integer not null,
  service text not null,
  also_known_as text not null,
  version integer not null,
  created_at bigint not null,
  published_at bigint,
  unpublished_at bigint
);

create unique index dids_did on dids (owner, did);
create unique index dids_alias on dids (owner, alias);
create index dids_by_owner on dids (owner, id);

create table did_keys (
  did_id text not null references dids (id) on delete cascade,
  key_id text not null references keys (id) on delete cascade,
  owner text not null,
  position integer not null,
  primary key (did_id, key_id)
);

create index did_keys_by_key on did_keys (key_id);

-- Names in addresses of hosted documents belong to their first owner for ever: another would inherit the trust in them.
create table did_names (
  name text primary key,
  owner text not null
);

-- What the world may read, and nothing else. No owner column, on purpose.
create table published_documents (
  did text primary key,
  name text,
  document text not null,
  etag text not null,
  published_at bigint not null
);

create unique index published_documents_name on published_documents (name);

create table credentials (
  id text primary key,
  owner text not null,
  format text not null,
  type text not null,
  issuer text not null,
  status text not null,
  status_checked_at bigint,
  key_id text references keys (id) on delete set null,
  did_id text references dids (id) on delete set null,
  binding text not null,
  valid_from bigint,
  valid_until bigint,
  issued_at bigint,
  added_at bigint not null,
  -- Claims, the credentials themselves and what else is about a person: sealed.
  sealed text not null
);

create index credentials_by_owner on credentials (owner, id);
create index credentials_by_key on credentials (key_id);
create index credentials_by_did on credentials (did_id);

-- The session id itself is only in the cookie.
create table sessions (
  id_hash text primary key,
  owner text not null,
  -- Tokens of the provider and claims about the person: sealed.
  sealed text not null,
  created_at bigint not null,
  used_at bigint not null,
  ends_at bigint not null,
  refresh_at bigint
);

create index sessions_by_end on sessions (ends_at);

-- Logins that came back from the provider: each state works once.
create table spent_logins (
  state_hash text primary key,
  expires_at bigint not null
);

create index spent_logins_by_end on spent_logins (expires_at);

-- What a repeated request made the first time.
create table idempotent_requests (
  owner text not null,
  route text not null,
  idempotency_key text not null,
  request_hash text not null,
  resource_id text not null,
  created_at bigint not null,
  primary key (owner, route, idempotency_key)
);

create index idempotent_requests_by_age on idempotent_requests (created_at);

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

create index audit_events_by_time on audit_events (at);
