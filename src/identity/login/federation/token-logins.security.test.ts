// Attacks on logging in at the API with tokens of another provider: tokens that are not for us, names that are somebody else's, and what
// people must prove beside the provider.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { makeTrust, trustPerson } from '../../../../test/support/trusts.ts';

const RULES = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];
const LOCAL = [
  { local: [{ user: { name: '{0}', type: 'local', domain: { id: 'default' } } }], remote: [{ type: 'preferred_username' }] },
];

onUsualDatabase('Hostile tokens of a provider', (api) => {
  const id = uniqueName('idp');
  const [closed, local] = [uniqueName('closed'), uniqueName('local')];
  let provider: PlainProvider;
  const settings = { accepts_tokens: true };
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules: RULES, settings });
    await connectProvider(api, provider, { id: closed, rules: RULES });
    await connectProvider(api, provider, { id: local, rules: LOCAL, settings });
  });
  after(() => provider.stop());

  const now = (): number => Math.floor(Date.now() / 1000);
  const claimsOf = (sub: string): Record<string, unknown> => ({
    iss: provider.issuer,
    aud: provider.clientId,
    sub,
    iat: now(),
    exp: now() + 300,
    preferred_username: sub,
  });
  const mint = (sub: string, more: Readonly<Record<string, unknown>> = {}, header: Readonly<Record<string, unknown>> = {}) =>
    provider.mint(header, { ...claimsOf(sub), ...more });
  const logIn = (bearer: string, { idp = id, protocol = 'openid' } = {}): Promise<ApiAnswer> =>
    api.post(`${ROOT}/identity_providers/${idp}/protocols/${protocol}/auth`, undefined, {
      token: null,
      headers: { Authorization: `Bearer ${bearer}` },
    });
  const userOf = async (answer: ApiAnswer) => assertOk(answer, 201).token.user as { id: string; name: string };

  it('are refused when anything about them is wrong, all with the same answer', async () => {
    const sub = uniqueName('ann');
    const { privateKey } = await generateKeyPair('RS256');
    const other = await new SignJWT(claimsOf(sub)).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey);
    const [header, , signature] = (await mint(sub)).split('.');
    const payload = Buffer.from(JSON.stringify(claimsOf(sub))).toString('base64url');
    const bad: Record<string, string> = {
      'another key': other,
      'another body': [
        header,
        Buffer.from(JSON.stringify({ ...claimsOf(sub), sub: 'root' })).toString('base64url'),
        signature,
      ].join('.'),
      'no signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      'another audience': await mint(sub, { aud: 'another client' }),
      'several audiences': await mint(sub, { aud: [provider.clientId, 'another client'] }),
      'issued to our client for another API': await mint(sub, { aud: 'another API', azp: provider.clientId }),
      'issued to another client': await mint(sub, { azp: 'another client' }),
      'an access token of another client': await mint(sub, { client_id: 'another client' }, { typ: 'at+jwt' }),
      'another issuer': await mint(sub, { iss: 'https://login.example.org' }),
      expired: await mint(sub, { exp: now() - 120, iat: now() - 300 }),
      'of the future': await mint(sub, { iat: now() + 300 }),
      'without an end': await mint(sub, { exp: undefined }),
      'without a subject': await mint(sub, { sub: undefined }),
      'with a number as subject': await mint(sub, { sub: 1 }),
      'a logout token': await mint(sub, { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
      'a logout token by its type': await mint(sub, {}, { typ: 'logout+jwt' }),
      'bound to a key': await mint(sub, { cnf: { jkt: 'x' } }),
      'no token': 'x',
      'one of ours': api.adminToken,
    };
    const good = await logIn(await mint(sub));
    assertOk(good, 201);
    const answers = new Set<string>();
    for (const [name, token] of Object.entries(bad)) {
      const answer = await logIn(token);
      assert.equal(answer.status, 401, name);
      answers.add(answer.text);
    }
    for (const where of [{ idp: 'nobody' }, { idp: closed }, { protocol: 'saml2' }]) {
      const answer = await logIn(await mint(sub), where);
      assert.equal(answer.status, 401, JSON.stringify(where));
      answers.add(answer.text);
    }
    assert.equal(answers.size, 1);
  });

  it('do not take over a local user by the name, or by the id', async () => {
    const { user, password } = await makeUser(api);
    const entered = await userOf(await logIn(await mint(uniqueName('bob'), { preferred_username: user.name })));
    assert.notEqual(entered.id, user.id);
    assert.notEqual(entered.name, user.name);
    // A mapping of type `local` names an account that is there. It is entered only by somebody who linked it.
    assertRefused(await logIn(await mint(uniqueName('bob'), { preferred_username: user.name }), { idp: local }), 401);
    assertRefused(await logIn(await mint(uniqueName('bob'), { preferred_username: 'admin' }), { idp: local }), 401);
    assertOk(await api.authenticate({ id: user.id, password }), 201);
  });

  it('are one factor: whoever has a second one does not come in by the first', async () => {
    const sub = uniqueName('cid');
    const { id: userId } = await userOf(await logIn(await mint(sub)));
    const rules = { options: { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['mapped', 'totp']] } };
    assertOk(await api.patch(`/v3/users/${userId}`, { user: rules }));
    const answer = await logIn(await mint(sub));
    assertRefused(answer, 401);
    assert.equal(answer.headers.get('openstack-auth-receipt'), null);
  });

  it('do not lead to what would not end with the provider: trusts, and consents', async () => {
    const answer = await logIn(await mint(uniqueName('fay')));
    const [user, token] = [await userOf(answer), answer.headers.get('x-subject-token')!];
    const trust = await makeTrust(api, await trustPerson(api, ['member']), { user });
    const identity = { methods: ['token'], token: { id: token } };
    const scope = { 'OS-TRUST:trust': { id: trust.id } };
    assertRefused(await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null }), 401);
    const { consumer } = assertOk(await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name: uniqueName('app') } }));
    const consent = `/v3/OS-OAUTH2/authorize?response_type=code&client_id=${consumer.id}`;
    assertRefused(await api.get(consent, { token }), 403);
  });

  it('end with the account: disabled, and with a new epoch', async () => {
    const sub = uniqueName('dot');
    const answer = await logIn(await mint(sub));
    const [{ id: userId }, token] = [await userOf(answer), answer.headers.get('x-subject-token')!];
    const validate = () => api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });
    assertOk(await validate());
    assertOk(await api.patch(`/v3/users/${userId}`, { user: { enabled: false } }));
    assertRefused(await validate(), 404);
    assertRefused(await logIn(await mint(sub)), 401);
  });

  it('are as old as the sign-in at the provider: an old one makes no secrets that last', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const create = async (sub: string, more: Readonly<Record<string, unknown>>): Promise<ApiAnswer> => {
      const answer = await logIn(await mint(sub, more));
      const { id: userId } = await userOf(answer);
      await api.put(`/v3/projects/${project.id}/users/${userId}/roles/${await api.roleId('member')}`);
      const identity = { methods: ['token'], token: { id: answer.headers.get('x-subject-token') } };
      const body = { auth: { identity, scope: { project: { id: project.id } } } };
      const scoped = await api.post('/v3/auth/tokens', body, { token: null });
      assertOk(scoped, 201);
      return api.post(
        `/v3/users/${userId}/application_credentials`,
        { application_credential: { name: uniqueName('program') } },
        { token: scoped.headers.get('x-subject-token')! },
      );
    };
    assertRefused(await create(uniqueName('eve'), {}), 401);
    assertRefused(await create(uniqueName('eve'), { auth_time: now() - 86_400 }), 401);
    assertOk(await create(uniqueName('eve'), { auth_time: now() + 86_400 }), 201);
  });
});
