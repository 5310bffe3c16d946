-- 1: of logins at the API. Their tokens name the row, and end with it.
alter table provider_sessions add column for_api integer not null default 0;

-- Not null: no token, but a session or a person at a provider that was signed out, at this time of the provider's clock (seconds). What the provider
-- signed for them until then logs in nobody.
alter table used_logout_tokens add column issued_at bigint;

-- By which protocol of the provider the person is known.
alter table provider_links add column protocol_id text not null default 'openid';

-- 1: somebody else than a provider gave it, too, so that no provider takes it back. Rows of former versions that no provider gave have 0.
alter table group_members add column kept integer not null default 0;
alter table grants add column kept integer not null default 0;
