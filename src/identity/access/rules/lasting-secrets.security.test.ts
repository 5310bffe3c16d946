// What an administrator passed on to a program must leave nothing behind that works when the program's own access has ended: no secret that
// lasts is made for it, or shown to it.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type ApiAnswer, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { bodyOf, fill, idsFor, makeWorld, programToken, type World } from '../../../../test/support/every-route.ts';
import { askAccessToken, askRequestToken, authorize, keyOf, makeConsumer, signedLogin } from '../../../../test/support/oauth1.ts';
import { identityRoutes, isOpen, nameOfRoute } from '../../../../test/support/routes.ts';
import { makeTrust, trustPerson, trustToken } from '../../../../test/support/trusts.ts';
import type { Schema } from '../../../platform/http/index.ts';
import { type Action, givesSecretBy } from './policy.ts';

/** Fields of answers by which somebody proves something. */
const SECRET =
  /^(secret|token|blob|two_factor_key|recovery_codes|device_token|activation_key|reset_token|tx_code|code|key|password|private_key)$/;

/** Routes whose answers have such a field, but no secret that lasts longer than the token of the caller. */
const WITHOUT: Readonly<Record<string, string>> = {
  'GET /v3/auth/tokens': 'describes a token that the caller has',
  'POST /v3/ec2tokens': 'describes a token for a request that somebody signed',
  'POST /v3/s3tokens': 'the same',
  'GET /v3/policies': 'the blob of a policy is a document',
  'POST /v3/policies': 'the same',
  'GET /v3/policies/:policy_id': 'the same',
  'PATCH /v3/policies/:policy_id': 'the same',
  'GET /v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy': 'the same',
  'GET /v3/OS-SERVICE/settings': 'the key is the name of a setting',
  'PATCH /v3/OS-SERVICE/settings': 'the same',
  'GET /v3/OS-SERVICE/domains/:domain_id/settings': 'the same',
  'PATCH /v3/OS-SERVICE/domains/:domain_id/settings': 'the same',
  'GET /v3/users/:user_id/OS-ACCESS/sign-in': 'the same',
  'POST /v3/OS-FEDERATION/identity_providers/:idp_id/mapping_trials': 'the code is that of a refusal',
  'POST /v3/OS-FEDERATION/identity_providers/:idp_id/sign_in_attempts/:attempt_id/answer': 'the same',
  'POST /v3/OS-IMPORT/imports/:import_id/batches': 'the key is by what the source knows the record',
  // Keystone lets unrestricted application credentials create others; mayDelegate and application-credentials.security.test.ts.
  'POST /v3/users/:user_id/application_credentials': 'has a rule of its own',
};

function secretsIn(schema: Schema | null, seen = new Set<unknown>()): string[] {
  if (!schema || seen.has(schema)) return [];
  seen.add(schema);
  const { properties = {}, items, anyOf = [], allOf = [], oneOf = [] } = schema as Record<string, never> & Schema;
  const fields = Object.entries(properties as Record<string, Schema>);
  const inside = [...fields.map(([, one]) => one), ...[items].flat(), ...anyOf, ...allOf, ...oneOf] as (Schema | undefined)[];
  return [
    ...fields.flatMap(([name]) => (SECRET.test(name) ? [name] : [])),
    ...inside.flatMap((one) => secretsIn(one ?? null, seen)),
  ];
}

const routes = identityRoutes().filter((route) => !isOpen(route));
const isForSecrets = ({ spec }: (typeof routes)[number]): boolean => givesSecretBy(spec.rule as Action);

describe('A route whose answer has a secret', () => {
  it('asks for the caller in person, by its rule', () => {
    const withSecrets = routes.filter(({ spec }) => Object.values(spec.reply).flatMap((one) => secretsIn(one)).length > 0);
    assert.ok(withSecrets.length > 20, String(withSecrets.length));
    const open = withSecrets.filter((route) => !isForSecrets(route)).map(nameOfRoute);
    assert.deepEqual(open.toSorted(), Object.keys(WITHOUT).toSorted());
  });
});

const tokenOf = ({ status, text, headers }: ApiAnswer): string => {
  assert.equal(status, 201, text);
  return headers.get('x-subject-token')!;
};

/** Ways to pass on the role `admin`. */
const PASSED_ON: Readonly<Record<string, (api: TestApi) => Promise<string>>> = {
  'a restricted application credential': (api) => programToken(api, 'admin'),
  'an unrestricted application credential': (api) => programToken(api, 'admin', { unrestricted: true }),
  'a trust': async (api) => {
    const [trustor, trustee] = [await trustPerson(api, ['admin']), await trustPerson(api)];
    const trust = await makeTrust(api, trustor, trustee, { roles: [{ name: 'admin' }], impersonation: true });
    return trustToken(api, trustee, trust);
  },
  'an OAuth1 access token': async (api) => {
    const [admin, consumer] = [await trustPerson(api, ['admin']), await makeConsumer(api)];
    const request = keyOf(await askRequestToken(api, admin.project.id, { consumer }));
    const { body } = await authorize(api, admin.token, request, [{ name: 'admin' }]);
    const token = keyOf(await askAccessToken(api, { consumer, token: request, verifier: body.token.oauth_verifier }));
    return tokenOf(await signedLogin(api, { consumer, token }));
  },
};

onUsualDatabase('What an administrator passed on', (api) => {
  let world: World;
  before(async () => {
    world = await makeWorld(api);
  });
  function ask(route: (typeof routes)[number], token: string): Promise<ApiAnswer> {
    const query = route.path.endsWith('/devices') ? `?user_id=${world.user.id}` : '';
    const body = bodyOf(route);
    return api.request(route.method, fill(route.path, idsFor(route.path, world)) + query, { token, body });
  }

  for (const [name, passOn] of Object.entries(PASSED_ON))
    it(`makes and shows no secret that lasts: ${name}`, async () => {
      const token = await passOn(api);
      // It is an administrator's otherwise.
      assert.equal((await api.get('/v3/users?limit=1', { token })).status, 200);
      const connection = { domain_id: 'default', name: uniqueName('connection') };
      const consumer = `/v3/OS-OAUTH2/consumers/${world.application.id}`;
      for (const answer of [
        await api.post('/v3/OS-SCIM/connections', { connection }, { token }),
        await api.get(consumer, { token }),
        await api.post(`${consumer}/secret`, {}, { token }),
        await api.post('/v3/OS-OAUTH1/consumers', { consumer: {} }, { token }),
        await api.get(`/v3/OS-REGISTRATION/users/${world.user.id}/reset_password`, { token }),
      ])
        assert.equal(answer.status, 403, answer.text);
      assert.doesNotMatch((await api.get('/v3/OS-SCIM/connections')).text, new RegExp(connection.name));
      assert.equal((await api.get(consumer)).body.consumer.secret, world.application.secret);
    });

  it('is refused by each route that makes or shows one, while the administrator is not', async () => {
    const token = await PASSED_ON['a restricted application credential']!(api);
    const asked = routes.filter(isForSecrets);
    assert.ok(asked.length > 25, String(asked.length));
    for (const route of asked) {
      const answer = await ask(route, token);
      assert.equal(answer.status, 403, `${nameOfRoute(route)}: ${answer.status} ${answer.text}`);
    }
    const consumer = `/v3/OS-OAUTH2/consumers/${world.application.id}`;
    assert.equal((await api.get(consumer)).status, 200);
    const connection = { domain_id: 'default', name: uniqueName('connection') };
    assert.equal((await api.post('/v3/OS-SCIM/connections', { connection })).status, 201);
  });
});
