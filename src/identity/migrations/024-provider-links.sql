-- 1: made by a trusted address alone. Whoever manages others enters by such a link only after they have proved that the account is theirs.
alter table provider_links add column by_address integer not null default 0;
