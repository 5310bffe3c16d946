import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

const names = (answer: { body: any }): string[] => answer.body.roles.map((role: { name: string }) => role.name);

async function countRoles(api: TestApi): Promise<number> {
  return assertOk(await api.get('/v3/roles')).roles.length;
}

onBothDatabases('Roles', (api) => {
  let domain: any;
  let project: any;
  before(async () => {
    domain = await api.make('domain', { name: uniqueName('domain') });
    project = await api.make('project', { name: uniqueName('project') });
  });

  it('creates a role with what Keystone would fill in, and shows it', async () => {
    const name = uniqueName('operator');
    const { role } = assertOk(await api.post('/v3/roles', { role: { name, colour: 'green' } }), 201);
    assert.match(role.id, /^[0-9a-f]{32}$/);
    assert.deepEqual(role, {
      id: role.id,
      name,
      domain_id: null,
      description: null,
      options: {},
      colour: 'green',
      links: { self: `${api.url}/v3/roles/${role.id}` },
    });
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${role.id}`)).role, role);
    assert.equal((await api.head(`/v3/roles/${role.id}`)).status, 200);
  });

  it('refuses a name that differs from another in its case only, or looks like it: other programs take them for the same', async () => {
    const name = uniqueName('auditor');
    const role = await api.make('role', { name });
    const lookalike = name.replace('a', '\u0430');
    for (const other of [name.toUpperCase(), `A${name.slice(1)}`, lookalike, name.replace('o', '\uff4f')]) {
      assertRefused(await api.post('/v3/roles', { role: { name: other } }), 409, /looks like auditor/);
      const third = await api.make('role', { name: uniqueName('third') });
      assertRefused(await api.patch(`/v3/roles/${third.id}`, { role: { name: other } }), 409, /looks like auditor/);
    }
    for (const admin of ['ADMIN', 'Admin', 'admIn'])
      assertRefused(await api.post('/v3/roles', { role: { name: admin } }), 409, /looks like admin/);
    const elsewhere = await api.make('domain', { name: uniqueName('domain') });
    assertOk(await api.post('/v3/roles', { role: { name: name.toUpperCase(), domain_id: elsewhere.id } }), 201);
    assert.equal(assertOk(await api.patch(`/v3/roles/${role.id}`, { role: { name: `A${name.slice(1)}` } })).role.id, role.id);
  });

  it('lets one of two such names be stored, of requests at the same time', async () => {
    const name = uniqueName('racer');
    const answers = await Promise.all(
      [name, name.toUpperCase(), `R${name.slice(1)}`].map((one) => api.post('/v3/roles', { role: { name: one } })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  it('ignores an id and links that a client sends along', async () => {
    const role = await api.make('role', { id: 'mine', links: { self: 'elsewhere' }, name: uniqueName('role') });
    assert.notEqual(role.id, 'mine');
    assert.equal(role.links.self, `${api.url}/v3/roles/${role.id}`);
  });

  it('creates a role of a domain, that only the list of that domain shows', async () => {
    const role = await api.make('role', { name: uniqueName('local'), domain_id: domain.id, description: 'of one domain' });
    assert.equal(role.domain_id, domain.id);
    assert.equal(role.description, 'of one domain');
    assert.ok(!names(await api.get('/v3/roles')).includes(role.name));
    assert.deepEqual(names(await api.get(`/v3/roles?domain_id=${domain.id}`)), [role.name]);
    assert.deepEqual(names(await api.get('/v3/roles?domain_id=no-such-domain')), []);
  });

  it('does not create a role of a domain that is not there', async () => {
    const before = await countRoles(api);
    const body = { role: { name: uniqueName('role'), domain_id: 'no-such-domain' } };
    assertRefused(await api.post('/v3/roles', body), 404, /Could not find domain: no-such-domain/);
    body.role.domain_id = project.id;
    assertRefused(await api.post('/v3/roles', body), 404, /Could not find domain/);
    assert.equal(await countRoles(api), before);
  });

  it('refuses what is no role, naming the field, and stores nothing', async () => {
    const before = await countRoles(api);
    await assertBadBodies(api, 'POST', '/v3/roles', [
      ['role', {}],
      ['role', { role: 'admin' }],
      ['role.name', { role: {} }],
      ['role.name', { role: { name: '' } }],
      ['role.name', { role: { name: '   ' } }],
      ['role.name', { role: { name: 7 } }],
      ['role.name', { role: { name: 'x'.repeat(256) } }],
      ['role.description', { role: { name: 'role', description: 7 } }],
      ['role.domain_id', { role: { name: 'role', domain_id: {} } }],
      ['role.options.immutable', { role: { name: 'role', options: { immutable: 'yes' } } }],
      ['role.options.unheard_of', { role: { name: 'role', options: { unheard_of: true } } }],
      ['JSON', 'not json'],
    ]);
    assert.equal(await countRoles(api), before);
  });

  it('refuses a name that is taken, in the same place only', async () => {
    const name = uniqueName('taken');
    const other = await api.make('domain', { name: uniqueName('domain') });
    await api.make('role', { name });
    assertRefused(await api.post('/v3/roles', { role: { name } }), 409, new RegExp(`store role - Duplicate Entry.*${name}`));
    await api.make('role', { name, domain_id: domain.id });
    await api.make('role', { name, domain_id: other.id });
    assertRefused(await api.post('/v3/roles', { role: { name, domain_id: other.id } }), 409);

    const free = await api.make('role', { name: uniqueName('free') });
    assertRefused(await api.patch(`/v3/roles/${free.id}`, { role: { name } }), 409);
    assert.equal(assertOk(await api.get(`/v3/roles/${free.id}`)).role.name, free.name);
  });

  it('makes one role when several of the same name are asked for at once', async () => {
    const name = uniqueName('race');
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.post('/v3/roles', { role: { name } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  });

  it('deletes a role once, whoever else tries', async () => {
    const role = await api.make('role', { name: uniqueName('race') });
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.delete(`/v3/roles/${role.id}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404]);
  });

  it('lists roles by name, page by page, and by the filters of Keystone', async () => {
    const prefix = uniqueName('list');
    for (const letter of ['c', 'a', 'b']) await api.make('role', { name: `${prefix}-${letter}` });
    const all = ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`);
    assert.deepEqual(names(await api.get(`/v3/roles?name__startswith=${prefix}`)), all);
    assert.deepEqual(names(await api.get(`/v3/roles?name=${prefix}-b`)), [`${prefix}-b`]);
    assert.deepEqual(names(await api.get(`/v3/roles?name__icontains=${prefix.toUpperCase()}-A`)), [`${prefix}-a`]);
    assert.deepEqual(names(await api.get(`/v3/roles?name__endswith=${prefix}-c&name__contains=list`)), [`${prefix}-c`]);

    const first = assertOk(await api.get(`/v3/roles?name__startswith=${prefix}&limit=2`));
    assert.equal(first.links.previous, null);
    const second = assertOk(await api.get(first.links.next.slice(api.url.length)));
    assert.deepEqual([...names({ body: first }), ...names({ body: second })], all);
    assert.equal(second.links.next, null);
    const back = assertOk(await api.get(second.links.previous.slice(api.url.length)));
    assert.deepEqual(names({ body: back }), all.slice(0, 2));
  });

  it('refuses a page it cannot make', async () => {
    for (const query of ['limit=0', 'limit=abc', 'limit=-1', 'limit=2&limit=3', 'marker=no-such-role'])
      assertRefused(await api.get(`/v3/roles?${query}`), 400, /limit|marker/);
  });

  it('changes what is named and keeps the rest', async () => {
    const role = await api.make('role', { name: uniqueName('role'), description: 'before', colour: 'green', size: 'small' });
    const name = uniqueName('renamed');
    const { role: changed } = assertOk(
      await api.patch(`/v3/roles/${role.id}`, { role: { name, description: null, size: 'large' } }),
    );
    assert.deepEqual(changed, { ...role, name, description: null, size: 'large' });
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${role.id}`)).role, changed);
  });

  it('does not move a role to another id or domain', async () => {
    const role = await api.make('role', { name: uniqueName('role') });
    await assertBadBodies(api, 'PATCH', `/v3/roles/${role.id}`, [
      ['role.name', { role: { name: '' } }],
      ['role.description', { role: { description: [] } }],
      ['ID', { role: { id: 'other' } }],
      ['domain ID', { role: { domain_id: domain.id } }],
    ]);
    const same = await api.patch(`/v3/roles/${role.id}`, { role: { id: role.id, domain_id: null } });
    assert.deepEqual(assertOk(same).role, role);
  });

  it('keeps an immutable role as it is until that option alone is taken away', async () => {
    const role = await api.make('role', { name: uniqueName('fixed'), options: { immutable: true } });
    const path = `/v3/roles/${role.id}`;
    assert.deepEqual(role.options, { immutable: true });
    for (const changes of [
      { name: 'other' },
      { description: 'other' },
      { options: { immutable: true } },
      { options: {} },
      { name: 'other', options: { immutable: false } },
    ]) {
      assertRefused(await api.patch(path, { role: changes }), 403, /Cannot update immutable role/);
    }
    assertRefused(await api.delete(path), 403, /Cannot delete immutable role/);
    assert.deepEqual(assertOk(await api.get(path)).role, role);

    const lifted = assertOk(await api.patch(path, { role: { options: { immutable: false } } })).role;
    assert.deepEqual(lifted.options, { immutable: false });
    assertOk(await api.patch(path, { role: { options: { immutable: null } } }));
    assert.deepEqual(assertOk(await api.get(path)).role.options, {});
    assertOk(await api.delete(path), 204);
  });

  it('protects the roles the policy depends on', async () => {
    for (const name of ['admin', 'member', 'reader']) {
      const id = await api.roleId(name);
      assertRefused(await api.delete(`/v3/roles/${id}`), 403, /immutable/);
      assertRefused(await api.patch(`/v3/roles/${id}`, { role: { name: 'other' } }), 403, /immutable/);
    }
  });

  it('takes the grants of a role away with it, in tokens too', async () => {
    const role = await api.make('role', { name: uniqueName('doomed') });
    const { user, token } = await api.persona(['member', role.name], { project: project.id });
    const shown = async () =>
      assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token.roles.map(
        (held: { name: string }) => held.name,
      );
    assert.deepEqual((await shown()).sort(), [role.name, 'member', 'reader'].sort());

    assertOk(await api.delete(`/v3/roles/${role.id}`), 204);
    assertRefused(await api.get(`/v3/roles/${role.id}`), 404, new RegExp(`Could not find role: ${role.id}`));
    assert.deepEqual(await shown(), ['member', 'reader']);
    assert.deepEqual(names(await api.get(`/v3/projects/${project.id}/users/${user.id}/roles`)), ['member']);
    assertRefused(await api.delete(`/v3/roles/${role.id}`), 404);
  });

  it('takes the roles of a domain away with it', async () => {
    const own = await api.make('domain', { name: uniqueName('domain') });
    const role = await api.make('role', { name: uniqueName('local'), domain_id: own.id });
    assertOk(await api.patch(`/v3/domains/${own.id}`, { domain: { enabled: false } }));
    assertOk(await api.delete(`/v3/domains/${own.id}`), 204);
    assertRefused(await api.get(`/v3/roles/${role.id}`), 404);
  });

  it('asks for a token, for the right, and tells only administrators what is missing', async () => {
    const outsiders = [
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['member'], { domain: domain.id }, { domain_id: domain.id })).token,
    ];
    const role = await api.make('role', { name: uniqueName('role') });
    const local = await api.make('role', { name: uniqueName('local'), domain_id: domain.id });
    const body = { role: { name: uniqueName('role') } };
    const missing = '/v3/roles/no-such-role';
    await assertGuarded(api, outsiders, [
      { method: 'GET', path: '/v3/roles' },
      { method: 'HEAD', path: '/v3/roles' },
      { method: 'GET', path: `/v3/roles?domain_id=${domain.id}` },
      { method: 'POST', path: '/v3/roles', body },
      { method: 'POST', path: '/v3/roles', body: { role: { ...body.role, domain_id: domain.id } } },
      ...[role, local].flatMap(({ id }) => [
        { method: 'GET', path: `/v3/roles/${id}`, missing },
        { method: 'HEAD', path: `/v3/roles/${id}`, missing },
        { method: 'PATCH', path: `/v3/roles/${id}`, missing, body },
        { method: 'DELETE', path: `/v3/roles/${id}`, missing },
      ]),
    ]);
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${role.id}`)).role, role);
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${local.id}`)).role, local);
  });
});
