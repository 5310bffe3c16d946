// What the API says a caller may do is what happens when the caller does it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { bodyOf, fill, idsFor, makeWorld, programToken, type World } from '../../../../test/support/every-route.ts';
import { aShareOf } from '../../../../test/support/extent.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { identityRoutes, isOpen, nameOfRoute } from '../../../../test/support/routes.ts';
import type { Route } from '../../../platform/http/index.ts';
import { PROVISIONING } from '../../access/rules/index.ts';

const ALLOWED = '/v3/auth/OS-ACCESS/allowed';

/** They need more than ids: a token in a header, an answer or a device in the query, a token for a project. */
const NOT_ASKED: readonly string[] = [
  'GET /v3/auth/tokens',
  'HEAD /v3/auth/tokens',
  'DELETE /v3/auth/tokens',
  'GET /v3/auth/catalog',
  'HEAD /v3/OS-TWO-FACTOR/two_factor_auth',
  'POST /v3/OS-TWO-FACTOR/devices',
  'HEAD /v3/OS-TWO-FACTOR/devices',
  'HEAD /v3/users/:user_id/OS-TWO-FACTOR/sec_question',
];
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const ASKED_AS: Readonly<Record<string, string>> = { organization_id: 'project_id', consumer_id: 'application_id' };
const CAN_BE_ASKED =
  /^(domain|project|organization|user|group|role|application|consumer|permission|invitation|credential|connection|type|region|service|endpoint|idp|mapping|protocol|delivery)_id$|^kind$/;

type Persona = (api: TestApi, world: World) => Promise<string>;

async function makeProvider(api: TestApi, { user }: { user: { id: string } }, application: { id: string }): Promise<void> {
  const path = `/v3/OS-ROLES/users/${user.id}/applications/${application.id}/roles/provider`;
  assert.equal((await api.put(path)).status, 200);
}

const PERSONAS: Readonly<Record<string, Persona>> = {
  'an administrator': async (api) => (await api.persona(['admin'], 'system')).token,
  'an application that acts for the provider of the application': async (api, { application }) => {
    const person = await makePerson(api);
    await makeProvider(api, person, application);
    const { access_token: token } = await (await KeyrockClient.make(api)).tokens(person);
    const login = await logInByAccessToken(api, token, { project: { id: person.organization.id } });
    assert.equal(login.status, 201, login.text);
    return login.headers.get('x-subject-token')!;
  },
  'a program of an administrator': (api) => programToken(api, 'admin'),
  'a reader of the system': async (api) => (await api.persona(['reader'], 'system')).token,
  'a manager of the domain': async (api, { domain }) =>
    (await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id })).token,
  'a manager of another domain': async (api) => {
    const domain = await api.make('domain', { name: uniqueName('elsewhere') });
    return (await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id })).token;
  },
  'a member of the project': async (api, { domain, project }) =>
    (await api.persona(['member'], { project: project.id }, { domain_id: domain.id })).token,
  'the provider of the application': async (api, { application }) => {
    const person = await makePerson(api);
    await makeProvider(api, person, application);
    return person.token;
  },
  'a service': async (api, { project }) => (await api.persona(['service'], { project: project.id })).token,
  'the user, without a scope': (api, { user }) => api.logIn({ id: user.id, password: 'a password of a test' }),
  'a stranger': async (api) => (await makePerson(api)).token,
};
/** The rules are the same code on both databases. */
const ON_POSTGRESQL = ['a manager of the domain', 'the provider of the application'];

/** The token of the caller ends with it: one of these comes last. */
const endsToken = ({ path }: Route<never>): boolean => /\/(?:tokens|OS-DELEGATED\/access)$/.test(path);

onUsualDatabase('What a caller may do', (api) => {
  const routes = identityRoutes()
    .filter((route) => !isOpen(route) && route.spec.access !== PROVISIONING && !NOT_ASKED.includes(nameOfRoute(route)))
    .filter(({ path }) => parametersOf(path).every((name) => CAN_BE_ASKED.test(name)))
    .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));

  const allowed = async (token: string, ids: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const answer = await api.get(`${ALLOWED}?${new URLSearchParams(ids)}`, { token });
    assert.equal(answer.status, 200, answer.status === 500 ? api.logged.findLast((line) => line.includes('stack')) : answer.text);
    return answer.body.allowed;
  };

  async function compare(route: Route<never>, world: World, token: string): Promise<string | undefined> {
    const ids = idsFor(route.path, world);
    const asked = Object.fromEntries(parametersOf(route.path).map((name) => [ASKED_AS[name] ?? name, ids[name]!]));
    const body = bodyOf(route);
    const says = (await allowed(token, asked)).includes(route.spec.rule);
    const { status, text } = await api.request(route.method, fill(route.path, ids), { token, body });
    // Other refusals are about the state of the thing.
    const lets = status !== 403 || (text !== '' && !text.includes('You are not authorized'));
    return says === lets
      ? undefined
      : `${nameOfRoute(route)}: ${says ? 'said to be' : 'not said to be'} allowed, ${status} ${text}`;
  }

  for (const [turn, [name, persona]] of Object.entries(PERSONAS).entries()) {
    if (api.kind === 'PostgreSQL' && !ON_POSTGRESQL.includes(name)) continue;
    it(`is what happens on every route, for ${name}`, async () => {
      const world = await makeWorld(api);
      const token = await persona(api, world);
      const differences: (string | undefined)[] = [];
      const asked = aShareOf(routes, 3, turn);
      const last = asked.filter(endsToken);
      for (const route of [...asked.filter((one) => !endsToken(one)), ...last.slice(turn % 2, (turn % 2) + 1)])
        differences.push(await compare(route, world, token));
      assert.deepEqual(differences.filter(Boolean), []);
      assert.ok(routes.length > 100);
    });
  }

  it('is what happens to people and groups with more rights than the caller', async () => {
    const world = await makeWorld(api);
    const { roles } = (await api.get('/v3/roles?name=admin')).body;
    for (const grantee of [`users/${world.user.id}`, `groups/${world.group.id}`])
      assert.equal((await api.put(`/v3/domains/${world.domain.id}/${grantee}/roles/${roles[0].id}`)).status, 204);
    const token = await PERSONAS['a manager of the domain']!(api, world);
    const differences: (string | undefined)[] = [];
    // That nobody asked for a deletion is said before the rights are looked at.
    const about = routes.filter(({ path }) => /:(user|group)_id/.test(path) && !path.endsWith('/OS-ACCOUNT/deletion'));
    for (const route of about) differences.push(await compare(route, world, token));
    assert.deepEqual(differences.filter(Boolean), []);
    assert.ok(!(await allowed(token, { user_id: world.user.id })).includes('identity:update_user'));
  });

  it('names the rules for parts of a request', async () => {
    const world = await makeWorld(api);
    const asked = { application_id: world.application.id };
    const callers: readonly (readonly [string, readonly string[]])[] = [
      ['an administrator', ['trust_consumer', 'update_consumer']],
      ['the provider of the application', ['update_consumer']],
      ['a stranger', []],
    ];
    for (const [name, expected] of callers) {
      const rules = await allowed(await PERSONAS[name]!(api, world), asked);
      assert.deepEqual(
        rules.filter((rule) => /^(trust|update)_consumer$/.test(rule)),
        expected,
        name,
      );
    }
  });

  it('tells nothing of things that the caller may not see', async () => {
    const world = await makeWorld(api);
    const hidden: Readonly<Record<string, string>> = {
      domain_id: world.domain.id,
      project_id: world.project.id,
      user_id: world.user.id,
      group_id: world.group.id,
      role_id: world.role.id,
      application_id: world.application.id,
      permission_id: world.permission.id,
      invitation_id: world.invitation.id,
      credential_id: world.credential.id,
      connection_id: world.connection.id,
      service_id: world.nouns.service.id,
      endpoint_id: world.nouns.endpoint.id,
      idp_id: world.idp,
    };
    const beside = await api.make('project', { name: uniqueName('beside'), domain_id: world.domain.id });
    const callers = [
      (await makePerson(api)).token,
      await PERSONAS['a manager of another domain']!(api, world),
      (await api.persona(['member'], { project: beside.id }, { domain_id: world.domain.id })).token,
    ];
    for (const [at, token] of callers.entries())
      for (const [name, id] of Object.entries(hidden)) {
        // The last one may see the domain of their project.
        if (at === 2 && name === 'domain_id') continue;
        const unknown = await allowed(token, { ...hidden, [name]: 'f'.repeat(32) });
        assert.deepEqual(await allowed(token, hidden), unknown, `${at} ${name}`);
        assert.deepEqual(await allowed(token, { [name]: id }), await allowed(token, { [name]: 'f'.repeat(32) }), `${at} ${name}`);
      }
  });

  it('needs a token, and refuses a parameter given twice', async () => {
    assert.equal((await api.get(ALLOWED, { token: null })).status, 401);
    assert.equal((await api.get(`${ALLOWED}?user_id=a&user_id=b`)).status, 400);
  });
});
