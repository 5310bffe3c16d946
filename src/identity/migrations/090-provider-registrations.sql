-- Where the service registered itself at a provider (RFC 7591).
create table provider_registrations (
  provider_id text primary key references identity_providers (id) on delete cascade,
  -- JSON: by what the registration can be removed there (RFC 7592). Sealed.
  sealed text not null,
  -- JSON: what else the provider agreed to.
  metadata text not null,
  registered_at bigint not null,
  -- When the secret ends; null: never.
  secret_expires_at bigint
);
