-- People who registered and proved their address, and wait until an administrator confirms them. Their account is disabled until then.
create table waiting_registrations (
  user_id text primary key references users (id) on delete cascade,
  created_at bigint not null
);

create index waiting_registrations_by_time on waiting_registrations (created_at);
