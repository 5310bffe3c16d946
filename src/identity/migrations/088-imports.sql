-- What is moved in from other systems (docs/developing/import-source.md).

-- What came from a source, so that it is found again, whatever was changed here since. The key is a hash of the kind of thing and of the key that
-- it has there; the digests tell which parts of it changed there.
create table imported_things (
  source text not null,
  key text not null,
  kind text not null,
  -- Null: a rehearsal found that it cannot be taken, nor what needs it.
  local_id text,
  digests text not null,
  primary key (source, key)
);

create index imported_things_by_local_id on imported_things (local_id, kind);

create table import_runs (
  id text primary key,
  source text not null,
  kind text not null,
  -- 1: nothing is stored but what the report says.
  rehearsal integer not null,
  -- JSON: the kinds of things of which those that exist here are taken as the same and changed.
  merges text not null,
  -- Where people and groups go of which the source does not say in which domain they are.
  domain_id text,
  user_id text,
  state text not null,
  started_at bigint not null,
  updated_at bigint not null,
  -- JSON.
  report text not null
);

create index import_runs_by_start on import_runs (started_at, id);

-- Hashes of other systems, until the first login replaces them. The form is a hash of nobody that takes as long to compare with.
alter table passwords add column imported_form text;

-- How many of the passwords in force have which form, and how many ever had.
create table imported_forms (
  domain_id text not null references projects (id) on delete cascade,
  form text not null,
  passwords bigint not null,
  stored bigint not null,
  primary key (domain_id, form)
);
