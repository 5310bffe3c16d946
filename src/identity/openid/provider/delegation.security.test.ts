// An application that logs in with an access token (method `oauth2`) identifies the person, but does not get their rights.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication } from '../../../../test/support/applications.ts';
import { connectProvider } from '../../../../test/support/federation.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { identityRoutes, isChange, isOpen, nameOfRoute } from '../../../../test/support/routes.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { DELEGATED } from '../../access/rules/index.ts';

const routes = identityRoutes();

/** Addresses of what is known about one user. */
const ABOUT_THE_PERSON = /:user_id|\/(Users\/:id|Me)$/;

/** What an application that acts for a person reads about them: not more than they were asked for, so nothing by SCIM. */
const READS_OF_THE_PERSON: readonly string[] = [
  // Of themselves in this application.
  'GET /v3/OS-ROLES/users/:user_id/organizations/:organization_id/applications/allowed',
  'GET /v3/OS-ROLES/users/:user_id/organizations/:organization_id/applications/allowed_roles',
  'GET /v3/OS-ROLES/users/:user_id/organizations/:organization_id/roles/allowed',
  'GET /v3/users/:user_id',
  'GET /v3/users/:user_id/groups',
  'GET /v3/users/:user_id/projects',
];

/** Everything a manager of a domain may do, and the applications they manage. */
async function makeManager(api: TestApi) {
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

/** Tokens an application can get for its access token: unscoped, for each scope, and by the method `token` from those. */
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

onUsualDatabase('An application that acts for the manager of a domain', (api) => {
  let made: Awaited<ReturnType<typeof makeManager>>;
  let client: KeyrockClient;
  let access: string;
  let tokens: string[];

  before(async () => {
    made = await makeManager(api);
    client = await KeyrockClient.make(api);
    access = (await client.tokens(made.manager)).access_token;
    tokens = await delegatedTokens(api, access, [
      undefined,
      { project: { id: made.organization.id } },
      { domain: { id: made.domain.id } },
    ]);
  });

  const addressOf = (path: string, user: { id: string } = made.other): string => {
    const { domain, group, managed, organization } = made;
    const known: Record<string, string> = {
      user_id: user.id,
      domain_id: domain.id,
      project_id: organization.id,
      organization_id: organization.id,
      group_id: group.id,
      consumer_id: managed.id,
      application_id: managed.id,
    };
    return path.replace('/Users/:id', '/Users/:user_id').replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? 'default');
  };

  it('changes nothing, at any address of the service', async () => {
    const open = routes.filter((route) => isChange(route) && !isOpen(route) && route.spec.access !== DELEGATED);
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
    const asked = routes.filter((route) => route.method === 'GET' && !isOpen(route));
    for (const token of tokens)
      for (const route of asked) {
        // The application already knows the user it asks about.
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

  it('reads of the person who they are and what they may do, and not how they sign in or whom they let act for them', async () => {
    const { manager, organization } = made;
    const token = await api.logIn({ id: manager.user.id, password: manager.password }, { project: { id: organization.id } });
    const program = await api.post(
      `/v3/users/${manager.user.id}/application_credentials`,
      { application_credential: { name: uniqueName('program') } },
      { token },
    );
    assert.equal(program.status, 201, program.text);
    const answered = new Set<string>();
    for (const delegated of tokens)
      for (const route of routes.filter(({ method, path }) => method === 'GET' && ABOUT_THE_PERSON.test(path))) {
        const { status, text } = await api.get(addressOf(route.path, manager.user), { token: delegated });
        if (status < 400) answered.add(nameOfRoute(route));
        assert.ok(!text.includes(program.body.application_credential.id), nameOfRoute(route));
      }
    assert.deepEqual([...answered].toSorted(), READS_OF_THE_PERSON);
  });

  it('does not read which accounts the person has at other providers, and who they are there', async () => {
    const [id, subject] = [uniqueName('idp'), uniqueName('subject')];
    await connectProvider(api, { issuer: `https://${id}.example`, clientId: 'gatehouse', clientSecret: 's' }, { id });
    const federated = [{ idp_id: id, protocols: [{ protocol_id: 'openid', unique_id: subject }] }];
    const password = 'a password of somebody with accounts';
    const { user } = (await api.post('/v3/users', { user: { name: uniqueName('amy'), password, federated } })).body;
    const token = await api.logIn({ id: user.id, password });
    const path = `/v3/users/${user.id}`;
    assert.deepEqual((await api.get(path, { token })).body.user.federated, federated);
    const { access_token } = await (await KeyrockClient.make(api)).tokens({ token });
    const [delegated] = await delegatedTokens(api, access_token, [undefined]);
    const shown = await api.get(path, { token: delegated! });
    assert.equal(shown.body.user.name, user.name);
    assert.ok(!shown.text.includes(subject) && !shown.text.includes(id), shown.text);
    assert.deepEqual((await api.get(path, { token })).body.user.federated, federated);
  });

  it('ends its own tokens, and no token of the person', async () => {
    const { manager } = made;
    const own = await api.logIn({ id: manager.user.id, password: manager.password });
    const elsewhere = await KeyrockClient.make(api);
    const [ofOther] = await delegatedTokens(api, (await elsewhere.tokens(manager)).access_token, [undefined]);
    const [first, ...more] = await delegatedTokens(api, access, [undefined, undefined]);
    const end = (subject: string, token: string) =>
      api.delete('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': subject } });
    for (const subject of [own, ofOther!]) {
      assert.equal((await end(subject, first!)).status, 403);
      assert.equal((await api.get(`/v3/users/${manager.user.id}`, { token: subject })).status, 200);
    }
    for (const subject of [...more, first!]) {
      assert.equal((await end(subject, first!)).status, 204);
      assert.equal((await api.get(`/v3/users/${manager.user.id}`, { token: subject })).status, 401);
    }
    assert.equal((await end(own, own)).status, 204, 'the person ends it themselves');
  });

  it('while the manager does, in person', async () => {
    const { manager, domain, other, managed } = made;
    const token = await api.logIn({ id: manager.user.id, password: manager.password }, { domain: { id: domain.id } });
    assert.match((await api.get('/v3/users', { token })).text, new RegExp(other.id));
    assert.equal((await api.get(`/v3/OS-OAUTH2/consumers/${managed.id}`, { token })).body.consumer.secret, managed.secret);
    assert.equal((await api.patch(`/v3/users/${other.id}`, { user: { description: 'x' } }, { token })).status, 200);
  });

  describe('reads of what they hold in applications', () => {
    const pathsOf = () => {
      const { manager, organization, managed } = made;
      const ofUser = `/v3/OS-ROLES/users/${manager.user.id}`;
      return {
        own: `${ofUser}/applications/${client.id}/permissions`,
        other: `${ofUser}/applications/${managed.id}/permissions`,
        assignments: `/v3/OS-ROLES/users/role_assignments?user_id=${manager.user.id}`,
        allowed: [`${ofUser}/organizations/${organization.id}`, `/v3/OS-ROLES/organizations/${organization.id}`].flatMap(
          (start) => ['roles/allowed', 'applications/allowed', 'applications/allowed_roles'].map((end) => `${start}/${end}`),
        ),
      };
    };
    before(async () => {
      const { manager, organization, managed } = made;
      for (const application of [client, managed]) {
        await assign(api, { user: manager.user, organization, application, role: { id: 'provider' } });
        await assign(api, { organization, application, role: { id: 'provider' } });
      }
    });

    it('only what they hold in itself, with tokens of every scope and tokens made from those', async () => {
      const { managed, organization } = made;
      const { own, other, assignments, allowed } = pathsOf();
      for (const token of tokens) {
        const held = await api.get(own, { token });
        assert.deepEqual(
          held.body.roles.map((role: { id: string }) => role.id),
          ['provider'],
        );
        assert.equal((await api.get(other, { token })).status, 403);
        assert.equal((await api.get(other.replace(managed.id, 'nobody'), { token })).status, 403);
        const listed = await api.get(assignments, { token });
        assert.deepEqual(
          listed.body.role_assignments.map((one: { application_id: string }) => one.application_id),
          [client.id],
        );
        assert.deepEqual((await api.get(`${assignments}&application_id=${managed.id}`, { token })).body.role_assignments, []);
        for (const path of allowed) {
          const answer = await api.get(path, { token });
          assert.ok([200, 403].includes(answer.status), `${path}: ${answer.text}`);
          assert.ok(!answer.text.includes(managed.id), `${path}: ${answer.text}`);
        }
      }
      const inOrganization = tokens[1]!;
      for (const path of allowed) {
        const answer = await api.get(path, { token: inOrganization });
        assert.ok(answer.text.includes(client.id), `${path} of ${organization.id}: ${answer.text}`);
      }
    });

    it('nothing, with a token without an application', async () => {
      const { manager } = made;
      const { own, other, assignments, allowed } = pathsOf();
      const rules = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['oauth2', 'password']] };
      assert.equal((await api.patch(`/v3/users/${manager.user.id}`, { user: { options: rules } })).status, 200);
      const begun = await logInByAccessToken(api, access, undefined);
      assert.equal(begun.status, 401, begun.text);
      const user = { id: manager.user.id, password: manager.password };
      const ended = await api.post(
        '/v3/auth/tokens',
        { auth: { identity: { methods: ['password'], password: { user } } } },
        { token: null, headers: { 'Openstack-Auth-Receipt': begun.headers.get('openstack-auth-receipt')! } },
      );
      assert.equal(ended.status, 201, ended.text);
      assert.deepEqual(ended.body.token.methods.toSorted(), ['oauth2', 'password']);
      const token = ended.headers.get('x-subject-token')!;
      for (const path of [own, other, assignments]) assert.equal((await api.get(path, { token })).status, 403, path);
      for (const path of allowed)
        assert.doesNotMatch((await api.get(path, { token })).text, new RegExp(`${client.id}|${made.managed.id}`), path);
      const open = { multi_factor_auth_enabled: null, multi_factor_auth_rules: null };
      assert.equal((await api.patch(`/v3/users/${manager.user.id}`, { user: { options: open } })).status, 200);
    });

    it('while the person reads all of it themselves', async () => {
      const { manager, managed } = made;
      const { own, other, assignments } = pathsOf();
      const token = await api.logIn({ id: manager.user.id, password: manager.password });
      for (const path of [own, other]) assert.equal((await api.get(path, { token })).status, 200, path);
      const { text } = await api.get(assignments, { token });
      for (const { id } of [client, managed]) assert.ok(text.includes(id));
    });
  });

  it("reads who they are, and what they may do, as clients of Keyrock's back-end need it", async () => {
    const { manager, organization } = made;
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
      `/v3/OS-ROLES/users/${id}/applications/${client.id}/permissions`,
    ])
      assert.equal((await api.get(path, { token: token! })).status, 200, path);
    const shown = await api.get('/v3/auth/tokens', { token: token!, headers: { 'X-Subject-Token': token! } });
    const names = shown.body.token.roles.map((role: { name: string }) => role.name);
    assert.ok(names.includes('manager'), 'the roles of the person in that scope');
    assert.equal((await api.delete('/v3/auth/tokens', { token: token!, headers: { 'X-Subject-Token': token! } })).status, 204);
    assert.equal((await api.get(`/v3/users/${id}`, { token: token! })).status, 401);
  });
});
