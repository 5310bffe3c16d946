-- The last reading of a directory as it went, for whoever looks after it. directory_syncs has when one last succeeded.
create table directory_readings (
  domain_id text primary key references projects (id) on delete cascade,
  began_at bigint not null,
  ended_at bigint not null,
  -- Null: it was read.
  failure text,
  users bigint not null,
  groups bigint not null,
  closed bigint not null
);
