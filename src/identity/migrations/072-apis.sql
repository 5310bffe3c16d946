-- APIs that access tokens can be for (RFC 8707), with scopes of their own. scopes: JSON. applications: JSON, the ids of those that may ask for
-- tokens; null: all. epoch grows with each change that takes something away: what people allowed before, and tokens from before, are good no more.
create table apis (
  id text primary key,
  identifier text not null unique,
  name text not null,
  description text,
  scopes text not null,
  application_id text references consumers (id) on delete set null,
  applications text,
  token_format text not null,
  token_lifetime bigint,
  epoch bigint not null
);
create index apis_application on apis (application_id);
