import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertNeedsToken, assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';

const V2 = '/v3/OS-SCIM/v2';
const CONFIG = `${V2}/ServiceProviderConfigs`;

async function information(api: TestApi): Promise<any> {
  return assertOk(await api.get(CONFIG)).information;
}

/** The difference of the totals before and after `work`. */
async function growth(api: TestApi, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await information(api);
  await work();
  const after = await information(api);
  const changes = Object.keys(after).map((name): [string, number] => [name, after[name] - before[name]]);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

onUsualDatabase('SCIM as Keyrock serves it: service provider configuration', (api) => {
  it('says what the contract shows, on each path with its version', async () => {
    for (const [prefix, version] of [
      [V2, '2.0'],
      ['/v3/OS-SCIM/v1', '1.0'],
      ['/v3/OS-SCIM', '1.0'],
    ] as const) {
      for (const slash of ['', '/']) {
        const answer = await api.get(`${prefix}/ServiceProviderConfigs${slash}`);
        assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
        const { information: counters, documentationUrl, authenticationSchemes, ...rest } = assertOk(answer);
        assert.deepEqual(rest, {
          schemas: [`urn:scim:schemas:core:${version}:ServiceProviderConfig`],
          sort: { supported: false },
          bulk: { supported: false, maxPayloadSize: 0, maxOperations: 0 },
          changePassword: { supported: true },
          xmlDataFormat: { supported: false },
          patch: { supported: true },
          etag: { supported: false },
          // As parsed by JSON.parse; the text is checked below.
          filter: { supported: true, maxResults: Number('9223372036854775807') },
        });
        assert.deepEqual(Object.keys(counters).sort(), [
          'basicUsers',
          'communityUsers',
          'totalCloudOrganizations',
          'totalResources',
          'totalUserOrganizations',
          'totalUsers',
          'trialUsers',
        ]);
        assert.ok(Object.values(counters).every(Number.isInteger));
        assert.equal(new URL(documentationUrl).protocol, 'https:');
        const [scheme] = authenticationSchemes.filter((one: any) => one.primary);
        assert.equal(authenticationSchemes.filter((one: any) => one.primary).length, 1);
        assert.equal(scheme.type, 'backendtoken');
        for (const key of ['name', 'description', 'specUrl', 'documentationUrl']) assert.ok(scheme[key].length > 0, key);
      }
    }
  });

  it('sends 9223372036854775807 as that literal', async () => {
    const { text } = await api.get(CONFIG);
    assert.match(text, /"maxResults":\s*9223372036854775807\b/);
    assert.equal(text.match(/9223372036854775807/g)!.length, 1);
  });

  it('is for any valid token, of whatever role and scope, and for nobody without one', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const member = await api.persona(['member'], { project: project.id });
    const reader = await api.persona(['reader'], { domain: 'default' });
    const unscoped = await api.logIn({ id: member.user.id, password: member.password }, 'unscoped');
    for (const token of [member.token, reader.token, unscoped]) {
      for (const prefix of [V2, '/v3/OS-SCIM/v1', '/v3/OS-SCIM'])
        assertOk(await api.get(`${prefix}/ServiceProviderConfigs`, { token }));
    }
    await assertNeedsToken(api, 'GET', CONFIG);
  });

  it('is read-only', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assertRefused(await api.request(method, CONFIG, { body: {} }), 405);
  });

  describe('information', () => {
    it('counts every user once, and not the default organization that comes with one', async () => {
      const byScim = () => api.post(`${V2}/Users`, { userName: uniqueName('counted') });
      assert.deepEqual(await growth(api, async () => assertOk(await byScim())), { totalUsers: 1, totalResources: 1 });
      const byBase = () => api.make('user', { name: uniqueName('counted'), enabled: false });
      assert.deepEqual(await growth(api, byBase), { totalUsers: 1, totalResources: 1 });
      const { id } = await byBase();
      const gone = async () => assertOk(await api.delete(`${V2}/Users/${id}`), 204);
      assert.deepEqual(await growth(api, gone), { totalUsers: -1, totalResources: -1 });
    });

    it('counts users of other domains too, but not the domains', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      assert.deepEqual(await growth(api, () => api.make('domain', { name: uniqueName('domain') })), {});
      const elsewhere = () => api.make('user', { name: uniqueName('counted'), domain_id: domain.id });
      assert.deepEqual(await growth(api, elsewhere), { totalUsers: 1, totalResources: 1 });
    });

    it('counts organizations that are neither default nor of the cloud', async () => {
      const found = (values: Record<string, unknown>) => async () =>
        assertOk(await api.post(`${V2}/Organizations`, { name: uniqueName('counted'), ...values }));
      assert.deepEqual(await growth(api, found({})), { totalUserOrganizations: 1, totalResources: 1 });
      assert.deepEqual(await growth(api, found({ is_default: true })), {});
      const { id } = await found({})();
      const marked = async () => assertOk(await api.put(`${V2}/Organizations/${id}`, { is_default: true }));
      assert.deepEqual(await growth(api, marked), { totalUserOrganizations: -1, totalResources: -1 });
    });

    it('counts organizations that the base API marks as a cloud project', async () => {
      const cloud = (values: Record<string, unknown>) => () =>
        api.make('project', { name: uniqueName('cloud'), is_cloud_project: true, ...values });
      assert.deepEqual(await growth(api, cloud({})), { totalCloudOrganizations: 1, totalResources: 1 });
      assert.deepEqual(await growth(api, cloud({ is_default: true })), { totalCloudOrganizations: 1, totalResources: 1 });
      const plain = () => api.make('project', { name: uniqueName('plain'), is_cloud_project: false });
      assert.deepEqual(await growth(api, plain), { totalUserOrganizations: 1, totalResources: 1 });
    });

    it('counts who holds basic, trial or community on the default domain, directly or through a group, once', async () => {
      for (const role of ['basic', 'trial', 'community']) {
        const roleId = await api.roleId(role);
        const [one, two] = [await api.make('user', { name: uniqueName('u') }), await api.make('user', { name: uniqueName('u') })];
        const group = await api.make('group', { name: uniqueName('g') });
        const grant = (where: string) => async () => assertOk(await api.put(`/v3/${where}/roles/${roleId}`), 204);
        const counter = `${role}Users`;
        assert.deepEqual(await growth(api, grant(`domains/default/users/${one.id}`)), { [counter]: 1 });
        assert.deepEqual(await growth(api, grant(`domains/default/groups/${group.id}`)), {});
        const joins = (id: string) => async () => assertOk(await api.put(`/v3/groups/${group.id}/users/${id}`), 204);
        assert.deepEqual(await growth(api, joins(two.id)), { [counter]: 1 });
        assert.deepEqual(await growth(api, joins(one.id)), {});
        const leaves = async () => assertOk(await api.delete(`/v3/groups/${group.id}/users/${two.id}`), 204);
        assert.deepEqual(await growth(api, leaves), { [counter]: -1 });
      }
    });

    it('does not count who holds such a role elsewhere', async () => {
      const roleId = await api.roleId('basic');
      const { id } = await api.make('user', { name: uniqueName('u') });
      const project = await api.make('project', { name: uniqueName('p') });
      const domain = await api.make('domain', { name: uniqueName('d') });
      for (const where of [`projects/${project.id}`, `domains/${domain.id}`]) {
        const granted = async () => assertOk(await api.put(`/v3/${where}/users/${id}/roles/${roleId}`), 204);
        assert.deepEqual(await growth(api, granted), {});
      }
    });

    it('sums users and both kinds of organization', async () => {
      const { totalUsers, totalCloudOrganizations, totalUserOrganizations, totalResources } = await information(api);
      assert.equal(totalResources, totalUsers + totalCloudOrganizations + totalUserOrganizations);
      assert.ok(totalUsers > 0 && totalCloudOrganizations > 0 && totalUserOrganizations > 0);
      assert.equal(assertOk(await api.get(`${V2}/Users?count=0`)).totalResults, totalUsers);
    });
  });
});

onUsualDatabase(
  'SCIM as Keyrock serves it, by other names',
  (api) => {
    const NAME = 'urn:scim:schemas:extension:keystone';

    it('emits the extension that the setting names, in every version', async () => {
      const made = assertOk(await api.post(`${V2}/Users`, { userName: uniqueName('named') }));
      for (const [prefix, version] of [
        [V2, '2.0'],
        ['/v3/OS-SCIM/v1', '1.0'],
        ['/v3/OS-SCIM', '1.0'],
      ] as const) {
        const schemas = [`urn:scim:schemas:core:${version}`, `${NAME}:${version}`];
        const user = assertOk(await api.get(`${prefix}/Users/${made.id}`));
        assert.deepEqual(user.schemas, schemas);
        assert.equal(user[`${NAME}:${version}`].domain_id, 'default');
        const list = await api.get(`${prefix}/Users`);
        assert.deepEqual(assertOk(list).schemas, schemas);
        assert.ok(!list.text.includes('idbackend'));
      }
      const organization = assertOk(await api.post(`${V2}/Organizations`, { name: uniqueName('named') }));
      assert.deepEqual(organization[`${NAME}:2.0`], { domain_id: 'default' });
    });

    it('still takes the name of the contract in requests', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      for (const kind of ['idbackend', 'keystone']) {
        const body = { userName: uniqueName('named'), [`urn:scim:schemas:extension:${kind}:2.0`]: { domain_id: domain.id } };
        assert.equal(assertOk(await api.post(`${V2}/Users`, body))[`${NAME}:2.0`].domain_id, domain.id);
      }
    });

    it('reports the type of token that the setting names', async () => {
      const { authenticationSchemes } = assertOk(await api.get(CONFIG));
      assert.deepEqual(
        authenticationSchemes.map((one: any) => [one.type, one.primary]),
        [['keystonetoken', true]],
      );
    });
  },
  {
    settings: {
      GATEHOUSE_IDENTITY_SCIM_EXTENSION: 'urn:scim:schemas:extension:keystone',
      GATEHOUSE_IDENTITY_SCIM_TOKEN_TYPE: 'keystonetoken',
    },
  },
);
