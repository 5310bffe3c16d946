// A Keystone moves in: what is in its database is here with the same ids, and people log in with the passwords that they have there.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, isAlive } from '../../test/support/answers.ts';
import { onEachDatabase } from '../../test/support/api.ts';
import { countsOf, importInto, jsonOf } from '../../test/support/imports.ts';
import { KeystoneSource } from '../../test/support/keystone-source.ts';

const PASSWORD = 'correct hörse 1';
const BCRYPT = '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
const PBKDF2 = '$pbkdf2-sha256$10$kZIS4lzrfQ9hjPE.R8gZAw$qwZ3LhIYznV16V4UpLk6m6QuXUb7yIvkvfgJPbZuQtA';
const COSTLY = '$2b$31$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
const MERGE = ['domain', 'role'];

onEachDatabase('A Keystone that moves in', (api) => {
  const keystone = new KeystoneSource();
  before(async () => {
    await keystone.start(api.kind);
    await keystone.domain('default', { name: 'Default' });
    await keystone.domain('harbour', { description: 'Ships', extra: '{"city":"Cádiz"}' });
    await keystone.project('crane', 'harbour', { parent_id: 'docks', extra: '{"tons":40}' });
    await keystone.project('docks', 'harbour');
    await keystone.insert('project_tag', { project_id: 'crane', name: 'heavy' }, { project_id: 'crane', name: 'blue' });
    await keystone.insert('project_option', { project_id: 'crane', option_id: 'IMMU', option_value: 'true' });
    await keystone.role('role-of-admins', 'admin');
    await keystone.role('role-of-members', 'member');
    await keystone.role('role-of-pilots', 'pilot', { description: 'May steer' });
    await keystone.insert('implied_role', { prior_role_id: 'role-of-pilots', implied_role_id: 'role-of-members' });
    await keystone.user('ann', 'ann', 'harbour', [PBKDF2, BCRYPT], {
      extra: '{"email":"ann@harbour.example","description":"first mate","desk":7}',
      default_project_id: 'crane',
      last_active_at: '2025-01-02',
    });
    await keystone.user('capital', 'Ann', 'harbour', [PBKDF2]);
    await keystone.user('bomb', 'bob', 'harbour', [COSTLY]);
    await keystone.insert('user_option', { user_id: 'ann', option_id: '1002', option_value: 'true' });
    await keystone.insert('group', { id: 'crew', domain_id: 'harbour', name: 'crew', description: 'All hands', extra: '{}' });
    await keystone.insert('user_group_membership', { user_id: 'ann', group_id: 'crew' });
    await keystone.assign('GroupProject', 'crew', 'crane', 'role-of-pilots');
    await keystone.assign('UserDomain', 'ann', 'harbour', 'role-of-members', true);
    await keystone.assign('UserSystem', 'capital', 'system', 'role-of-admins');
  });
  after(() => keystone.stop());

  it('stores nothing in a rehearsal, and says what it would do', async () => {
    const report = await importInto(api, 'keystone', keystone.location, { apply: false, merge: MERGE });
    assert.deepEqual(countsOf(report, 'user'), { read: 3, made: 3 });
    assert.deepEqual(countsOf(report, 'domain'), { read: 2, made: 1, merged: 1 });
    assert.deepEqual(countsOf(report, 'grant'), { read: 3, made: 3 });
    assert.equal(jsonOf(report).administrators.total, 1);
    assert.equal((await api.get('/v3/users/ann')).status, 404);
    assert.equal((await api.get('/v3/roles/role-of-admins')).status, 404);
  });

  it('is here with the same ids', async () => {
    const report = await importInto(api, 'keystone', keystone.location, { merge: MERGE });
    assert.deepEqual(jsonOf(report).not_taken.lines, []);
    assert.deepEqual(countsOf(report, 'project'), { read: 2, made: 2 });
    const { domain } = assertOk(await api.get('/v3/domains/harbour'));
    assert.deepEqual([domain.name, domain.description, domain.city], ['harbour', 'Ships', 'Cádiz']);
    const { project } = assertOk(await api.get('/v3/projects/crane'));
    assert.deepEqual(
      [project.parent_id, project.domain_id, project.tags, project.options, project.tons],
      ['docks', 'harbour', ['blue', 'heavy'], { immutable: true }, 40],
    );
    const { user } = assertOk(await api.get('/v3/users/ann'));
    assert.deepEqual(
      [user.name, user.domain_id, user.email, user.description, user.desk, user.default_project_id, user.options],
      ['ann', 'harbour', 'ann@harbour.example', 'first mate', 7, 'crane', { ignore_lockout_failure_attempts: true }],
    );
    const { users: crew } = assertOk(await api.get('/v3/groups/crew/users'));
    assert.deepEqual(
      crew.map(({ id }: { id: string }) => id),
      ['ann'],
    );
    const { role } = assertOk(await api.get('/v3/roles/role-of-admins'));
    assert.equal(role.name, 'admin');
    const { role_assignments: assignments } = assertOk(await api.get('/v3/role_assignments?scope.project.id=crane&effective'));
    assert.deepEqual(
      assignments.map((one: { role: { id: string } }) => one.role.id).sort(),
      ['role-of-members', 'role-of-members', 'role-of-pilots', await api.roleId('reader'), await api.roleId('reader')].sort(),
    );
  });

  it('lets people in with the password that they have there, each by the name as it is', async () => {
    const scope = { project: { id: 'crane' } };
    const domain = { id: 'harbour' };
    const { token } = assertOk(await api.authenticate({ name: 'ann', domain, password: PASSWORD }, scope), 201);
    assert.equal(token.user.id, 'ann');
    const { token: other } = assertOk(await api.authenticate({ name: 'Ann', domain, password: PASSWORD }), 201);
    assert.equal(other.user.id, 'capital');
    assert.equal((await api.authenticate({ name: 'ann', domain, password: 'another' })).status, 401);
    assert.equal((await api.authenticate({ name: 'bob', domain, password: PASSWORD })).status, 401);
  });

  it('says which names nobody new could have, and which hashes cost too much', async () => {
    const { imports } = assertOk(await api.get('/v3/OS-IMPORT/imports'));
    const { report } = imports[0];
    assert.equal(imports[0].state, 'finished');
    assert.deepEqual(
      report.names.lines.map(({ what }: { what: string }) => what),
      ['user Ann'],
    );
    assert.match(report.left_out.lines[0].why, /too long to compare/);
    assert.doesNotMatch(JSON.stringify(imports), /\$2b\$|pbkdf2/);
  });

  it('ends what was revoked there', async () => {
    const text = await api.logIn({ id: 'ann', password: PASSWORD });
    const { token } = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } }));
    const at = new Date().toISOString().slice(0, 19).replace('T', ' ');
    const event = { issued_before: at, revoked_at: at };
    await keystone.insert(
      'revocation_event',
      { id: 1, audit_id: token.audit_ids[0], ...event },
      { id: 2, role_id: 'r', ...event },
    );
    const report = await importInto(api, 'keystone', keystone.location, { merge: MERGE });
    assert.deepEqual(countsOf(report, 'revocation'), { read: 2, made: 1, unchanged: 1 });
    assert.ok(!(await isAlive(api, text)));
  });

  it('takes only what changed there when it is read again, and does not bring back what was changed here', async () => {
    assertOk(await api.patch('/v3/users/capital', { user: { description: 'changed here' } }));
    await keystone.update('user', 'ann', { extra: '{"email":"ann@docks.example"}' });
    await keystone.domain('island');
    const report = await importInto(api, 'keystone', keystone.location, { merge: MERGE });
    assert.deepEqual(countsOf(report, 'user'), { read: 3, changed: 1, unchanged: 2 });
    assert.deepEqual(countsOf(report, 'domain'), { read: 3, made: 1, unchanged: 2 });
    assert.deepEqual(countsOf(report, 'grant'), { read: 3, unchanged: 3 });
    const { user } = assertOk(await api.get('/v3/users/ann'));
    assert.equal(user.email, 'ann@docks.example');
    assert.equal(user.desk, undefined);
    const { user: other } = assertOk(await api.get('/v3/users/capital'));
    assert.equal(other.description, 'changed here');
    // The hash of ours that the login made is not replaced by the old one.
    assertOk(await api.authenticate({ name: 'ann', domain: { id: 'harbour' }, password: PASSWORD }), 201);
  });
});
