import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, onDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

const CONFIG = { identity: { driver: 'ldap' }, ldap: { url: 'ldap://directory.example.org', user_tree_dn: 'ou=People' } };

onBothDatabases('The configuration of a domain', (api) => {
  const makeDomain = async (config?: object): Promise<string> => {
    const { id } = await api.make('domain', { name: uniqueName('domain') });
    if (config) assertOk(await api.put(`/v3/domains/${id}/config`, { config }), 201);
    return `/v3/domains/${id}/config`;
  };
  const read = async (path: string) => assertOk(await api.get(path)).config;

  it('is stored whole, and replaced whole', async () => {
    const path = await makeDomain();
    assertRefused(await api.get(path), 404, /any options in domain configuration for domain/);
    assert.deepEqual(assertOk(await api.put(path, { config: CONFIG }), 201).config, CONFIG);
    assert.deepEqual(await read(path), CONFIG);
    assert.equal((await api.head(path)).status, 200);
    const other = { ldap: { url: 'ldap://other.example.org' } };
    assert.deepEqual(assertOk(await api.put(path, { config: other })).config, other);
    assert.deepEqual(await read(path), other);
  });

  it('is shown by group and by option', async () => {
    const path = await makeDomain(CONFIG);
    assert.deepEqual(await read(`${path}/ldap`), { ldap: CONFIG.ldap });
    assert.deepEqual(await read(`${path}/ldap/url`), { url: CONFIG.ldap.url });
    assertRefused(await api.get(`${path}/ldap/suffix`), 404, /option suffix in group ldap/);
    assertOk(await api.delete(`${path}/identity`), 204);
    assertRefused(await api.get(`${path}/identity`), 404, /group identity/);
    for (const wrong of ['nothing', 'nothing/url', 'ldap/nothing'])
      for (const method of ['GET', 'DELETE'])
        assertRefused(await api.request(method, `${path}/${wrong}`), 403, /Invalid domain specific configuration/);
  });

  it('is changed as a whole, by group and by option', async () => {
    const path = await makeDomain(CONFIG);
    const patch = async (part: string, config: object) => assertOk(await api.patch(`${path}${part}`, { config })).config;
    const ldap = { ...CONFIG.ldap, suffix: 'dc=example' };
    assert.deepEqual(await patch('', { ldap: { suffix: 'dc=example' } }), { ...CONFIG, ldap });
    assert.deepEqual(await patch('/ldap', { ldap: { suffix: 'dc=org' } }), { ...CONFIG, ldap: { ...ldap, suffix: 'dc=org' } });
    assert.equal((await patch('/ldap/suffix', { suffix: 'dc=net' })).ldap.suffix, 'dc=net');
    for (const [part, config] of [
      ['', {}],
      ['', { ldap: {} }],
      ['', { ldap: 'x' }],
      ['', { nothing: { url: 'x' } }],
      ['', { ldap: { nothing: 'x' } }],
      ['/ldap', CONFIG],
      ['/ldap', { identity: { driver: 'sql' } }],
      ['/ldap/url', { suffix: 'x' }],
      ['/ldap/url', { url: 'x', suffix: 'x' }],
      ['/nothing', { nothing: { url: 'x' } }],
    ] as const)
      assertRefused(await api.patch(`${path}${part}`, { config }), 403, /Invalid domain specific configuration/);
    assertRefused(await api.patch(`${path}/ldap/page_size`, { config: { page_size: 1 } }), 404, /option page_size in group ldap/);
    await assertBadBodies(api, 'PATCH', path, [
      ['config', {}],
      ['config', { config: [] }],
    ]);
  });

  it('is deleted as a whole, by group and by option', async () => {
    const path = await makeDomain(CONFIG);
    assertOk(await api.delete(`${path}/ldap/url`), 204);
    assertRefused(await api.delete(`${path}/ldap/url`), 404);
    assert.deepEqual(await read(`${path}/ldap`), { ldap: { user_tree_dn: 'ou=People' } });
    assertOk(await api.delete(path), 204);
    assertOk(await api.delete(path), 204);
    assertRefused(await api.get(path), 404);
  });

  it('is whole, however many replace it at the same time', async () => {
    const path = await makeDomain(CONFIG);
    const each = ['a', 'b', 'c', 'd'].map((host) => ({ ldap: { url: `ldap://${host}`, suffix: host, password: host } }));
    const answers = await Promise.all(each.map((config) => api.put(path, { config })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { ldap } = await read(path);
    assert.equal(ldap.url, `ldap://${ldap.suffix}`);
  });

  it('keeps values of any type', async () => {
    const config = { ldap: { page_size: 5, use_tls: true, user_attribute_ignore: ['a', 'b'], suffix: null } };
    assert.deepEqual(await read(await makeDomain(config)), config);
  });

  it('belongs to a domain, and goes with it', async () => {
    assertRefused(await api.get('/v3/domains/nothing/config'), 404, /domain: nothing/);
    const project = await api.make('project', { name: uniqueName('project') });
    assertRefused(await api.put(`/v3/domains/${project.id}/config`, { config: CONFIG }), 404, /Could not find domain/);
    const path = await makeDomain(CONFIG);
    assertOk(await api.patch(path.replace('/config', ''), { domain: { enabled: false } }));
    assertOk(await api.delete(path.replace('/config', '')), 204);
    assertRefused(await api.get(path), 404, /Could not find domain/);
  });

  it('is for administrators, and readers of the system see it', async () => {
    const path = await makeDomain();
    const domain = path.split('/')[3]!;
    const manager = (await api.persona(['manager'], { domain }, { domain_id: domain })).token;
    assertOk(await api.put(path, { config: CONFIG }), 201);
    const reader = (await api.persona(['reader'], 'system')).token;
    assertOk(await api.get(path, { token: reader }));
    assertOk(await api.get('/v3/domains/config/default', { token: reader }));
    assertRefused(await api.delete(path, { token: reader }), 403);
    const missing = '/v3/domains/nothing/config';
    await assertGuarded(
      api,
      [manager],
      [
        { method: 'PUT', path, missing, body: { config: CONFIG } },
        { method: 'GET', path, missing },
        { method: 'PATCH', path, missing, body: { config: CONFIG } },
        { method: 'GET', path: '/v3/domains/config/default' },
        { method: 'GET', path: '/v3/domains/config/ldap/default' },
        { method: 'DELETE', path: `${path}/ldap`, missing: `${missing}/ldap` },
      ],
    );
  });

  describe('by default', () => {
    it('is what this service does without it', async () => {
      const { identity, ldap } = await read('/v3/domains/config/default');
      assert.deepEqual(identity, { driver: 'sql', list_limit: null });
      assert.equal(ldap.user_objectclass, 'inetOrgPerson');
      assert.equal(ldap.debug_level, null);
      assert.ok(!('password' in ldap));
      assert.deepEqual(await read('/v3/domains/config/ldap/default'), { ldap });
      assert.equal(ldap.url, 'ldap://localhost');
      assert.deepEqual(await read('/v3/domains/config/ldap/query_scope/default'), { query_scope: ldap.query_scope });
      for (const wrong of ['nothing', 'ldap/nothing', 'ldap/password'])
        assertRefused(await api.get(`/v3/domains/config/${wrong}/default`), 403, /Invalid domain specific configuration/);
    });
  });
});

onDatabase(
  'SQLite',
  'What passwords must be like',
  {
    settings: {
      GATEHOUSE_IDENTITY_PASSWORD_REGEX: '^.{4,}$',
      GATEHOUSE_IDENTITY_PASSWORD_REGEX_DESCRIPTION: 'at least 4 characters',
    },
  },
  (api) => {
    it('is told to everybody with a token', async () => {
      const path = '/v3/domains/default/config/security_compliance';
      const { token } = await api.persona(['member'], { domain: 'default' });
      const config = { password_regex: '^.{4,}$', password_regex_description: 'at least 4 characters' };
      assert.deepEqual(assertOk(await api.get(path, { token })).config, { security_compliance: config });
      assert.deepEqual(assertOk(await api.get(`${path}/password_regex`, { token })).config, {
        password_regex: config.password_regex,
      });
      assertRefused(await api.get(`${path}/lockout_duration`, { token }), 403, /not allowed/);
      const other = await api.make('domain', { name: uniqueName('domain') });
      assertRefused(await api.get(path.replace('default', other.id), { token }), 403, /default domain/);
      assertRefused(await api.get(path, { token: null }), 401);
    });
  },
);
