import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { identityRoutes } from '../../../../test/support/routes.ts';
import { openidRoutes } from '../../openid/provider/index.ts';

const REL = 'https://docs.openstack.org/api/openstack-identity/3/rel/';
const INHERIT = 'https://docs.openstack.org/api/openstack-identity/3/ext/OS-INHERIT/1.0/rel/';
const PARAM = 'https://docs.openstack.org/api/openstack-identity/3/param/';

const versionAt = (base: string) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${base}/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

onUsualDatabase('Discovery', (api) => {
  it('lists the versions to anyone, as a choice of one', async () => {
    const answer = await api.get('/', { token: null });
    assert.equal(answer.status, 300);
    assert.deepEqual(answer.body, { versions: { values: [versionAt(api.url)] } });
    assert.equal(answer.headers.get('location'), `${api.url}/v3/`);
    assert.match(answer.headers.get('vary')!, /Accept/);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal((await api.head('/', { token: null })).status, 300);
  });

  it('shows browsers the way to the account and the console, and nobody else', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await fetch(api.url, { headers: { Accept: accept, 'Accept-Language': 'es' } });
    assert.equal(page.status, 200);
    assert.match(page.headers.get('vary')!, /Accept/);
    const text = await page.text();
    assert.match(text, /lang="es"/);
    assert.match(text, /href="\/account"/);
    assert.match(text, /href="\/console"/);
    // The default of Java's client.
    for (const other of ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', '*/*'])
      assert.equal((await fetch(api.url, { headers: { Accept: other } })).status, 300, other);
  });

  it('shows the version to anyone, with and without a slash at the end', async () => {
    for (const path of ['/v3', '/v3/']) {
      const answer = await api.get(path, { token: null });
      assert.deepEqual(assertOk(answer), { version: versionAt(api.url) });
      assert.match(answer.headers.get('vary')!, /Accept/);
      assert.match(answer.headers.get('content-type')!, /^application\/json/);
    }
    assert.equal((await api.head('/v3', { token: null })).status, 200);
  });

  it('ignores tokens, valid or not', async () => {
    for (const token of [api.adminToken, 'nothing']) {
      assert.equal((await api.get('/', { token })).status, 300);
      assert.equal((await api.get('/v3', { token })).status, 200);
    }
  });

  it('gives JSON Home to clients that ask for it, with addresses that are from where it was asked', async () => {
    const headers = { Accept: 'application/json-home' };
    for (const [path, prefix] of [
      ['/', '/v3'],
      ['/v3', ''],
    ] as const) {
      const answer = await api.get(path, { token: null, headers });
      const { resources } = assertOk(answer);
      assert.match(answer.headers.get('content-type')!, /^application\/json-home/);
      assert.match(answer.headers.get('vary')!, /Accept/);
      assert.deepEqual(resources[`${REL}users`], { href: `${prefix}/users` });
      assert.deepEqual(resources[`${REL}user`], {
        'href-template': `${prefix}/users/{user_id}`,
        'href-vars': { user_id: `${PARAM}user_id` },
      });
      assert.deepEqual(resources[`${INHERIT}domain_group_role_inherited_to_projects`], {
        'href-template': `${prefix}/OS-INHERIT/domains/{domain_id}/groups/{group_id}/roles/{role_id}/inherited_to_projects`,
        'href-vars': { domain_id: `${PARAM}domain_id`, group_id: `${PARAM}group_id`, role_id: `${PARAM}role_id` },
      });
    }
    const home = async (accept: string) =>
      'resources' in assertOk(await api.get('/v3', { token: null, headers: { Accept: accept } }));
    for (const accept of [
      'application/json;q=0.5, application/json-home',
      'application/json-home;q=0.1',
      'Application/JSON-Home',
    ])
      assert.ok(await home(accept), accept);
    for (const accept of [
      'application/json',
      'application/json-home;q=0.5, application/json',
      'application/json-home, application/json',
      'application/json-home, */*',
      'application/json-home;q=0',
      'application/json-home;q=x',
      'text/html',
      '*/*',
    ])
      assert.ok(!(await home(accept)), accept);
  });

  it('names parameters in JSON Home as Keystone does', async () => {
    const { resources } = assertOk(await api.get('/v3', { token: null, headers: { Accept: 'application/json-home' } }));
    const EXTENSION = REL.replace('rel/', 'ext/');
    const expected: Record<string, [path: string, params: Record<string, string>]> = {
      [`${REL}credential`]: ['/credentials/{credential_id}', { credential_id: `${PARAM}credential_id` }],
      [`${REL}project_tags`]: [
        '/projects/{project_id}/tags/{value}',
        { project_id: `${PARAM}project_id`, value: `${PARAM}tag_value` },
      ],
      [`${REL}implied_role`]: [
        '/roles/{prior_role_id}/implies/{implied_role_id}',
        { prior_role_id: `${PARAM}role_id`, implied_role_id: `${PARAM}role_id` },
      ],
      [`${EXTENSION}OS-FEDERATION/1.0/rel/mapping`]: [
        '/OS-FEDERATION/mappings/{mapping_id}',
        { mapping_id: `${EXTENSION}OS-FEDERATION/1.0/param/mapping_id` },
      ],
      [`${EXTENSION}OS-EP-FILTER/1.0/rel/project_endpoint`]: [
        '/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id}',
        { project_id: `${PARAM}project_id`, endpoint_id: `${PARAM}endpoint_id` },
      ],
    };
    for (const [rel, [template, params]] of Object.entries(expected))
      assert.deepEqual(resources[rel], { 'href-template': template, 'href-vars': params });
    assert.deepEqual(resources[`${REL}credentials`], { href: '/credentials' });
    assert.deepEqual(resources[`${EXTENSION}OS-FEDERATION/1.0/rel/projects`], { href: '/auth/projects' });
  });

  it('names in JSON Home nothing but routes that are there', async () => {
    const { resources } = assertOk(await api.get('/', { token: null, headers: { Accept: 'application/json-home' } }));
    const known = new Set([...identityRoutes(), ...openidRoutes].map(({ path }) => path.replace(/:\w+/g, '{}')));
    for (const entry of Object.values<any>(resources)) {
      const path = (entry.href ?? entry['href-template']).replace(/\{\w+\}/g, '{}');
      assert.ok(known.has(path), path);
    }
  });

  it('says with 404 that a path is none, and with 405 which methods one has', async () => {
    for (const path of ['/v2.0', '/v3/nothing', '/v3/users/x/y/z'])
      assertRefused(await api.get(path), 404, /^The resource could not be found\.$/);
    const answer = await api.request('PUT', '/v3/roles');
    assertRefused(answer, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
  });
});

onDatabase(
  'SQLite',
  'Discovery behind a public address',
  { settings: { GATEHOUSE_IDENTITY_URL: 'https://id.example.org' } },
  (api) => {
    it('tells the address the settings name', async () => {
      assert.deepEqual((await api.get('/', { token: null })).body, {
        versions: { values: [versionAt('https://id.example.org')] },
      });
      const { role } = assertOk(await api.post('/v3/roles', { role: { name: 'a role' } }), 201);
      assert.equal(role.links.self, `https://id.example.org/v3/roles/${role.id}`);
      const refused = await api.get('/v3/roles', { token: null });
      assert.equal(refused.headers.get('www-authenticate'), 'Keystone uri="https://id.example.org"');
    });
  },
);
