-- Keys with which the service signs requests to wallets, each with its certificate for one address of the service.
create table verifier_keys (
  -- The thumbprint of the public key.
  id text primary key,
  issuer text not null,
  sealed text not null,
  certificate text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index verifier_keys_by_issuer on verifier_keys (issuer, created_at, id);
