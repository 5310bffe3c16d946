-- Passkeys (WebAuthn credentials) of users. Only public keys are stored.

create table passkeys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  -- As the authenticator names it, base64url.
  credential_id text not null unique,
  -- COSE, base64url.
  public_key text not null,
  -- The highest signature counter seen; 0 where the authenticator has none.
  counter bigint not null,
  -- JSON: how a browser reaches the authenticator.
  transports text not null,
  -- 1 when it is copied between the devices of its owner.
  synced integer not null,
  name text not null,
  created_at bigint not null,
  last_used_at bigint,
  -- Removed ones stay: a registration that is replayed does not bring them back.
  removed_at bigint
);

create index passkeys_by_user on passkeys (user_id);
