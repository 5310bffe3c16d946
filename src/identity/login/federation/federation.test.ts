// /v3/OS-FEDERATION through HTTP.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';

const ROOT = '/v3/OS-FEDERATION';
const RULES = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }];
const SETTINGS = { issuer: 'https://login.example.org', client_id: 'gatehouse', client_secret: 'a secret of the provider' };

interface MadeProvider {
  readonly id: string;
  readonly domain_id: string;
}

onBothDatabases('Federation', (api) => {
  const providerAt = (id: string): string => `${ROOT}/identity_providers/${id}`;
  const makeProvider = async (values: Record<string, unknown> = {}): Promise<MadeProvider> => {
    const id = uniqueName('idp');
    return assertOk(await api.put(providerAt(id), { identity_provider: values }), 201).identity_provider;
  };
  const makeMapping = async (): Promise<{ readonly id: string }> =>
    assertOk(await api.put(`${ROOT}/mappings/${uniqueName('mapping')}`, { mapping: { rules: RULES } }), 201).mapping;

  describe('identity providers', () => {
    it('are created, shown, listed, changed and deleted as in Keystone', async () => {
      const remote = uniqueName('https://remote');
      const made = await makeProvider({ description: 'a provider', remote_ids: [remote], domain_id: 'default' });
      const { id } = made;
      assert.deepEqual(made, {
        id,
        enabled: false,
        description: 'a provider',
        domain_id: 'default',
        remote_ids: [remote],
        authorization_ttl: null,
        links: { self: `${api.url}${providerAt(id)}`, protocols: `${api.url}${providerAt(id)}/protocols` },
      });
      assert.deepEqual(assertOk(await api.get(providerAt(id))).identity_provider, made);
      assert.deepEqual(assertOk(await api.get(`${ROOT}/identity_providers?id=${id}`)).identity_providers, [made]);
      assert.deepEqual(assertOk(await api.get(`${ROOT}/identity_providers?id=${id}&enabled=true`)).identity_providers, []);
      const changed = await api.patch(providerAt(id), { identity_provider: { enabled: true, remote_ids: [] } });
      assert.deepEqual(assertOk(changed).identity_provider, { ...made, enabled: true, remote_ids: [] });
      assertOk(await api.delete(providerAt(id)), 204);
      assertRefused(await api.get(providerAt(id)), 404);
      assertRefused(await api.delete(providerAt(id)), 404);
    });

    it('get a domain of their own when none is named, and end with their domain', async () => {
      const { id, domain_id } = await makeProvider();
      const { domain } = assertOk(await api.get(`/v3/domains/${domain_id}`));
      assert.equal(domain.name, domain_id);
      assertOk(await api.patch(`/v3/domains/${domain_id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${domain_id}`), 204);
      assertRefused(await api.get(providerAt(id)), 404);
    });

    it('are refused twice, with a remote id of another, with an unknown domain or id', async () => {
      const remote = uniqueName('https://remote');
      const { id } = await makeProvider({ remote_ids: [remote], domain_id: 'default' });
      assertRefused(await api.put(providerAt(id), { identity_provider: { domain_id: 'default' } }), 409);
      const other = uniqueName('idp');
      const body = { domain_id: 'default', remote_ids: [remote] };
      assertRefused(await api.put(providerAt(other), { identity_provider: body }), 409);
      assertRefused(await api.get(providerAt(other)), 404);
      assertRefused(await api.put(providerAt(other), { identity_provider: { domain_id: 'nowhere' } }), 404);
      assertRefused(await api.put(providerAt(other), { identity_provider: { unknown: 1 } }), 400);
      assertRefused(await api.put(providerAt('a%20b'), { identity_provider: {} }), 400);
      assertRefused(await api.patch(providerAt(id), { identity_provider: { domain_id: 'default' } }), 400);
    });
  });

  describe('mappings', () => {
    it('are created, shown, listed, changed and deleted as in Keystone', async () => {
      const made = await makeMapping();
      const path = `${ROOT}/mappings/${made.id}`;
      assert.deepEqual(made, { id: made.id, rules: RULES, schema_version: '1.0', links: { self: api.url + path } });
      assert.deepEqual(assertOk(await api.get(path)).mapping, made);
      const { mappings } = assertOk(await api.get(`${ROOT}/mappings`));
      assert.ok(mappings.some(({ id }: { id: string }) => id === made.id));
      assertRefused(await api.put(path, { mapping: { rules: RULES } }), 409);
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'email' }] }];
      const { mapping } = assertOk(await api.patch(path, { mapping: { rules, schema_version: '2.0' } }));
      assert.deepEqual(mapping, { ...made, rules, schema_version: '2.0' });
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404);
    });

    it('are refused with the place of what is wrong', async () => {
      const put = (mapping: unknown) => api.put(`${ROOT}/mappings/${uniqueName('mapping')}`, { mapping });
      assertRefused(await put({ rules: [] }), 400, /rules: it needs at least one rule/);
      assertRefused(
        await put({ rules: [{ local: [{ user: { name: '{1}' } }], remote: [{ type: 'sub' }] }] }),
        400,
        /rules\.0\.local\.0/,
      );
      assertRefused(await put({ rules: RULES, schema_version: '9' }), 400, /schema_version/);
      assertRefused(await put({}), 400);
    });
  });

  describe('protocols', () => {
    it('are created, shown, listed, changed and deleted as in Keystone', async () => {
      const [{ id }, mapping, other] = [await makeProvider({ domain_id: 'default' }), await makeMapping(), await makeMapping()];
      const path = `${providerAt(id)}/protocols/openid`;
      const { protocol } = assertOk(await api.put(path, { protocol: { mapping_id: mapping.id } }), 201);
      assert.deepEqual(protocol, {
        id: 'openid',
        mapping_id: mapping.id,
        remote_id_attribute: null,
        links: { self: api.url + path, identity_provider: api.url + providerAt(id) },
      });
      assert.deepEqual(assertOk(await api.get(`${providerAt(id)}/protocols`)).protocols, [protocol]);
      assertRefused(await api.put(path, { protocol: { mapping_id: mapping.id } }), 409);
      assert.deepEqual(assertOk(await api.patch(path, { protocol: { mapping_id: other.id } })).protocol, {
        ...protocol,
        mapping_id: other.id,
      });
      assertRefused(await api.patch(path, { protocol: { mapping_id: 'nothing' } }), 400, /mapping/);
      assertRefused(await api.put(`${providerAt(id)}/protocols/x`, { protocol: { mapping_id: 'nothing' } }), 400, /mapping/);
      assertRefused(await api.put(`${providerAt('nobody')}/protocols/x`, { protocol: { mapping_id: other.id } }), 404);
      assertOk(await api.delete(`${ROOT}/mappings/${other.id}`), 204);
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404);
    });
  });

  describe('OpenID settings', () => {
    let id: string;
    let path: string;
    before(async () => {
      ({ id } = await makeProvider({ domain_id: 'default' }));
      path = `${providerAt(id)}/openid`;
    });
    const put = (values: object) => api.put(path, { openid: { ...SETTINGS, ...values } });

    it('are written, shown without the secret, and removed', async () => {
      assertRefused(await api.get(path), 404);
      const { openid } = assertOk(await put({ email_domains: ['Example.org'], trusts_email: true, button_name: 'Example' }));
      const { client_secret: _, ...rest } = SETTINGS;
      assert.deepEqual(openid, {
        ...rest,
        has_client_secret: true,
        scopes: ['openid', 'profile', 'email'],
        button_name: 'Example',
        button_order: null,
        email_domains: ['example.org'],
        trusts_email: true,
        whole_service: false,
        may_give_admin: false,
        accepts_tokens: false,
        accepts_initiated_login: false,
        profile: 'none',
        response_mode: 'query',
        client_authentication: 'client_secret_basic',
        signing_alg: 'ES256',
        request_form: 'parameters',
        token_binding: 'none',
        claims_uri: null,
        redirect_uri: `${api.url}/openid/providers/${id}/callback`,
        backchannel_logout_uri: `${api.url}/openid/providers/${id}/logout`,
        initiate_login_uri: `${api.url}/openid/providers/${id}/login`,
        jwks_uri: `${api.url}/openid/providers/${id}/jwks`,
        links: { self: api.url + path },
      });
      assert.deepEqual(assertOk(await api.get(path)).openid, openid);
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404);
    });

    it('keep the secret only for the issuer it was given with, and sealed', async () => {
      assertOk(await put({}));
      const db = await databaseOf(api);
      const [row] = await db.read.selectFrom('openid_providers').where('provider_id', '=', id).selectAll().execute();
      assert.ok(row?.client_secret && !row.client_secret.includes(SETTINGS.client_secret));
      await db.close();
      const { client_secret: _, ...without } = SETTINGS;
      assert.equal(assertOk(await api.put(path, { openid: without })).openid.has_client_secret, true);
      const elsewhere = { ...without, issuer: 'https://elsewhere.example.org' };
      assert.equal(assertOk(await api.put(path, { openid: elsewhere })).openid.has_client_secret, false);
      assert.ok(!api.logged.join('').includes(SETTINGS.client_secret));
    });

    it('are refused where they would trust too much or name no issuer', async () => {
      assertRefused(await put({ trusts_email: true }), 400, /email_domains/);
      for (const issuer of [
        'login.example.org',
        'ftp://example.org',
        'https://a@example.org',
        'https://example.org/?a',
        'https://example.org/#',
      ])
        assertRefused(await put({ issuer }), 400, /issuer/);
      assertRefused(await put({ email_domains: ['localhost'] }), 400);
      assertRefused(await put({ scopes: ['a b'] }), 400);
    });
  });

  it('is for administrators; readers of the system may look', async () => {
    const [{ id }, mapping] = [await makeProvider({ domain_id: 'default' }), await makeMapping()];
    const { token: reader } = await api.persona(['reader'], 'system');
    const { token: member } = await api.persona(['member'], { domain: 'default' });
    const paths = [
      'identity_providers',
      `identity_providers/${id}`,
      `identity_providers/${id}/protocols`,
      'mappings',
      `mappings/${mapping.id}`,
    ];
    for (const path of paths) {
      assertOk(await api.get(`${ROOT}/${path}`, { token: reader }));
      assertRefused(await api.get(`${ROOT}/${path}`, { token: member }), 403);
      assertRefused(await api.get(`${ROOT}/${path}`, { token: null }), 401);
    }
    for (const token of [reader, member]) {
      assertRefused(await api.put(providerAt('x'), { identity_provider: {} }, { token }), 403);
      assertRefused(await api.put(`${providerAt(id)}/openid`, { openid: SETTINGS }, { token }), 403);
      assertRefused(await api.delete(providerAt(id), { token }), 403);
      assertRefused(await api.put(`${ROOT}/mappings/x`, { mapping: { rules: RULES } }, { token }), 403);
    }
  });
});
