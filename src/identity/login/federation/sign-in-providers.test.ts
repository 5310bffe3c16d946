// Identity providers as a whole: added in one request, their metadata, what a mapping makes of claims, the people who are linked, and versions.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { providerFor, ROOT, RULES, Traveller } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';

onEachDatabase('A sign-in provider', (api) => {
  const id = uniqueName('acme');
  const one = `${ROOT}/identity_providers/${id}`;
  let provider: PlainProvider;
  before(async () => {
    provider = await providerFor(id);
  });
  after(() => provider.stop());

  const whole = (values: Record<string, unknown> = {}) => ({
    sign_in_provider: {
      id,
      domain_id: 'default',
      enabled: true,
      mapping: { rules: RULES, schema_version: '2.0' },
      openid: {
        issuer: provider.issuer,
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        button_name: 'Acme',
        button_order: 2,
      },
      ...values,
    },
  });
  const add = (values?: Record<string, unknown>) => api.post(`${ROOT}/sign_in_providers`, whole(values));

  it('is added with all its parts, or not at all', async () => {
    assertRefused(await add({ openid: { issuer: 'no address', client_id: 'x' } }), 400);
    assertRefused(await add({ mapping: { rules: [{ local: [] }] } }), 400);
    assertRefused(await add({ domain_id: 'nowhere' }), 404);
    assertRefused(await add({ id: 'a b' }), 400);
    for (const path of [one, `${ROOT}/mappings/${id}`]) assertRefused(await api.get(path), 404);
    const made = assertOk(await add(), 201).sign_in_provider;
    assert.deepEqual(made, {
      id,
      enabled: true,
      description: null,
      domain_id: 'default',
      protocols: ['openid'],
      name: 'Acme',
      issuer: provider.issuer,
      button_order: 2,
      email_domains: [],
      mapping_id: id,
      redirect_uri: `${api.url}/openid/providers/${id}/callback`,
      backchannel_logout_uri: `${api.url}/openid/providers/${id}/logout`,
      links: { self: api.url + one },
    });
    const list = assertOk(await api.get(`${ROOT}/sign_in_providers`)).sign_in_providers;
    assert.deepEqual(
      list.find((row: { id: string }) => row.id === id),
      made,
    );
    assertRefused(await add(), 409);
    assert.equal(assertOk(await api.get(`${one}/openid`)).openid.button_order, 2);
  });

  it('is added for credentials from wallets, and is not changed by whoever saw other settings of them', async () => {
    const wallet = uniqueName('wallet');
    const openid4vp = {
      name: 'Town',
      credentials: [{ format: 'dc+sd-jwt', types: ['https://town.example/resident'], subject: ['sub'] }],
      issuers: ['https://town.example'],
    };
    const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }];
    assertRefused(await add({ id: wallet, openid: undefined }), 400);
    assertRefused(await add({ id: wallet, openid: undefined, openid4vp: { ...openid4vp, issuers: [] } }), 400);
    const made = assertOk(await add({ id: wallet, mapping: { rules }, openid: undefined, openid4vp }), 201).sign_in_provider;
    assert.deepEqual([made.protocols, made.name, made.issuer, made.mapping_id], [['openid4vp'], 'Town', null, wallet]);
    const path = `${ROOT}/identity_providers/${wallet}/openid4vp`;
    const headers = { 'If-Match': (await api.get(path)).headers.get('etag')! };
    assertOk(await api.request('PUT', path, { body: { openid4vp: { ...openid4vp, name: 'City' } }, headers }));
    assertRefused(await api.request('PUT', path, { body: { openid4vp }, headers }), 412);
    const trial = { claims: { sub: 'x' } };
    const { result } = assertOk(await api.post(`${ROOT}/identity_providers/${wallet}/mapping_trials`, { trial }));
    assert.equal(result.user.name, 'x');
  });

  it('is not changed by whoever saw another version', async () => {
    const stale: Record<string, [body: unknown, method: 'PATCH' | 'PUT']> = {
      [one]: [{ identity_provider: { description: 'x' } }, 'PATCH'],
      [`${ROOT}/mappings/${id}`]: [{ mapping: { rules: [...RULES, ...RULES], schema_version: '2.0' } }, 'PATCH'],
      [`${one}/openid`]: [{ openid: { ...whole().sign_in_provider.openid, button_name: 'Acme Ltd' } }, 'PUT'],
    };
    for (const [path, [body, method]] of Object.entries(stale)) {
      const before = (await api.get(path)).headers.get('etag')!;
      const change = () => api.request(method, path, { body, headers: { 'If-Match': before } });
      const changed = await change();
      assert.equal(changed.status, 200, changed.text);
      assert.notEqual(changed.headers.get('etag'), before, path);
      assert.equal((await api.get(path)).headers.get('etag'), changed.headers.get('etag'));
      assertRefused(await change(), 412);
      assert.equal((await api.request(method, path, { body, headers: { 'If-Match': '*' } })).status, 200);
    }
    assertRefused(await api.request('DELETE', one, { headers: { 'If-Match': '"x"' } }), 412);
  });

  it('says what a mapping makes of claims, and writes nothing', async () => {
    const group = await api.make('group', { name: uniqueName('pilots'), domain_id: 'default' });
    const masters = await api.make('group', { name: uniqueName('masters'), domain_id: 'default' });
    const project = await api.make('project', { name: uniqueName('harbour'), domain_id: 'default' });
    const [admin, member] = [await api.roleId('admin'), await api.roleId('member')];
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${masters.id}/roles/${admin}`), 204);
    assert.ok(member);
    const local = [
      { user: { name: '{0}', email: '{1}' } },
      { group: { id: group.id } },
      { group: { id: 'nothing' } },
      { group: { id: masters.id } },
      { projects: [{ name: project.name, roles: [{ name: 'member' }, { name: 'admin' }, { name: 'no role' }] }] },
    ];
    const rules = [{ local, remote: [{ type: 'preferred_username' }, { type: 'email' }] }];
    const sub = uniqueName('anna');
    const claims = { sub, preferred_username: sub, email: `${sub}@example.org`, email_verified: true };
    const trial = async (more: object) =>
      assertOk(await api.post(`${one}/mapping_trials`, { trial: { claims, ...more } })).result;
    assert.deepEqual(await trial({ rules, schema_version: '2.0' }), {
      refusal: null,
      user: { kind: 'choice', id: null, name: sub, email: `${sub}@example.org`, domain_id: 'default' },
      groups: [
        { id: masters.id, name: masters.name, why: 'manages_others' },
        { id: null, name: 'nothing', why: 'not_found' },
        { id: group.id, name: group.name, why: null },
      ],
      roles: [
        { project: project.name, role: 'member', why: null },
        { project: project.name, role: 'admin', why: 'manages_others' },
        { project: project.name, role: 'no role', why: 'not_found' },
      ],
    });
    assert.deepEqual((await trial({ claims: { sub } })).refusal.code, 'no_rule_applies');
    assert.deepEqual(
      (await trial({ rules: [{ local: [{ user: { name: '' } }], remote: [{ type: 'sub' }] }] })).refusal?.code,
      'no_name',
    );
    assertRefused(await api.post(`${one}/mapping_trials`, { trial: { claims, rules: [{}] } }), 400);
    assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, []);
  });

  it('shows its people, whom an administrator unlinks, and ends their sessions', async () => {
    const application = await RelyingParty.make(api);
    const [anna, bert] = [uniqueName('anna'), uniqueName('bert')];
    for (const sub of [anna, bert]) await new Traveller(api, application, provider, id).signIn(sub, 'provider-new');
    const people = async () => assertOk(await api.get(`${one}/provider_links`)).provider_links;
    const of = async (sub: string) => (await people()).find(({ label }: { label: string }) => label === `${sub}@example.org`);
    const linked = await of(anna);
    assert.deepEqual(
      { ...linked, id: 0, user: { ...linked.user, id: 0 }, created_at: 0, last_used_at: 0 },
      {
        id: 0,
        user: { id: 0, name: anna, domain_id: 'default' },
        label: `${anna}@example.org`,
        protocol: 'openid',
        by_address: false,
        sessions: 1,
        created_at: 0,
        last_used_at: 0,
      },
    );
    const known = assertOk(
      await api.post(`${one}/mapping_trials`, { trial: { claims: { sub: anna, preferred_username: 'x', email: 'x' } } }),
    );
    assert.deepEqual(known.result.user.kind, 'linked');
    assert.equal(known.result.user.name, anna);
    const { counts } = assertOk(await api.get(`${one}/OS-IMPACT/deletion`)).impact;
    assert.deepEqual(counts, { provider_accounts: 2, sessions: 2 });
    assertOk(await api.delete(`${one}/provider_links/${linked.id}`), 204);
    assertRefused(await api.delete(`${one}/provider_links/${linked.id}`), 404);
    assert.equal(await of(anna), undefined);
    assertOk(await api.get(`/v3/users/${linked.user.id}`));
    assert.equal((await of(bert)).sessions, 1);
    assertOk(await api.delete(`${one}/sessions`), 204);
    assert.equal((await of(bert)).sessions, 0);
  });

  it('has its button where the order says', async () => {
    const [first, last] = [uniqueName('zulu'), uniqueName('alpha')];
    const openid = whole().sign_in_provider.openid;
    assertOk(await add({ id: first, openid: { ...openid, button_name: first, button_order: 1 } }), 201);
    assertOk(await add({ id: last, openid: { ...openid, button_name: last, button_order: null } }), 201);
    const application = await RelyingParty.make(api);
    const { browser } = new Traveller(api, application, provider, id);
    const page = await browser.go((await application.ask()).url);
    const places = [first, id, last].map((name) => page.text.indexOf(`value="${name}"`));
    assert.ok(
      places.every((place) => place > 0),
      page.text,
    );
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
  });
});
