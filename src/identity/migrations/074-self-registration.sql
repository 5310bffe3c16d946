-- Applications that registered themselves. How: token, open or document; null: somebody registered it.
alter table consumers add column registered_by text;
-- The domain whose policy let it register, and whose people may sign in to it; null: every domain whose policy says so.
alter table consumers add column registration_domain_id text;
-- The name of the token with which it registered.
alter table consumers add column registration_token text;
-- A hash of the token by which it manages its registration.
alter table consumers add column registration_access_hash text;
-- It is deleted then, unless it is used before. Null: somebody registered or kept it.
alter table consumers add column registration_expires_at bigint;
create index consumers_by_registration_end on consumers (registration_expires_at);

-- Tokens with which applications register themselves in a domain.
create table registration_tokens (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  name text not null,
  token_hash text not null,
  uses_left bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  last_used_at bigint
);
create unique index registration_tokens_by_hash on registration_tokens (token_hash);
create index registration_tokens_by_domain on registration_tokens (domain_id);
create index registration_tokens_by_end on registration_tokens (expires_at);
