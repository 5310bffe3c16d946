-- The identifier of the entry that a directory never gives to another one (entryUUID and the like), with the name of its attribute:
-- `entryuuid=...`; null when the directory shows none. An entry with the same id and another identifier is another person.
alter table directory_users add column unique_id text;

-- Somebody who left keeps their row. Whoever gets the same id in the directory has a row of their own.
drop index if exists directory_users_by_entry;
create unique index directory_users_present on directory_users (domain_id, local_id) where gone_at is null;
create index directory_users_by_entry on directory_users (domain_id, local_id);
