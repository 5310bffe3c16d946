-- What users were given in organizations, as entries that provisioning names. It stays when the thing itself goes: clients repeat
-- what they gave, and must not fail by that.
create table given_entries (
  user_id text not null references users (id) on delete cascade,
  entry text not null,
  primary key (user_id, entry)
);

insert into given_entries (user_id, entry)
  select distinct user_id, organization_id || ':' || application_id || ':' || role_id from app_user_roles;

insert into given_entries (user_id, entry)
  select distinct grants.user_id, 'organization:' || projects.id
  from grants
  join roles on roles.id = grants.role_id and roles.name = 'member' and roles.domain_id is null
  join projects on projects.id = grants.target_id and projects.is_domain = 0
  where grants.user_id is not null and grants.inherited = 0;
