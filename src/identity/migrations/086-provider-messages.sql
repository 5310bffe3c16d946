-- How we are a client of the provider, as JSON: what of OpenID Connect a client may choose. What is not there is as it always was.
alter table openid_providers add column client_options text not null default '{}';

-- What travels between a browser, a provider and us by reference, for minutes: an answer that a browser has posted.
create table provider_messages (
  -- The hash of the reference, which only the browser has.
  id text primary key,
  -- The hash of the state that it belongs to: one message of each sign-in.
  about text not null unique,
  provider_id text not null references identity_providers (id) on delete cascade,
  sealed text not null,
  expires_at bigint not null
);

create index provider_messages_by_end on provider_messages (expires_at);
create index provider_messages_by_provider on provider_messages (provider_id);
