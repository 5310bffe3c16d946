-- Clients get back the time that they gave: what it has beyond the whole seconds in expires_at.
alter table application_credentials add column expires_micros integer not null default 0;

-- When a sweep found that no use was left. The trust is kept until the token of its last use has ended.
alter table trusts add column used_up_at bigint;
create index trusts_used_up on trusts (used_up_at) where remaining_uses <= 0;
