-- Processes that serve from this database. Each writes its own row every ten seconds. With SQLite there is one, which writes nothing.
create table replicas (
  id text primary key,
  host text not null,
  worker bigint,
  version text not null,
  started_at bigint not null,
  seen_at bigint not null,
  lag_ms bigint not null,
  is_live integer not null
);
