import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';

const PASSWORD = 'a password of a test';

onBothDatabases('Where a user has roles', (api) => {
  let role: string;
  let acme: any;
  const projects: Record<string, any> = {};
  let user: any;
  let group: any;
  let token: string;

  const put = async (path: string) => assertOk(await api.put(`/v3/${path}`), 204);
  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name.split('-')[0]!).sort();

  before(async () => {
    role = await api.roleId('member');
    acme = await api.make('domain', { name: uniqueName('acme') });
    const make = async (name: string, values: object) => {
      projects[name] = await api.make('project', { name: uniqueName(name), ...values });
    };
    await make('granted', {});
    await make('shared', {});
    await make('parent', {});
    await make('child', { parent_id: projects.parent.id });
    await make('grandchild', { parent_id: projects.child.id });
    await make('inherited', { domain_id: acme.id });
    await make('other', {});
    user = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
    group = await api.make('group', { name: uniqueName('group') });
    await put(`groups/${group.id}/users/${user.id}`);
    await put(`projects/${projects.granted.id}/users/${user.id}/roles/${role}`);
    await put(`projects/${projects.shared.id}/groups/${group.id}/roles/${role}`);
    await put(`OS-INHERIT/projects/${projects.parent.id}/groups/${group.id}/roles/${role}/inherited_to_projects`);
    await put(`OS-INHERIT/domains/${acme.id}/users/${user.id}/roles/${role}/inherited_to_projects`);
    token = await api.logIn({ id: user.id, password: PASSWORD }, 'unscoped');
  });

  const REACHED = ['child', 'grandchild', 'granted', 'inherited', 'shared'];

  describe('GET /v3/users/{id}/projects', () => {
    it('lists what is granted, through groups and from above too', async () => {
      const body = assertOk(await api.get(`/v3/users/${user.id}/projects`));
      assert.deepEqual(names(body.projects), REACHED);
      assert.equal(body.links.self, `${api.url}/v3/users/${user.id}/projects`);
      const granted = body.projects.find(({ id }: { id: string }) => id === projects.granted.id);
      assert.deepEqual(granted, projects.granted);
      assert.equal((await api.head(`/v3/users/${user.id}/projects`)).status, 200);
    });

    it('filters and pages as every list does', async () => {
      const get = async (query: string) => assertOk(await api.get(`/v3/users/${user.id}/projects?${query}`));
      assert.deepEqual(names((await get(`domain_id=${acme.id}`)).projects), ['inherited']);
      assert.deepEqual(names((await get(`name=${projects.child.name}`)).projects), ['child']);
      assert.deepEqual(names((await get('name__startswith=gran')).projects), ['grandchild', 'granted']);
      const first = await get('limit=3');
      const rest = assertOk(await api.get(first.links.next.slice(api.url.length)));
      assert.deepEqual(names([...first.projects, ...rest.projects]), REACHED);
      assertRefused(await api.get(`/v3/users/${user.id}/projects?limit=x`), 400, /limit/);
    });

    it('shows disabled projects as well', async () => {
      assertOk(await api.patch(`/v3/projects/${projects.granted.id}`, { project: { enabled: false } }));
      assert.deepEqual(names(assertOk(await api.get(`/v3/users/${user.id}/projects`)).projects), REACHED);
      const disabled = assertOk(await api.get(`/v3/users/${user.id}/projects?enabled=false`));
      assert.deepEqual(names(disabled.projects), ['granted']);
      assertOk(await api.patch(`/v3/projects/${projects.granted.id}`, { project: { enabled: true } }));
    });

    it('is open to the user, readers of the domain and of the system, and nobody else', async () => {
      const path = `/v3/users/${user.id}/projects`;
      for (const persona of [
        { token },
        await api.persona(['reader'], { domain: 'default' }),
        await api.persona(['reader'], 'system'),
      ]) {
        assert.deepEqual(names(assertOk(await api.get(path, { token: persona.token })).projects), REACHED);
      }
      const outsiders = [
        (await api.persona(['reader'], { domain: acme.id })).token,
        (await api.persona(['member'], { project: projects.granted.id })).token,
      ];
      await assertGuarded(api, outsiders, [{ method: 'GET', path, missing: '/v3/users/nobody/projects' }]);
    });
  });

  describe('GET /v3/auth/projects', () => {
    it('lists the projects of the caller, whatever the token is scoped to', async () => {
      const scoped = await api.logIn({ id: user.id, password: PASSWORD }, { project: { id: projects.shared.id } });
      for (const own of [token, scoped]) {
        const body = assertOk(await api.get('/v3/auth/projects', { token: own }));
        assert.deepEqual(names(body.projects), REACHED);
        assert.equal(body.links.self, `${api.url}/v3/auth/projects`);
      }
      for (const { id } of assertOk(await api.get('/v3/auth/projects', { token })).projects)
        await api.logIn({ id: user.id, password: PASSWORD }, { project: { id } });
    });

    it('leaves out what is disabled, or in a disabled domain', async () => {
      assertOk(await api.patch(`/v3/projects/${projects.granted.id}`, { project: { enabled: false } }));
      assertOk(await api.patch(`/v3/domains/${acme.id}`, { domain: { enabled: false } }));
      const open = ['child', 'grandchild', 'shared'];
      assert.deepEqual(names(assertOk(await api.get('/v3/auth/projects', { token })).projects), open);
      assert.deepEqual(assertOk(await api.get('/v3/auth/projects?enabled=false', { token })).projects, []);
      assertOk(await api.patch(`/v3/domains/${acme.id}`, { domain: { enabled: true } }));
      assertOk(await api.patch(`/v3/projects/${projects.granted.id}`, { project: { enabled: true } }));
      assert.deepEqual(names(assertOk(await api.get('/v3/auth/projects', { token })).projects), REACHED);
    });

    it('filters and pages', async () => {
      const { projects: found } = assertOk(await api.get('/v3/auth/projects?name__contains=child', { token }));
      assert.deepEqual(names(found), ['child', 'grandchild']);
      const page = assertOk(await api.get('/v3/auth/projects?limit=1', { token }));
      assert.equal(page.projects.length, 1);
      assert.notEqual(page.links.next, null);
    });

    it('follows a grant and its end', async () => {
      const path = `projects/${projects.other.id}/users/${user.id}/roles/${role}`;
      await put(path);
      assert.deepEqual(names(assertOk(await api.get('/v3/auth/projects', { token })).projects), [...REACHED, 'other'].sort());
      assertOk(await api.delete(`/v3/${path}`), 204);
      assert.deepEqual(names(assertOk(await api.get('/v3/auth/projects', { token })).projects), REACHED);
    });
  });

  describe('GET /v3/auth/domains', () => {
    it('lists the domains with a role on the domain itself, by a group too', async () => {
      const list = async () => assertOk(await api.get('/v3/auth/domains', { token })).domains;
      assert.deepEqual(await list(), []);
      await put(`domains/default/groups/${group.id}/roles/${role}`);
      await put(`domains/${acme.id}/users/${user.id}/roles/${role}`);
      assert.deepEqual((await list()).map(({ id }: { id: string }) => id).sort(), [acme.id, 'default'].sort());
      assert.deepEqual(
        (await list()).find(({ id }: { id: string }) => id === acme.id),
        acme,
      );
      assertOk(await api.patch(`/v3/domains/${acme.id}`, { domain: { enabled: false } }));
      assert.deepEqual(
        (await list()).map(({ id }: { id: string }) => id),
        ['default'],
      );
      assertOk(await api.patch(`/v3/domains/${acme.id}`, { domain: { enabled: true } }));
    });
  });

  describe('GET /v3/auth/system', () => {
    it('says whether the caller has a role on the system, by a group too', async () => {
      const answer = async () => assertOk(await api.get('/v3/auth/system', { token }));
      const links = { self: `${api.url}/v3/auth/system` };
      assert.deepEqual(await answer(), { system: [], links });
      await put(`system/groups/${group.id}/roles/${role}`);
      assert.deepEqual(await answer(), { system: [{ all: true }], links });
      assertOk(await api.delete(`/v3/system/groups/${group.id}/roles/${role}`), 204);
      await put(`system/users/${user.id}/roles/${role}`);
      assert.deepEqual(await answer(), { system: [{ all: true }], links });
      assertOk(await api.delete(`/v3/system/users/${user.id}/roles/${role}`), 204);
      assert.deepEqual(await answer(), { system: [], links });
    });
  });

  it('asks for a token everywhere', async () => {
    for (const path of ['/v3/auth/projects', '/v3/auth/domains', '/v3/auth/system'])
      assertRefused(await api.get(path, { token: null }), 401);
  });
});
