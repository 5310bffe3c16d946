// Makes a small database in the shape of Keystone's, to practise moving with: node bin/run.js examples/moving/practice-keystone.js FILE
import { DatabaseSync } from 'node:sqlite';

const ROOT = '<<keystone.domain.root>>';
/** Of the password `correct hörse 1`, as Keystone stores it, but quicker. */
const HASH = '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';

const TABLES = {
  project: 'id, name, extra, description, enabled, domain_id, parent_id, is_domain',
  project_tag: 'project_id, name',
  project_option: 'project_id, option_id, option_value',
  user: 'id, extra, enabled, default_project_id, created_at, last_active_at, domain_id',
  user_option: 'user_id, option_id, option_value',
  local_user: 'id, user_id, domain_id, name',
  password: 'id, local_user_id, expires_at, self_service, password_hash, created_at_int, expires_at_int, created_at',
  nonlocal_user: 'domain_id, name, user_id',
  federated_user: 'id, user_id, idp_id, protocol_id, unique_id, display_name',
  group: 'id, domain_id, name, description, extra',
  user_group_membership: 'user_id, group_id',
  role: 'id, name, extra, domain_id, description',
  role_option: 'role_id, option_id, option_value',
  implied_role: 'prior_role_id, implied_role_id',
  assignment: 'type, actor_id, target_id, role_id, inherited',
  system_assignment: 'type, actor_id, target_id, role_id, inherited',
  region: 'id, description, parent_region_id, extra',
  service: 'id, type, enabled, extra',
  endpoint: 'id, interface, service_id, url, extra, enabled, region_id',
  endpoint_group: 'id, name, description, filters',
  project_endpoint: 'endpoint_id, project_id',
  project_endpoint_group: 'endpoint_group_id, project_id',
  policy: 'id, type, blob, extra',
  service_provider: 'id, auth_url, enabled, description, sp_url, relay_state_prefix',
  credential: 'id, user_id, project_id, type, extra, encrypted_blob, key_hash',
  application_credential:
    'internal_id, id, name, secret_hash, description, user_id, project_id, expires_at, system, unrestricted',
  application_credential_role: 'application_credential_id, role_id',
  application_credential_access_rule: 'application_credential_id, access_rule_id',
  access_rule: 'id, service, path, method, external_id, user_id',
  trust:
    'id, trustor_user_id, trustee_user_id, project_id, impersonation, deleted_at, expires_at, expires_at_int, remaining_uses, extra, redelegated_trust_id, redelegation_count',
  trust_role: 'trust_id, role_id',
};

const database = new DatabaseSync(process.argv[2]);
for (const [table, columns] of Object.entries(TABLES)) database.exec(`create table "${table}" (${columns})`);

const insert = (table, row) =>
  database
    .prepare(
      `insert into "${table}" (${Object.keys(row).join(', ')}) values (${Object.keys(row)
        .map(() => '?')
        .join(', ')})`,
    )
    .run(...Object.values(row));
const project = (id, name, more) =>
  insert('project', {
    id,
    name,
    extra: '{}',
    description: '',
    enabled: 1,
    domain_id: ROOT,
    parent_id: null,
    is_domain: 1,
    ...more,
  });

project(ROOT, ROOT, { enabled: 0 });
project('default', 'Default', {});
project('c0ffee', 'practice', {});
project('decade', 'cranes', { domain_id: 'c0ffee', parent_id: 'c0ffee', is_domain: 0 });
insert('role', { id: 'facade', name: 'admin', extra: '{}', domain_id: '<<null>>' });
insert('role', { id: 'accede', name: 'member', extra: '{}', domain_id: '<<null>>' });
for (const [at, [id, name]] of [
  ['beef01', 'ann'],
  ['beef02', 'bob'],
].entries()) {
  insert('user', { id, extra: `{"email": "${name}@practice.example"}`, enabled: 1, domain_id: 'c0ffee' });
  insert('local_user', { id: at, user_id: id, domain_id: 'c0ffee', name });
  insert('password', { id: at, local_user_id: at, self_service: 0, password_hash: HASH, created_at_int: 1_700_000_000_000_000 });
}
insert('group', { id: 'feed', domain_id: 'c0ffee', name: 'crew', extra: '{}' });
insert('user_group_membership', { user_id: 'beef01', group_id: 'feed' });
insert('assignment', { type: 'GroupProject', actor_id: 'feed', target_id: 'decade', role_id: 'accede', inherited: 0 });
insert('system_assignment', { type: 'UserSystem', actor_id: 'beef02', target_id: 'system', role_id: 'facade', inherited: 0 });
