import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';

onBothDatabases('Implied roles', (api) => {
  let project: any;
  let domain: any;
  before(async () => {
    project = await api.make('project', { name: uniqueName('project') });
    domain = await api.make('domain', { name: uniqueName('domain') });
  });

  const makeRole = (values: Record<string, unknown> = {}) => api.make('role', { name: uniqueName('role'), ...values });
  const ref = ({ id, name }: { id: string; name: string }) => ({ id, name, links: { self: `${api.url}/v3/roles/${id}` } });
  const link = (prior: { id: string }, implied: { id: string }) => `/v3/roles/${prior.id}/implies/${implied.id}`;
  const imply = async (...chain: { id: string }[]) => {
    for (const [index, implied] of chain.slice(1).entries()) assertOk(await api.put(link(chain[index]!, implied)), 201);
  };

  async function rolesIn(token: string): Promise<string[]> {
    const { body } = await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });
    return body.token.roles.map((role: { name: string }) => role.name);
  }

  it('makes, shows, checks and ends an implication', async () => {
    const [prior, implied] = [await makeRole(), await makeRole()];
    const path = link(prior, implied);
    const shown = {
      role_inference: { prior_role: ref(prior), implies: ref(implied) },
      links: { self: api.url + path },
    };
    assert.deepEqual(assertOk(await api.put(path), 201), shown);
    assert.deepEqual(assertOk(await api.get(path)), shown);
    assertOk(await api.head(path), 204);
    assertRefused(await api.put(path), 409, /store implied role - Duplicate Entry/);
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${prior.id}/implies`)), {
      role_inference: { prior_role: ref(prior), implies: [ref(implied)] },
      links: { self: `${api.url}/v3/roles/${prior.id}/implies` },
    });
    assertOk(await api.delete(path), 204);
    for (const method of ['GET', 'DELETE'])
      assertRefused(await api.request(method, path), 404, new RegExp(`${prior.id} implies ${implied.id}`));
    assert.equal((await api.head(path)).status, 404);
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${prior.id}/implies`)).role_inference.implies, []);
  });

  it('lists every implication, those of a fresh service included', async () => {
    const [prior, one, two] = [await makeRole(), await makeRole(), await makeRole()];
    await imply(prior, one);
    await imply(prior, two);
    const { role_inferences: inferences, links } = assertOk(await api.get('/v3/role_inferences'));
    assert.equal(links.self, `${api.url}/v3/role_inferences`);
    const impliedBy = (name: string) =>
      inferences.find((inference: any) => inference.prior_role.name === name)?.implies.map((role: any) => role.name);
    assert.deepEqual(impliedBy('admin'), ['member']);
    assert.deepEqual(impliedBy('member'), ['reader']);
    assert.deepEqual(impliedBy(prior.name), [one.name, two.name].sort());
    assert.equal(impliedBy(one.name), undefined);
  });

  it('says which role is missing', async () => {
    const role = await makeRole();
    for (const method of ['PUT', 'GET', 'DELETE']) {
      assertRefused(await api.request(method, `/v3/roles/nobody/implies/${role.id}`), 404, /Could not find role: nobody/);
      assertRefused(await api.request(method, `/v3/roles/${role.id}/implies/nobody`), 404, /Could not find role: nobody/);
    }
    assertRefused(await api.get('/v3/roles/nobody/implies'), 404, /Could not find role: nobody/);
  });

  it('refuses a circle, however long', async () => {
    const [a, b, c] = [await makeRole(), await makeRole(), await makeRole()];
    assertRefused(await api.put(link(a, a)), 400, /cannot imply/);
    await imply(a, b, c);
    assertRefused(await api.put(link(b, a)), 400, /cannot imply/);
    assertRefused(await api.put(link(c, a)), 400, /cannot imply/);
    assert.deepEqual(assertOk(await api.get(`/v3/roles/${c.id}/implies`)).role_inference.implies, []);
    await imply(a, c);
  });

  it('makes no circle of implications that are asked for at once', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b, c] = [await makeRole(), await makeRole(), await makeRole()];
      const answers = await Promise.all([api.put(link(a, b)), api.put(link(b, c)), api.put(link(c, a))]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 400]);
    }
  });

  it('is made once when it is asked for at once', async () => {
    const [a, b] = [await makeRole(), await makeRole()];
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.put(link(a, b))));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });

  it('says that a role is missing which is deleted meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await makeRole(), await makeRole()];
      const [made, deleted] = await Promise.all([api.put(link(a, b)), api.delete(`/v3/roles/${b.id}`)]);
      assertOk(deleted, 204);
      if (made.status !== 201) assertRefused(made, 404, /Could not find role/);
    }
  });

  it('never lets a role imply the administrator', async () => {
    const admin = await api.roleId('admin');
    const role = await makeRole();
    assertRefused(await api.put(`/v3/roles/${role.id}/implies/${admin}`), 403, /cannot be an implied role/);
    assert.equal((await api.head(`/v3/roles/${role.id}/implies/${admin}`)).status, 404);
  });

  it('lets a role of a domain imply others, and only such a role imply it', async () => {
    const [local, other] = [await makeRole({ domain_id: domain.id }), await makeRole({ domain_id: domain.id })];
    const global = await makeRole();
    await imply(local, other, global);
    assertRefused(await api.put(link(global, await makeRole({ domain_id: domain.id }))), 403, /domain/);
  });

  it('shows the effect in tokens that were there before, at once', async () => {
    const [prior, middle, last] = [await makeRole(), await makeRole(), await makeRole()];
    const { token } = await api.persona([prior.name], { project: project.id });
    assert.deepEqual(await rolesIn(token), [prior.name]);
    await imply(prior, middle, last);
    assert.deepEqual(await rolesIn(token), [prior.name, middle.name, last.name].sort());
    assertOk(await api.delete(link(middle, last)), 204);
    assert.deepEqual(await rolesIn(token), [prior.name, middle.name].sort());
    assertOk(await api.delete(`/v3/roles/${middle.id}`), 204);
    assert.deepEqual(await rolesIn(token), [prior.name]);
  });

  it('gives and takes rights by what a role implies, at once', async () => {
    const role = await makeRole();
    const reader = await api.roleId('reader');
    const { token } = await api.persona([role.name], 'system');
    assertRefused(await api.get('/v3/users', { token }), 403);
    await imply(role, { id: reader });
    assertOk(await api.get('/v3/users', { token }));
    assertOk(await api.delete(link(role, { id: reader })), 204);
    assertRefused(await api.get('/v3/users', { token }), 403);
  });

  it('counts a role of a domain only by what it implies', async () => {
    const own = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
    const local = await makeRole({ domain_id: domain.id });
    const global = await makeRole();
    await imply(local, global);
    const password = 'a password of a test';
    const user = await api.make('user', { name: uniqueName('user'), password });
    assertOk(await api.put(`/v3/projects/${own.id}/users/${user.id}/roles/${local.id}`), 204);
    const token = await api.logIn({ id: user.id, password }, { project: { id: own.id } });
    assert.deepEqual(await rolesIn(token), [global.name]);

    assertOk(await api.delete(link(local, global)), 204);
    assertRefused(await api.get('/v3/regions', { token }), 401);
    assertRefused(await api.authenticate({ id: user.id, password }, { project: { id: own.id } }), 401);
  });

  it('asks for a token, for the right, and tells only administrators what is missing', async () => {
    const outsiders = [
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['reader'], { domain: 'default' })).token,
    ];
    const [prior, implied, free] = [await makeRole(), await makeRole(), await makeRole()];
    await imply(prior, implied);
    const path = link(prior, implied);
    const missing = `/v3/roles/no-such-role/implies/${implied.id}`;
    await assertGuarded(api, outsiders, [
      { method: 'GET', path: '/v3/role_inferences' },
      { method: 'GET', path: `/v3/roles/${prior.id}/implies`, missing: '/v3/roles/no-such-role/implies' },
      { method: 'GET', path, missing },
      { method: 'HEAD', path, missing },
      { method: 'PUT', path: link(prior, free), missing },
      { method: 'DELETE', path, missing },
    ]);
    const { implies } = assertOk(await api.get(`/v3/roles/${prior.id}/implies`)).role_inference;
    assert.deepEqual(implies, [ref(implied)]);
  });

  it('may be read but not changed by a reader of the system', async () => {
    const { token } = await api.persona(['reader'], 'system');
    const [prior, implied] = [await makeRole(), await makeRole()];
    await imply(prior, implied);
    assertOk(await api.get('/v3/role_inferences', { token }));
    assertOk(await api.get(`/v3/roles/${prior.id}/implies`, { token }));
    assertOk(await api.get(link(prior, implied), { token }));
    assertOk(await api.head(link(prior, implied), { token }), 204);
    assertRefused(await api.put(link(prior, implied), undefined, { token }), 403);
    assertRefused(await api.delete(link(prior, implied), { token }), 403);
  });
});
