// What is checked of every login, after its method: each test fails when one of these checks is gone.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { enable, logInWith, Phone, TOTP_KEY } from '../../../../test/support/second-factor.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { makeTrust, trustPerson } from '../../../../test/support/trusts.ts';

const NAMED = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];

onUsualDatabase('The checks of a login', (api) => {
  const idp = uniqueName('idp');
  let provider: PlainProvider;
  before(async () => {
    provider = await providerFor(idp);
    await connectProvider(api, provider, { id: idp, rules: NAMED, settings: { accepts_tokens: true } });
  });
  after(() => provider.stop());

  const exchange = (token: string, scope: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
    api.post(
      '/v3/auth/tokens',
      { auth: { identity: { methods: ['token'], token: { id: token } }, scope } },
      { token: null, headers },
    );
  /** Who are created at once have the same generation: that of one does not tell it from the other. */
  async function makeTwins() {
    const release = api.clock.hold();
    const twins = [await makePerson(api), await makePerson(api)] as const;
    release();
    return twins;
  }
  const endTokens = async ({ id }: { id: string }): Promise<void> => assertOk(await api.delete(`/v3/users/${id}/tokens`), 204);

  it('refuse a project or a domain for a token of the system', async () => {
    const { user, token } = await api.persona(['member'], 'system');
    const project = await api.make('project', { name: uniqueName('project') });
    for (const where of [`projects/${project.id}`, 'domains/default'])
      assertOk(await api.put(`/v3/${where}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
    assertRefused(await exchange(token, { project: { id: project.id } }), 403, /system-scoped/);
    assertRefused(await exchange(token, { domain: { id: 'default' } }), 403, /system-scoped/);
    assertOk(await exchange(token, { system: { all: true } }), 201);
  });

  it('refuse a receipt of somebody else, and one from before the tokens of its owner were ended', async () => {
    /** Somebody who needs three methods: a receipt has two of them, and a token is the third. */
    async function begin(person: Awaited<ReturnType<typeof makePerson>>) {
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob: TOTP_KEY, user_id: person.user.id } }), 201);
      const rules = async (multi_factor_auth_rules: unknown): Promise<void> =>
        assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { options: { multi_factor_auth_rules } } }));
      const newToken = async (): Promise<string> => {
        await rules(null);
        const token = await api.logIn({ id: person.user.id, password: person.password });
        await rules([['password', 'totp', 'token']]);
        return token;
      };
      const token = await newToken();
      const first = await logInWith(api, person, { verification_code: new Phone(api, TOTP_KEY).fresh() });
      assert.equal(first.status, 401);
      return { ...person, token, newToken, receipt: { 'Openstack-Auth-Receipt': first.headers.get('openstack-auth-receipt')! } };
    }
    const [one, other] = await makeTwins();
    const [ann, bob] = [await begin(one), await begin(other)];
    assertRefused(await exchange(ann.token, undefined, bob.receipt), 401);
    assertOk(await exchange(ann.token, undefined, ann.receipt), 201);
    await endTokens(ann.user);
    assertRefused(await exchange(await ann.newToken(), undefined, ann.receipt), 401);
  });

  it('try no code with a receipt of somebody else', async () => {
    const [ann, bob] = await makeTwins();
    const factor = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    const receipts = [];
    for (const { user, password } of [ann, bob]) {
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob: TOTP_KEY, user_id: user.id } }), 201);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { options: factor } }));
      const { headers, body } = await api.authenticate({ id: user.id, password });
      assert.deepEqual([body.receipt.methods, body.error.identity.methods], [['password'], ['totp']]);
      receipts.push({ 'Openstack-Auth-Receipt': headers.get('openstack-auth-receipt')! });
    }
    const passcode = new Phone(api, TOTP_KEY).fresh();
    const identity = { methods: ['totp'], totp: { user: { id: ann.user.id, passcode } } };
    const byCode = (headers = {}) => api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
    assertRefused(await byCode(receipts[1]), 401);
    assertOk(await byCode(receipts[0]), 201);
  });

  it('write down every login, also by a token beside a receipt, but no exchange of a token alone', async () => {
    const { user, password, token } = await makePerson(api);
    const written = async (): Promise<number> =>
      assertOk(await api.get(`/v3/OS-AUDIT/events?action=user.logged_in&target_id=${user.id}`)).events.length;
    assert.equal(await written(), 1);
    assertOk(await exchange(token, undefined), 201);
    assert.equal(await written(), 1);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'token']] };
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { options } }));
    const first = await api.authenticate({ id: user.id, password });
    const receipt = { 'Openstack-Auth-Receipt': first.headers.get('openstack-auth-receipt')! };
    assertOk(await exchange(token, undefined, receipt), 201);
    assert.equal(await written(), 2);
  });

  it('keep no receipt alive by a token: what it proved ends five minutes after it was proved', async () => {
    const { user, password } = await makePerson(api);
    assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob: TOTP_KEY, user_id: user.id } }), 201);
    const token = await api.logIn({ id: user.id, password });
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { options } }));
    const receiptOf = (answer: ApiAnswer) => {
      assert.equal(answer.status, 401);
      return { 'Openstack-Auth-Receipt': answer.headers.get('openstack-auth-receipt')! };
    };
    const first = receiptOf(await api.authenticate({ id: user.id, password }));
    const renewed = receiptOf(await exchange(token, undefined, first));
    const phone = new Phone(api, TOTP_KEY);
    const byCode = (headers: Record<string, string>) => {
      const identity = { methods: ['totp'], totp: { user: { id: user.id, passcode: phone.fresh() } } };
      return api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
    };
    assertRefused(await byCode(renewed), 401);
    assertOk(await byCode(first), 201);
  });

  it('ask for the second factor before the scope: without it nobody learns of one, or takes a use of a trust', async () => {
    const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
    const trust = await makeTrust(api, ann, bob, { remaining_uses: 1 });
    assertOk(await enable(api, bob.user), 201);
    for (const scope of [{ 'OS-TRUST:trust': { id: trust.id } }, { project: { id: ann.project.id } }]) {
      const answer = await api.authenticate({ id: bob.user.id, password: bob.password }, scope);
      assert.equal(answer.status, 401);
      assert.ok(answer.headers.get('openstack-auth-receipt'), 'it says what is missing');
    }
    const { trust: left } = assertOk(await api.get(`/v3/OS-TRUST/trusts/${trust.id}`, { token: ann.token }));
    assert.equal(left.remaining_uses, 1);
  });

  it('give the token of a trust no longer life than the domain of the trustor says, also beside an older token', async () => {
    const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
    const trust = await makeTrust(api, ann, bob);
    const login = await api.authenticate({ id: bob.user.id, password: bob.password });
    const token = login.headers.get('x-subject-token')!;
    const settings = `/v3/OS-SERVICE/domains/${ann.user.domain_id}/settings`;
    assertOk(await api.patch(settings, { settings: { 'sessions.token_seconds': '120' } }));
    const { token: given } = assertOk(await exchange(token, { 'OS-TRUST:trust': { id: trust.id } }), 201);
    assert.ok(Date.parse(given.expires_at) - Date.parse(given.issued_at) <= 120_000);
    assertOk(await api.patch(settings, { settings: { 'sessions.token_seconds': null } }));
  });

  it('give no application the rights of somebody who became an administrator', async () => {
    const [person, client] = [await makePerson(api), await KeyrockClient.make(api)];
    const { access_token: accessToken } = await client.tokens(person);
    const answer = await logInByAccessToken(api, accessToken);
    assertOk(answer, 201);
    const token = answer.headers.get('x-subject-token')!;
    const project = { project: { id: person.organization.id } };
    assertOk(await exchange(token, project), 201);
    const role = await api.roleId('admin');
    assertOk(await api.put(`/v3/projects/${person.organization.id}/users/${person.user.id}/roles/${role}`), 204);
    assertRefused(await exchange(token, project), 401);
  });

  it('refuse what was ended after they found nothing missing: by own roles, and through a provider', async () => {
    const person = await makePerson(api);
    const scope = { project: { id: person.organization.id } };
    const { user, password } = person;
    const byPassword = await whenAt(
      'login.before-scope',
      () => endTokens(user),
      () => api.authenticate({ id: user.id, password }, scope),
    );
    assertRefused(byPassword, 401);
    const [tokens, sub] = [new ProviderTokens(api, provider, idp), uniqueName('ann')];
    const known = assertOk(await tokens.logIn(sub), 201).token.user as { id: string };
    const vouched = await whenAt(
      'login.before-scope',
      () => endTokens(known),
      () => tokens.logIn(sub),
    );
    assertRefused(vouched, 401);
  });
});
