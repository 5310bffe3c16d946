-- Sessions end when their provider says so: by the session it names (hashed), or all of one person.

alter table sessions add column sid_hash text;

create index sessions_by_sid on sessions (sid_hash);
create index sessions_by_owner on sessions (owner);
