-- Applications that are to hear of the end of a session. Apart from the outbox, whose rows an older version sends to the web hook.
create table logouts (
  id text primary key,
  client_id text not null,
  body text not null,
  attempts bigint not null,
  next_at bigint not null,
  created_at bigint not null
);

create index logouts_by_client on logouts (client_id, next_at);
