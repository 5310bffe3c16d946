import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';

const ON_ADMIN = { project: { name: 'admin', domain: { name: 'Default' } } };
const BASE_ROLES = ['admin', 'basic', 'community', 'manager', 'member', 'owner', 'reader', 'service', 'trial'];

for (const kind of KINDS) {
  describe(`A fresh service (${kind})`, () => {
    const api = new RestartableApi(kind);
    let password: string;
    before(async () => {
      password = (await api.begin())!;
      api.adminToken = await api.logIn({ name: 'admin', password }, ON_ADMIN);
    });
    after(() => api.remove());

    it('generates a password for its first administrator, returns it once, and never logs it', () => {
      assert.match(password, /^[\w-]{20,}$/);
      assert.ok(!api.logged.join('\n').includes(password));
    });

    it('has the default domain, and in it the organization and the user admin', async () => {
      const { domains } = assertOk(await api.get('/v3/domains'));
      assert.equal(domains.length, 1);
      assert.equal(domains[0].id, 'default');
      assert.equal(domains[0].name, 'Default');
      assert.equal(domains[0].enabled, true);
      const { projects } = assertOk(await api.get('/v3/projects'));
      assert.deepEqual(
        projects.map(({ name, domain_id, parent_id, is_domain, enabled }: any) => ({
          name,
          domain_id,
          parent_id,
          is_domain,
          enabled,
        })),
        [{ name: 'admin', domain_id: 'default', parent_id: 'default', is_domain: false, enabled: true }],
      );
      const { users } = assertOk(await api.get('/v3/users'));
      assert.deepEqual(
        users.map(({ name, domain_id, enabled, default_project_id }: any) => ({ name, domain_id, enabled, default_project_id })),
        [{ name: 'admin', domain_id: 'default', enabled: true, default_project_id: projects[0].id }],
      );
      assert.deepEqual(assertOk(await api.get('/v3/groups')).groups, []);
    });

    it('has the base roles, of which the policy protects those it depends on', async () => {
      const { roles } = assertOk(await api.get('/v3/roles'));
      assert.deepEqual(
        roles.map(({ name }: any) => name),
        BASE_ROLES,
      );
      const fixed = roles.filter(({ options }: any) => options.immutable).map(({ name }: any) => name);
      assert.deepEqual(fixed, ['admin', 'manager', 'member', 'reader']);
    });

    it('gives the administrator the role admin on the organization, the domain and the system', async () => {
      const { role_assignments: all } = assertOk(await api.get('/v3/role_assignments?include_names'));
      const places = all.map(({ role, user, scope }: any) => {
        assert.equal(role.name, 'admin');
        assert.equal(user.name, 'admin');
        return scope.system ? 'system' : scope.domain ? `domain ${scope.domain.id}` : `project ${scope.project.name}`;
      });
      assert.deepEqual(places.sort(), ['domain default', 'project admin', 'system']);
      for (const scope of [ON_ADMIN, { domain: { id: 'default' } }, { system: { all: true } }]) {
        const { token } = assertOk(await api.authenticate({ name: 'admin', password }, scope), 201);
        assert.deepEqual(
          token.roles.map(({ name }: any) => name),
          ['admin', 'member', 'reader'],
        );
      }
    });

    it('has an administrator who can be given roles of applications without naming an organization', async () => {
      const { users } = assertOk(await api.get('/v3/users'));
      assertOk(await api.put(`/v3/OS-ROLES/users/${users[0].id}/applications/idm_admin_app/roles/purchaser`));
      assertOk(await api.delete(`/v3/OS-ROLES/users/${users[0].id}/applications/idm_admin_app/roles/purchaser`), 204);
    });

    it('has the catalog that clients need', async () => {
      assert.deepEqual(
        assertOk(await api.get('/v3/regions')).regions.map(({ id }: any) => id),
        ['RegionOne'],
      );
      const { token } = assertOk(await api.authenticate({ name: 'admin', password }, ON_ADMIN), 201);
      const [identity, ...others] = token.catalog;
      assert.deepEqual(others, []);
      assert.equal(identity.type, 'identity');
      assert.deepEqual(identity.endpoints.map((endpoint: any) => endpoint.interface).sort(), ['admin', 'internal', 'public']);
      for (const endpoint of identity.endpoints) {
        assert.equal(endpoint.region, 'RegionOne');
        assert.equal(endpoint.region_id, 'RegionOne');
        assert.match(endpoint.url, /^http:\/\/127\.0\.0\.1:\d+\/v3$/);
      }
    });

    it('keeps its data when it is started again, and makes no other administrator', async () => {
      const { role } = assertOk(await api.post('/v3/roles', { role: { name: 'kept' } }), 201);
      const token = api.adminToken;
      await api.end();
      assert.equal(await api.begin({ GATEHOUSE_ADMIN_PASSWORD: 'for the first start only' }), undefined);
      assert.deepEqual(assertOk(await api.get(`/v3/roles/${role.id}`, { token })).role.name, 'kept');
      assert.equal(assertOk(await api.get('/v3/users', { token })).users.length, 1);
      assertRefused(await api.authenticate({ name: 'admin', password: 'for the first start only' }), 401);
      await api.logIn({ name: 'admin', password });
    });

    it('does not bring back what was deleted', async () => {
      const owner = await api.roleId('owner');
      assertOk(await api.delete(`/v3/roles/${owner}`), 204);
      const { services } = assertOk(await api.get('/v3/services'));
      assertOk(await api.delete(`/v3/services/${services[0].id}`), 204);
      await api.end();
      await api.begin();
      assert.deepEqual(
        assertOk(await api.get('/v3/roles')).roles.map(({ name }: any) => name),
        [...BASE_ROLES.filter((name) => name !== 'owner'), 'kept'].sort(),
      );
      assert.deepEqual(assertOk(await api.get('/v3/services')).services, []);
    });
  });

  describe(`The address of a service in its catalog (${kind})`, () => {
    const api = new RestartableApi(kind);
    after(() => api.remove());
    const start = async (address: string) => {
      await api.end();
      await api.begin({ GATEHOUSE_ADMIN_PASSWORD: 'a password', GATEHOUSE_IDENTITY_URL: address });
      api.adminToken = await api.logIn({ name: 'admin', password: 'a password' }, ON_ADMIN);
    };
    const urls = async () => {
      const { endpoints } = assertOk(await api.get('/v3/endpoints'));
      return Object.fromEntries(endpoints.map((endpoint: any) => [endpoint.interface, endpoint.url]));
    };
    const everywhere = (address: string) => ({ public: address, internal: address, admin: address });

    it('is the one of the settings, and follows it', async () => {
      await start('https://one.example.org');
      assert.deepEqual(await urls(), everywhere('https://one.example.org/v3'));
      await start('https://two.example.org/identity');
      assert.deepEqual(await urls(), everywhere('https://two.example.org/identity/v3'));
      await start('https://two.example.org/identity');
      assert.deepEqual(await urls(), everywhere('https://two.example.org/identity/v3'));
    });

    it('stays as somebody edited it', async () => {
      const { endpoints } = assertOk(await api.get('/v3/endpoints?interface=internal'));
      const url = 'http://10.0.0.1:5000/v3';
      assertOk(await api.patch(`/v3/endpoints/${endpoints[0].id}`, { endpoint: { url } }));
      await start('https://three.example.org');
      assert.deepEqual(await urls(), { ...everywhere('https://three.example.org/v3'), internal: url });
    });
  });
}

for (const kind of KINDS) {
  describe(`A start with the scope enforced (${kind})`, () => {
    const api = new RestartableApi(kind);
    const start = async (enforced: string): Promise<string[]> => {
      await api.end();
      const before = api.logged.length;
      await api.begin({ GATEHOUSE_ADMIN_PASSWORD: 'a password', GATEHOUSE_IDENTITY_ENFORCE_SCOPE: enforced });
      return api.logged.slice(before).filter((line) => line.includes('nobody administers the service'));
    };
    after(() => api.remove());

    it('warns when nobody has the role admin on the system', async () => {
      assert.deepEqual(await start('on'), []);
      assert.deepEqual(await start('off'), []);
      api.adminToken = await api.logIn({ name: 'admin', password: 'a password' }, ON_ADMIN);
      const { users } = assertOk(await api.get('/v3/users?name=admin'));
      const role = await api.roleId('admin');
      const group = await api.make('group', { name: 'administrators' });
      assertOk(await api.delete(`/v3/system/users/${users[0].id}/roles/${role}`), 204);
      assertOk(await api.put(`/v3/system/groups/${group.id}/roles/${role}`), 204);
      assert.deepEqual(await start('off'), []);
      assert.equal((await start('on')).length, 1);
      await start('off');
      assertOk(await api.put(`/v3/groups/${group.id}/users/${users[0].id}`), 204);
      assert.deepEqual(await start('on'), []);
    });
  });
}

describe('Two processes that start at once on an empty PostgreSQL', () => {
  const first = new RestartableApi('PostgreSQL');
  const second = new RestartableApi('PostgreSQL');
  after(() => second.remove());
  after(() => first.remove());

  it('make the data once, and serve it both', async () => {
    await first.prepare();
    const { folder, databaseUrl, masterKeys } = first;
    Object.assign(second, { folder, databaseUrl, masterKeys });
    const passwords = (await Promise.all([first.begin(), second.begin()])).filter((one) => one !== undefined);
    assert.equal(passwords.length, 1);
    for (const api of [first, second]) {
      api.adminToken = await api.logIn({ name: 'admin', password: passwords[0]! }, ON_ADMIN);
      assert.equal(assertOk(await api.get('/v3/users')).users.length, 1);
      assert.equal(assertOk(await api.get('/v3/endpoints')).endpoints.length, 3);
    }
    assertOk(await second.get('/v3/users', { token: first.adminToken }));
  });
});
