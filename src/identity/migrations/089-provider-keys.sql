-- Keys of ours at one provider: to sign what we send it (sig), and that tokens are bound to (dpop).
create table provider_keys (
  -- The key id, as the provider sees it.
  id text primary key,
  provider_id text not null references identity_providers (id) on delete cascade,
  used_for text not null,
  alg text not null,
  -- JSON Web Keys; the private one is sealed.
  public_jwk text not null,
  sealed text not null,
  created_at bigint not null
);

create index provider_keys_by_provider on provider_keys (provider_id);
