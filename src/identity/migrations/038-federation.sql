-- Services elsewhere that tokens name, as Keystone's OS-FEDERATION has them.
create table service_providers (
  id text primary key,
  enabled integer not null,
  description text,
  auth_url text not null,
  sp_url text not null,
  relay_state_prefix text,
  created_at bigint not null
);

-- 1: whoever has a token that the provider signed for us logs in with it at the API.
alter table openid_providers add column accepts_tokens integer not null default 0;

-- When a membership ends that a mapping gave, in seconds; null for never.
alter table group_members add column expires_at bigint;

create index group_members_by_end on group_members (expires_at);
