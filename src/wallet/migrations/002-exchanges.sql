-- Exchanges with issuers and verifiers: several steps each, so that they survive a restart.

create table exchanges (
  id text primary key,
  owner text not null,
  protocol text not null,
  state text not null,
  -- The issuer or verifier, as it names itself.
  peer text,
  outcome text,
  -- What it came to, for whoever asks again: ids, never contents.
  result text,
  -- What this exchange answers, hashed: an offer's code or a request's nonce works once.
  request_hash text,
  -- What happened, readable, without secrets.
  steps text not null,
  -- What is needed to go on: codes, tokens, transaction ids. Null when it is over.
  sealed text,
  poll_at bigint,
  -- Somebody works on it until then, unless they died.
  claimed_until bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null
);

create unique index exchanges_request on exchanges (owner, protocol, request_hash);
create index exchanges_by_owner on exchanges (owner, id);
create index exchanges_by_poll on exchanges (poll_at);
create index exchanges_by_end on exchanges (expires_at);

-- A batch has several copies of one credential, each bound to a key of its own and shown once.
create table credential_instances (
  id text primary key,
  credential_id text not null references credentials (id) on delete cascade,
  owner text not null,
  key_id text references keys (id) on delete set null,
  sealed text not null
);

create index credential_instances_by_credential on credential_instances (credential_id, id);
create index credential_instances_by_key on credential_instances (key_id);

create index credentials_by_type on credentials (owner, format, type, id);
