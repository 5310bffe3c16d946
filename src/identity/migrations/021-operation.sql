-- Whom an audit event concerns, as it was at the time: things are deleted, and lists are limited to a domain or an application.
alter table audit_events add column domain_id text;
alter table audit_events add column application_id text;
-- The person concerned, when they are not the target.
alter table audit_events add column user_id text;

-- Nothing moves to another domain, so what still exists was in its domain then, too.
update audit_events
set domain_id = case target_kind
  when 'domain' then target_id
  when 'user' then (select u.domain_id from users u where u.id = audit_events.target_id)
  when 'group' then (select g.domain_id from groups g where g.id = audit_events.target_id)
  else (select p.domain_id from projects p where p.id = audit_events.target_id)
end
where target_kind in ('domain', 'user', 'group', 'project');

update audit_events set application_id = target_id where target_kind = 'consumer';

create index audit_events_by_actor on audit_events (actor_id, at, id) where actor_id is not null;
create index audit_events_by_user on audit_events (user_id, at, id) where user_id is not null;
create index audit_events_by_application on audit_events (application_id, at, id) where application_id is not null;
-- The last columns let the other filters of a list, and counts, be decided in the index.
create index audit_events_by_domain on audit_events (domain_id, at, id, action, target_kind, outcome) where domain_id is not null;
create index audit_events_by_action on audit_events (action, target_kind, at, id);
create index audit_events_by_failure on audit_events (at, id) where outcome = 'failure';

-- Messages that were given up stay for a while, so that an administrator sees them and can send them again.
alter table outbox add column last_error text;
alter table outbox add column failed_at bigint;
alter table mails add column last_error text;
alter table mails add column failed_at bigint;

-- The last requests of each provisioning connection. Paths have no ids, names or addresses of people.
create table scim_requests (
  id text primary key,
  connection_id text not null references scim_connections (id) on delete cascade,
  at bigint not null,
  method text not null,
  path text not null,
  status bigint not null,
  detail text
);

create index scim_requests_by_connection on scim_requests (connection_id, id);
