// An application that a person signed in to (method `oauth2`) knows who they are. It does not become them, whatever they may do.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onEachDatabase, type TestApi, uniqueName } from '../../../test/support/api.ts';
import { makeApplication } from '../../../test/support/applications.ts';
import { logInByAccessToken, OldClient } from '../../../test/support/old-client.ts';
import { identityRoutes, isChange, nameOfRoute } from '../../../test/support/routes.ts';
import { enable } from '../../../test/support/second-factor.ts';
import { DELEGATED } from '../caller.ts';

const routes = identityRoutes();

/** Everything a manager of a domain may do, and the applications they manage. */
async function makeManager(api: TestApi) {
  await api.make('role', { name: 'manager' });
  const domain = await api.make('domain', { name: uniqueName('domain') });
  const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
  const manager = await api.persona(
    ['member'],
    { project: organization.id },
    { domain_id: domain.id, default_project_id: organization.id },
  );
  for (const role of ['manager', 'reader', 'member', 'owner', 'service']) {
    const id = await api.roleId(role);
    for (const where of [`domains/${domain.id}`, `projects/${organization.id}`])
      assert.equal((await api.put(`/v3/${where}/users/${manager.user.id}/roles/${id}`)).status, 204);
  }
  const other = await api.make('user', {
    name: uniqueName('other'),
    domain_id: domain.id,
    email: `${uniqueName('o')}@example.org`,
  });
  const group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
  assert.equal((await api.put(`/v3/groups/${group.id}/users/${other.id}`)).status, 204);
  assert.equal((await enable(api, other)).status, 201);
  const managed = await makeApplication(api, { redirect_uris: ['https://managed.example.org/'] }, manager.token);
  return { domain, manager, organization, other, group, managed };
}

/** Tokens an application gets of its access token: as it is, for each scope, and by the method `token` from those. */
async function delegatedTokens(api: TestApi, access: string, scopes: readonly unknown[]): Promise<string[]> {
  const made = await Promise.all(scopes.map((scope) => logInByAccessToken(api, access, scope)));
  for (const { status, text } of made) assert.equal(status, 201, text);
  const first = made[0]!.headers.get('x-subject-token')!;
  const rescoped = await api.post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['token'], token: { id: first } }, scope: scopes.at(-1) } },
    { token: null },
  );
  assert.equal(rescoped.status, 201, rescoped.text);
  return [...made, rescoped].map(({ headers }) => headers.get('x-subject-token')!);
}

onEachDatabase('An application that acts for the manager of a domain', (api) => {
  let made: Awaited<ReturnType<typeof makeManager>>;
  let tokens: string[];

  before(async () => {
    made = await makeManager(api);
    const { access_token: access } = await (await OldClient.make(api)).tokens(made.manager);
    tokens = await delegatedTokens(api, access, [
      undefined,
      { project: { id: made.organization.id } },
      { domain: { id: made.domain.id } },
    ]);
  });

  const addressOf = (path: string): string => {
    const { domain, other, group, managed, organization } = made;
    const known: Record<string, string> = {
      user_id: other.id,
      domain_id: domain.id,
      project_id: organization.id,
      organization_id: organization.id,
      group_id: group.id,
      consumer_id: managed.id,
      application_id: managed.id,
    };
    return path.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? 'default');
  };

  it('changes nothing, at any address of the service', async () => {
    const open = routes.filter((route) => isChange(route) && route.spec.access !== 'anyone' && route.spec.access !== DELEGATED);
    assert.ok(open.length > 100, 'all routes are walked');
    for (const token of [tokens[0]!, tokens.at(-1)!])
      for (const route of open) {
        const answer = await api.request(route.method, addressOf(route.path), { token, body: {} });
        assert.ok([401, 403].includes(answer.status), `${nameOfRoute(route)}: ${answer.status} ${answer.text}`);
      }
    const listed = routes.filter(({ spec }) => spec.access === DELEGATED).map(nameOfRoute);
    assert.deepEqual(listed, ['DELETE /v3/auth/tokens']);
  });

  it('learns nothing of others, nor any secret', async () => {
    const { other, group, managed, domain } = made;
    const secrets = [other.id, other.name, other.email, group.name, managed.secret];
    const asked = routes.filter((route) => route.method === 'GET' && route.spec.access !== 'anyone');
    for (const token of tokens)
      for (const route of asked) {
        // Whom it asks about it knows by now.
        const path = addressOf(route.path);
        const { text, status } = await api.get(path, { token });
        for (const secret of secrets.filter((one) => !path.includes(one)))
          assert.ok(status >= 400 || !text.includes(secret), `${nameOfRoute(route)} tells ${secret}: ${text}`);
        if (path.includes(other.id)) assert.ok(status >= 400, `${nameOfRoute(route)}: ${status} ${text}`);
      }
    const [, , inDomain] = tokens;
    for (const path of [
      '/v3/users',
      `/v3/users?domain_id=${domain.id}`,
      `/v3/OS-OAUTH2/consumers/${managed.id}`,
      `/v3/OS-ROLES/users/role_assignments?application_id=${managed.id}`,
      `/v3/OS-ROLES/users/${other.id}/applications/${managed.id}/permissions`,
    ])
      assert.equal((await api.get(path, { token: inDomain! })).status, 403, path);
  });

  it('while the manager does, in person', async () => {
    const { manager, domain, other, managed } = made;
    const token = await api.logIn({ id: manager.user.id, password: manager.password }, { domain: { id: domain.id } });
    assert.match((await api.get('/v3/users', { token })).text, new RegExp(other.id));
    assert.equal((await api.get(`/v3/OS-OAUTH2/consumers/${managed.id}`, { token })).body.consumer.secret, managed.secret);
    assert.equal((await api.patch(`/v3/users/${other.id}`, { user: { description: 'x' } }, { token })).status, 200);
  });

  it('reads who they are, and what they may do, as clients of the old back-end need it', async () => {
    const { manager, organization, managed } = made;
    const { id } = manager.user;
    const [, token] = tokens;
    for (const path of [
      `/v3/users/${id}`,
      `/v3/users/${id}/projects`,
      '/v3/auth/projects',
      '/v3/auth/domains',
      '/v3/auth/catalog',
      `/v3/projects/${organization.id}`,
      `/v3/OS-ROLES/users/role_assignments?user_id=${id}`,
      `/v3/OS-ROLES/users/${id}/applications/${managed.id}/permissions`,
    ])
      assert.equal((await api.get(path, { token: token! })).status, 200, path);
    const shown = await api.get('/v3/auth/tokens', { token: token!, headers: { 'X-Subject-Token': token! } });
    const names = shown.body.token.roles.map((role: { name: string }) => role.name);
    assert.ok(names.includes('manager'), 'the roles of the person in that scope');
    assert.equal((await api.delete('/v3/auth/tokens', { token: token!, headers: { 'X-Subject-Token': token! } })).status, 204);
    assert.equal((await api.get(`/v3/users/${id}`, { token: token! })).status, 401);
  });
});
