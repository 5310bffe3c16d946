import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

/** A person with roles in a project of their own. */
async function personWithRoles(api: TestApi, roles: readonly string[]) {
  const project = await api.make('project', { name: uniqueName('project') });
  const person = await api.persona(roles, { project: project.id });
  return { ...person, project, path: `/v3/users/${person.user.id}/application_credentials` };
}

async function create(api: TestApi, { path, token }: { path: string; token: string }, values: Record<string, unknown> = {}) {
  const answer = await api.post(path, { application_credential: { name: uniqueName('program'), ...values } }, { token });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.application_credential;
}

const logIn = (api: TestApi, credential: Record<string, unknown>, scope?: unknown) =>
  api.post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['application_credential'], application_credential: credential }, scope } },
    { token: null },
  );

async function tokenOf(api: TestApi, { id, secret }: { id: string; secret: string }): Promise<string> {
  const answer = await logIn(api, { id, secret });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('x-subject-token')!;
}

const validate = (api: TestApi, token: string) => api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });

onEachDatabase('Application credentials', (api) => {
  let ann: Awaited<ReturnType<typeof personWithRoles>>;
  before(async () => {
    ann = await personWithRoles(api, ['member']);
  });

  it('are created with the roles of the token, a secret that is shown once, and Keystone’s fields', async () => {
    const { secret, ...created } = await create(api, ann, { description: 'nightly job' });
    assert.match(secret, /^[\w-]{43}$/);
    assert.deepEqual(
      created.roles.map(({ name }: { name: string }) => name),
      ['member', 'reader'],
    );
    const { expires_at, unrestricted, project_id, system, description } = created;
    assert.deepEqual(
      { expires_at, unrestricted, project_id, system, description },
      { expires_at: null, unrestricted: false, project_id: ann.project.id, system: null, description: 'nightly job' },
    );
    const shown = await api.get(`${ann.path}/${created.id}`, { token: ann.token });
    assert.deepEqual(shown.body.application_credential, created);
    const listed = await api.get(`${ann.path}?name=${created.name}`, { token: ann.token });
    assert.deepEqual(listed.body.application_credentials, [created]);
    assert.equal((await api.get(`${ann.path}?name=other`, { token: ann.token })).body.application_credentials.length, 0);
  });

  it('log in by id, or by name and user, to their project and their roles', async () => {
    const { id, name, secret } = await create(api, ann, { roles: [{ name: 'reader' }] });
    for (const credential of [
      { id, secret },
      { name, secret, user: { id: ann.user.id } },
      { name, secret, user: { name: ann.user.name, domain: { id: 'default' } } },
    ]) {
      const { status, body } = await logIn(api, credential);
      assert.equal(status, 201);
      const { token } = body;
      assert.deepEqual(token.methods, ['application_credential']);
      assert.deepEqual(token.application_credential, { id, name, restricted: true });
      assert.equal(token.user.id, ann.user.id);
      assert.equal(token.project.id, ann.project.id);
      assert.deepEqual(
        token.roles.map((role: { name: string }) => role.name),
        ['reader'],
      );
    }
    const text = await tokenOf(api, { id, secret });
    assert.deepEqual((await validate(api, text)).body.token.application_credential, { id, name, restricted: true });
    assert.equal((await api.get(`/v3/projects/${ann.project.id}`, { token: text })).status, 200);
  });

  it('use a secret that was chosen', async () => {
    const { id, secret } = await create(api, ann, { secret: 'supersecret' });
    assert.equal(secret, 'supersecret');
    assert.equal((await logIn(api, { id, secret })).status, 201);
  });

  it('end at their time, and their tokens not later', async () => {
    const soon = new Date(api.clock.now() + 60_000).toISOString();
    const { id, secret } = await create(api, ann, { expires_at: soon.replace('Z', '') });
    const answer = await logIn(api, { id, secret });
    assert.equal(answer.body.token.expires_at, soon.replace(/\.\d+Z$/, '.000000Z'));
    api.clock.advance(61);
    assert.equal((await logIn(api, { id, secret })).status, 401);
    assert.equal((await validate(api, answer.headers.get('x-subject-token')!)).status, 404);
  });

  it('keep their end to the microsecond, and show it in UTC without a zone, as Keystone does', async () => {
    const day = new Date(api.clock.now() + 86_400_000).toISOString().slice(0, 10);
    for (const [input, kept] of [
      [`${day}T10:00:00.123456`, '123456'],
      [`${day}T10:00:00.000007Z`, '000007'],
      [`${day}T10:00:00.5`, '500000'],
      [`${day}T12:00:00.1234567+02:00`, '123456'],
      [`${day}T10:00:00Z`, '000000'],
    ] as const) {
      const { id, expires_at } = await create(api, ann, { expires_at: input });
      assert.equal(expires_at, `${day}T10:00:00.${kept}`, input);
      const shown = await api.get(`${ann.path}/${id}`, { token: ann.token });
      assert.equal(shown.body.application_credential.expires_at, expires_at);
    }
  });

  it('are refused without a project, with roles the token does not have, a past end, and a name that is taken', async () => {
    const unscoped = await api.logIn({ id: ann.user.id, password: ann.password }, 'unscoped');
    const body = { application_credential: { name: uniqueName('program') } };
    assert.equal((await api.post(ann.path, body, { token: unscoped })).status, 403);
    const ask = (values: object) =>
      api.post(ann.path, { application_credential: { name: uniqueName('program'), ...values } }, { token: ann.token });
    assert.equal((await ask({ roles: [{ name: 'admin' }] })).status, 400);
    assert.equal((await ask({ roles: [{ id: 'unknown' }] })).status, 400);
    assert.equal((await ask({ roles: [{}] })).status, 400);
    assert.equal((await ask({ expires_at: '2020-01-01T00:00:00Z' })).status, 400);
    assert.equal((await ask({ expires_at: 'tomorrow' })).status, 400);
    assert.equal((await ask({ surprise: true })).status, 400);
    const { name } = await create(api, ann);
    assert.equal((await ask({ name })).status, 409);
  });

  it('are deleted by their user and by administrators, and their tokens end at once', async () => {
    for (const token of [ann.token, api.adminToken]) {
      const credential = await create(api, ann);
      const text = await tokenOf(api, credential);
      assert.equal((await validate(api, text)).status, 200);
      assert.equal((await api.delete(`${ann.path}/${credential.id}`, { token })).status, 204);
      assert.equal((await validate(api, text)).status, 404);
      assert.equal((await logIn(api, credential)).status, 401);
      assert.equal((await api.get(`${ann.path}/${credential.id}`, { token })).status, 404);
    }
  });

  describe('access rules', () => {
    const rule = { service: 'identity', method: 'GET', path: '/v3/projects/{project_id}' };

    it('limit the requests, and are shown in the token', async () => {
      const credential = await create(api, ann, { access_rules: [rule] });
      const [created] = credential.access_rules;
      assert.deepEqual({ ...created, id: undefined }, { ...rule, id: undefined });
      const text = await tokenOf(api, credential);
      assert.equal((await api.get(`/v3/projects/${ann.project.id}`, { token: text })).status, 200);
      assert.equal((await api.get(`/v3/users/${ann.user.id}`, { token: text })).status, 401);
      const headers = { 'X-Subject-Token': text, 'OpenStack-Identity-Access-Rules': '1.0' };
      const shown = await api.get('/v3/auth/tokens', { headers });
      assert.deepEqual(shown.body.token.application_credential.access_rules, [created]);
      assert.equal((await validate(api, text)).status, 404, 'a service that does not check rules');
    });

    it('are one for the same request, listed, and deleted only when unused', async () => {
      const first = await create(api, ann, { access_rules: [rule] });
      const second = await create(api, ann, { access_rules: [{ id: first.access_rules[0].id }] });
      assert.deepEqual(second.access_rules, first.access_rules);
      const rules = `/v3/users/${ann.user.id}/access_rules`;
      const listed = await api.get(`${rules}?method=GET`, { token: ann.token });
      assert.ok(listed.body.access_rules.some(({ id }: { id: string }) => id === first.access_rules[0].id));
      const one = `${rules}/${first.access_rules[0].id}`;
      assert.equal((await api.get(one, { token: ann.token })).body.access_rule.path, rule.path);
      assert.equal((await api.delete(one, { token: ann.token })).status, 403);
      const { body } = await api.get(ann.path, { token: ann.token });
      for (const each of body.application_credentials)
        if (each.access_rules) await api.delete(`${ann.path}/${each.id}`, { token: ann.token });
      assert.equal((await api.delete(one, { token: ann.token })).status, 204);
      assert.equal((await api.get(one, { token: ann.token })).status, 404);
    });
  });
});
