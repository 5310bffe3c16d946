-- The terms of use that people accepted when they registered: which version, where it was to be read, and when.
create table accepted_terms (
  user_id text not null references users (id) on delete cascade,
  version text not null,
  url text not null,
  accepted_at bigint not null,
  primary key (user_id, version)
);
