-- What the OpenID provider keeps: sessions, grants, codes, tokens.
-- Ids are hashes and payloads are sealed: nothing in this table can be used by whoever reads it.
create table openid_records (
  id text primary key,
  model text not null,
  payload text not null,
  user_id text references users (id) on delete cascade,
  consumer_id text references consumers (id) on delete cascade,
  grant_id text,
  uid text,
  user_code text,
  consumed_at bigint,
  created_at bigint not null,
  expires_at bigint
);

create index openid_records_by_user on openid_records (user_id, model);
create index openid_records_by_consumer on openid_records (consumer_id);
create index openid_records_by_grant on openid_records (grant_id);
create index openid_records_by_uid on openid_records (uid);
create index openid_records_by_user_code on openid_records (user_code);
create index openid_records_by_end on openid_records (expires_at);

-- Keys that sign, and those that guard cookies; the newest that is active is used, the others still verify.
create table openid_keys (
  id text primary key,
  kind text not null,
  sealed text not null,
  active_from bigint not null
);
