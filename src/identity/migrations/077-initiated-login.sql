-- 1: sign-ins may be begun at the provider, or at a portal of it (OpenID Connect Core 1.0, 4).
alter table openid_providers add column accepts_initiated_login integer not null default 0;
