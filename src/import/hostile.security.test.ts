// Sources that somebody made to become administrator here, or to hold up logins.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../test/support/answers.ts';
import { ADMIN_PASSWORD, underAttack } from '../../test/support/api.ts';
import { countsOf, importInto, jsonOf } from '../../test/support/imports.ts';
import { KeystoneSource } from '../../test/support/keystone-source.ts';

const PASSWORD = 'correct hörse 1';
const BCRYPT = '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
const COSTLY = '$pbkdf2-sha512$90000000$kZIS4lzrfQ9hjPE.R8gZAw$qwZ3LhIYznV16V4UpLk6m6QuXUb7yIvkvfgJPbZuQtA';

underAttack('A hostile Keystone', (api) => {
  const keystone = new KeystoneSource();
  let victim: { readonly id: string };
  let group: { readonly id: string };
  before(async () => {
    victim = await api.make('user', { name: 'victim', password: PASSWORD });
    group = await api.make('group', { name: 'administrators' });
    assertOk(await api.put(`/v3/system/groups/${group.id}/roles/${await api.roleId('admin')}`), 204);
    const { projects } = assertOk(await api.get('/v3/projects?name=admin'));
    const { users } = assertOk(await api.get('/v3/users?name=admin'));
    await keystone.start(api.kind);
    await keystone.domain('default', { name: 'Default', enabled: false, description: 'taken over' });
    await keystone.domain('theirs');
    // By the name of the administrator, by the id of the administrator, by the id of somebody else.
    await keystone.user('mallory', 'admin', 'default', [BCRYPT]);
    await keystone.user(users[0].id, 'somebody', 'theirs', [BCRYPT]);
    await keystone.user(victim.id, 'victim', 'default', [BCRYPT]);
    await keystone.user('eve', 'eve', 'theirs', [BCRYPT]);
    await keystone.user('bomb', 'bomb', 'theirs', [COSTLY]);
    await keystone.role(await api.roleId('member'), 'admin');
    await keystone.role('r', 'admin');
    await keystone.role('capital', 'ADMIN');
    await keystone.insert('implied_role', { prior_role_id: 'capital', implied_role_id: 'r' });
    await keystone.insert('group', { id: group.id, domain_id: 'default', name: 'administrators', extra: '{}' });
    await keystone.insert('user_group_membership', { user_id: 'eve', group_id: group.id });
    await keystone.project(projects[0].id, 'default', { name: 'admin', enabled: false });
    for (const who of ['eve', 'mallory', users[0].id]) {
      await keystone.assign('UserSystem', who, 'system', 'r');
      await keystone.assign('UserProject', who, projects[0].id, 'r');
      await keystone.assign('UserDomain', who, 'theirs', 'capital');
    }
  });
  after(() => keystone.stop());

  const everything = async () => {
    const paths = ['users', 'groups', 'projects', 'domains', 'roles', 'role_assignments'];
    return Promise.all(paths.map(async (path) => (assertOk(await api.get(`/v3/${path}`)) as Record<string, unknown>)[path]));
  };
  const isHere = (before: unknown, after: unknown): void => {
    const all = JSON.stringify(after);
    for (const one of before as object[]) assert.ok(all.includes(JSON.stringify(one)), JSON.stringify(one));
  };

  it('lists every administrator that it would make when roles are merged', async () => {
    const merge = ['domain', 'role', 'project'];
    const report = await importInto(api, 'keystone', keystone.location, { apply: false, name: 'third', merge });
    const { administrators } = jsonOf(report);
    const said = JSON.stringify(administrators.lines);
    assert.match(said, /user eve \(eve\) becomes administrator: the role admin on the system/);
    assert.doesNotMatch(said, /mallory/);
    // Programs compare names of roles in any case.
    assert.match(said, /ADMIN looks like admin/);
  });

  it('lists who would get into a group of administrators, and whose account would be taken over', async () => {
    const merge = ['domain', 'role', 'project', 'group', 'user'];
    const report = await importInto(api, 'keystone', keystone.location, { apply: false, name: 'fourth', merge });
    const said = JSON.stringify(jsonOf(report).administrators.lines);
    assert.match(said, /user eve is in the group [0-9a-f]+","why":"everybody in this group is an administrator/);
    assert.match(said, /user admin","why":"this is an administrator here/);
    assert.match(said, /user somebody","why":"this is an administrator here/);
    assert.doesNotMatch(said, /user victim"/);
  });

  it('changes nothing that exists, and makes no administrator of what exists', async () => {
    const before = await everything();
    const rehearsal = await importInto(api, 'keystone', keystone.location, { apply: false });
    const report = await importInto(api, 'keystone', keystone.location);
    const after = await everything();
    for (const [at, things] of before.entries()) isHere(things, after[at]);
    for (const one of [rehearsal, report]) {
      assert.deepEqual(countsOf(one, 'domain'), { read: 2, made: 1, clash: 1 });
      assert.deepEqual(countsOf(one, 'role'), { read: 3, made: 1, clash: 2 });
      assert.deepEqual(countsOf(one, 'user'), { read: 5, made: 2, clash: 1, refused: 2 });
      assert.deepEqual(countsOf(one, 'membership'), { read: 1, refused: 1 });
    }
    const member = await api.authenticate({ name: 'victim', domain: { id: 'default' }, password: PASSWORD });
    assertOk(member, 201);
    assertOk(await api.authenticate({ name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD }), 201);
    assertRefused(await api.authenticate({ id: 'eve', password: PASSWORD }, { system: { all: true } }), 401);
    assert.equal((await api.get(`/v3/groups/${group.id}/users/eve`)).status, 404);
  });

  it('gives nobody a hash that takes minutes to compare with', async () => {
    const began = Date.now();
    assertRefused(await api.authenticate({ id: 'bomb', password: PASSWORD }), 401);
    assert.ok(Date.now() - began < 5000);
  });

  it('is read for administrators only', async () => {
    const token = await api.logIn({ id: 'eve', password: PASSWORD });
    assertRefused(await api.get('/v3/OS-IMPORT/imports', { token }), 403);
    const begun = { import: { source: 'mine', kind: 'csv', rehearsal: false } };
    assertRefused(await api.post('/v3/OS-IMPORT/imports', begun, { token }), 403);
    assertRefused(await api.post('/v3/OS-IMPORT/imports', begun, { token: null }), 401);
  });
});
