-- How far audit events were exported to each destination. One process at a time exports: the holder, until held_until.
create table audit_exports (
  name text not null primary key,
  at bigint not null,
  event_id text not null,
  holder text not null,
  held_until bigint not null,
  exported bigint not null
);
