-- A sign-in at a provider that an administrator tries: it signs nobody in. The row is deleted by the answer, or after some minutes.
create table provider_attempts (
  id text primary key,
  provider_id text not null references identity_providers (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  -- Of the settings of the provider: an answer is not checked with others.
  version bigint not null,
  -- JSON, sealed: what the answer is checked with. What the provider says is not stored.
  sealed text not null,
  expires_at bigint not null
);

create index provider_attempts_by_end on provider_attempts (expires_at);
create index provider_attempts_by_user on provider_attempts (user_id, provider_id);
