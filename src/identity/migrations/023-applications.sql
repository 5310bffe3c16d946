-- The secret before the current one still works until this time, so that an application can change to the new one without a pause.

alter table consumers add column previous_secret text;
alter table consumers add column previous_secret_until bigint;

-- Logos of applications.

create table application_logos (
  consumer_id text primary key references consumers (id) on delete cascade,
  -- Random: a new logo has a new address.
  id text not null unique,
  media_type text not null,
  -- Base64.
  content text not null,
  created_at bigint not null
);

-- Lists who gave an application access, by user.

create index openid_records_by_consumer_and_user on openid_records (consumer_id, user_id);
