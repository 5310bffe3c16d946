// Logging in at the API with tokens of another provider, and the tokens that come of it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';

const RULES = [
  { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
  { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
];

onEachDatabase('Tokens of a provider', (api) => {
  const id = uniqueName('idp');
  const path = `${ROOT}/identity_providers/${id}`;
  let provider: PlainProvider;
  let project: { id: string };
  let group: { id: string; name: string };
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules: RULES, settings: { accepts_tokens: true } });
    project = await api.make('project', { name: uniqueName('project') });
    group = await api.make('group', { name: uniqueName('group') });
    await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${await api.roleId('member')}`);
  });
  after(() => provider.stop());

  /** A token as the provider issues it for this person. */
  const tokenOf = (sub: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: provider.issuer, aud: provider.clientId, sub, iat: now, exp: now + 300, auth_time: now };
    return provider.mint({}, { ...own, preferred_username: sub, groups: [group.name], ...more });
  };
  const logIn = (bearer: string | undefined, method: 'get' | 'post' = 'post'): Promise<ApiAnswer> => {
    const options = { token: null, headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` } };
    const at = `${path}/protocols/openid/auth`;
    return method === 'get' ? api.get(at, options) : api.post(at, undefined, options);
  };
  const enter = async (sub: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const answer = await logIn(await tokenOf(sub, more));
    assertOk(answer, 201);
    return answer.headers.get('x-subject-token')!;
  };
  const rescope = (token: string, scope: object = { project: { id: project.id } }): Promise<ApiAnswer> =>
    api.post('/v3/auth/tokens', { auth: { identity: { methods: ['token'], token: { id: token } }, scope } }, { token: null });
  const validate = (token: string): Promise<ApiAnswer> => api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });

  it('log in whoever has one, with the section that Keystone’s tokens have', async () => {
    const sub = uniqueName('ann');
    for (const method of ['get', 'post'] as const) {
      const { token } = assertOk(await logIn(await tokenOf(sub), method), 201);
      assert.deepEqual(token.methods, ['mapped']);
      assert.equal(token.user.name, sub);
      assert.deepEqual(token.user['OS-FEDERATION'], {
        groups: [{ id: group.id }],
        identity_provider: { id },
        protocol: { id: 'openid' },
      });
      assert.ok(!('password_expires_at' in token.user) && !('project' in token) && !('roles' in token));
    }
    const { users } = assertOk(await api.get(`/v3/users?idp_id=${id}&unique_id=${sub}&protocol_id=openid`));
    assert.deepEqual(
      users.map((user: { name: string }) => user.name),
      [sub],
    );
    const { user } = assertOk(await api.get(`/v3/users/${users[0].id}`));
    assert.deepEqual(user.federated, [{ idp_id: id, protocols: [{ protocol_id: 'openid', unique_id: sub }] }]);
    assert.deepEqual(assertOk(await api.get(`/v3/users?unique_id=${sub}&protocol_id=saml2`)).users, []);
  });

  it('are exchanged for scoped ones, which end when the first ends', async () => {
    const token = await enter(uniqueName('ben'));
    const first = assertOk(await validate(token)).token;
    api.clock.advance(60);
    const answer = await rescope(token);
    const scoped = assertOk(answer, 201).token;
    assert.equal(scoped.expires_at, first.expires_at);
    assert.deepEqual([...scoped.methods].sort(), ['mapped', 'token']);
    assert.deepEqual(scoped.roles.map((role: { name: string }) => role.name).sort(), ['member', 'reader']);
    assert.deepEqual(scoped.user['OS-FEDERATION'].groups, [{ id: group.id }]);
    const again = assertOk(await rescope(answer.headers.get('x-subject-token')!, { project: { id: project.id } }), 201).token;
    assert.equal(again.expires_at, first.expires_at);
    assertRefused(await rescope(token, { system: { all: true } }), 401);
  });

  it('list the projects and domains that they can be scoped to', async () => {
    const token = await enter(uniqueName('cid'));
    for (const kind of ['projects', 'domains']) {
      const listed = assertOk(await api.get(`${ROOT}/${kind}`, { token }))[kind];
      assert.deepEqual(listed, assertOk(await api.get(`/v3/auth/${kind}`, { token }))[kind]);
      assert.deepEqual(
        listed.map((one: { id: string }) => one.id),
        kind === 'projects' ? [project.id] : [],
      );
    }
  });

  describe('die with what they came from:', () => {
    const settings = (values: object = {}) =>
      api.put(`${path}/openid`, {
        openid: { issuer: provider.issuer, client_id: provider.clientId, accepts_tokens: true, ...values },
      });
    const ends: readonly [name: string, end: () => Promise<unknown>, undo: () => Promise<unknown>][] = [
      [
        'the provider is disabled',
        () => api.patch(path, { identity_provider: { enabled: false } }),
        () => api.patch(path, { identity_provider: { enabled: true } }),
      ],
      ['tokens are not accepted any more', () => settings({ accepts_tokens: false }), () => settings()],
      ['another issuer', () => settings({ issuer: 'https://login.example.org' }), () => settings()],
      [
        'the protocol is deleted',
        () => api.delete(`${path}/protocols/openid`),
        () => api.put(`${path}/protocols/openid`, { protocol: { mapping_id: id } }),
      ],
      [
        'the mapping is deleted',
        () => api.delete(`${ROOT}/mappings/${id}`),
        () => api.put(`${ROOT}/mappings/${id}`, { mapping: { rules: RULES, schema_version: '2.0' } }),
      ],
    ];
    for (const [name, end, undo] of ends)
      it(name, async () => {
        const sub = uniqueName('dot');
        const token = await enter(sub);
        const scoped = (await rescope(token)).headers.get('x-subject-token')!;
        for (const one of [token, scoped]) assertOk(await validate(one));
        await end();
        for (const one of [token, scoped]) assertRefused(await validate(one), 404);
        assertRefused(await rescope(token), 404);
        assertRefused(await logIn(await tokenOf(sub)), 401);
        await undo();
        await enter(sub);
        for (const one of [token, scoped]) assertRefused(await validate(one), 404);
        assertRefused(await rescope(token), 404);
      });

    const mapping = (rules: readonly object[], version = '2.0') =>
      api.patch(`${ROOT}/mappings/${id}`, { mapping: { rules, schema_version: version } });
    const protocol = (mapping_id: string) => api.patch(`${path}/protocols/openid`, { protocol: { mapping_id } });
    const changes: readonly [name: string, change: () => Promise<ApiAnswer>, back: () => Promise<ApiAnswer>][] = [
      ['the mapping has other rules', () => mapping(RULES.slice(0, 1)), () => mapping(RULES)],
      ['the mapping has another version', () => mapping(RULES, '1.0'), () => mapping(RULES)],
      ['the protocol has another mapping', () => protocol(`${id}-2`), () => protocol(id)],
      ['another client at the provider', () => settings({ client_id: 'another' }), () => settings()],
      ['fewer domains of addresses', () => settings(), () => settings({ email_domains: ['example.org'], trusts_email: true })],
      ['fewer people', () => settings(), () => settings({ whole_service: true })],
      ['it may give less', () => settings(), () => settings({ may_give_admin: true })],
    ];
    for (const [name, change, back] of changes)
      it(`${name}; also when it is changed back`, async () => {
        if (name.includes('mapping')) await api.put(`${ROOT}/mappings/${id}-2`, { mapping: { rules: RULES } });
        assertOk(await back());
        const token = await enter(uniqueName('ivy'));
        assertOk(await validate(token));
        assertOk(await change());
        assertRefused(await validate(token), 404);
        assertOk(await back());
        assertRefused(await validate(token), 404);
        assertOk(await settings());
      });

    it('the domain of the provider is disabled, also where it is not that of the person', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const whole = uniqueName('whole');
      const rules = [{ local: [{ user: { name: '{0}', domain: { id: 'default' } } }], remote: [{ type: 'preferred_username' }] }];
      const more = { accepts_tokens: true, whole_service: true };
      await connectProvider(api, provider, { id: whole, domainId: domain.id, rules, settings: more });
      const people = new ProviderTokens(api, provider, whole);
      const token = await people.enter(uniqueName('joe'));
      assert.equal(assertOk(await validate(token)).token.user.domain.id, 'default');
      for (const enabled of [false, true]) {
        assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } }));
        assertRefused(await validate(token), 404);
      }
    });

    it('but not with what changes nothing about who gets in', async () => {
      const token = await enter(uniqueName('kay'));
      assertOk(await mapping(RULES));
      assertOk(await protocol(id));
      assertOk(await settings({ button_name: 'Another name', email_domains: ['example.org'] }));
      assertOk(await api.patch(path, { identity_provider: { description: 'another', enabled: true } }));
      assertOk(await validate(token));
      assertOk(await settings({ email_domains: ['example.org'] }));
    });

    it('the mapping gives the group no more', async () => {
      const sub = uniqueName('eve');
      const scoped = (await rescope(await enter(sub))).headers.get('x-subject-token')!;
      assertOk(await validate(scoped));
      const later = await enter(sub, { groups: [] });
      assertRefused(await validate(scoped), 404);
      assert.deepEqual(assertOk(await validate(later)).token.user['OS-FEDERATION'].groups, []);
      assertRefused(await rescope(later), 401);
    });
  });

  it('give groups for a time where the provider has one, and after it the roles are gone', async () => {
    assertOk(await api.patch(path, { identity_provider: { authorization_ttl: 10 } }));
    const token = await enter(uniqueName('fay'));
    assertOk(await api.patch(path, { identity_provider: { authorization_ttl: null } }));
    const { user } = assertOk(await validate(token)).token;
    const scoped = (await rescope(token)).headers.get('x-subject-token')!;
    const [member] = assertOk(await api.get(`/v3/users/${user.id}/groups`)).groups;
    const left = Date.parse(member.membership_expires_at) - api.clock.now();
    assert.ok(left > 590_000 && left <= 600_000, String(left));
    assertOk(await validate(scoped));
    api.clock.advance(600);
    assertRefused(await validate(scoped), 404);
    assertOk(await validate(token));
    assertRefused(await rescope(token), 401);
  });
});
