import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  assertEachStatus,
  assertForbidden,
  assertNeedsToken,
  assertOk,
  assertRefused,
  isAlive,
} from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const MISSING = '0'.repeat(32);
const ids = (items: { id: string }[]): string[] => items.map(({ id }) => id);

const makeGroup = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('group', { name: uniqueName('group'), ...values });
const makeUser = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('user', { name: uniqueName('user'), ...values });
const makeDomain = (api: TestApi) => api.make('domain', { name: uniqueName('domain') });

onEachDatabase('Groups', (api) => {
  /** Good tokens of people who may not write groups of the default domain. */
  let nobodies: string[];

  before(async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const domain = await makeDomain(api);
    nobodies = [
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['manager'], { project: project.id })).token,
      (await api.persona(['member'], { domain: 'default' })).token,
      (await api.persona(['manager'], { domain: domain.id })).token,
      (await api.persona(['reader'], 'system')).token,
    ];
  });

  describe('creating', () => {
    it('creates a group with what Keystone would fill in, and shows it', async () => {
      const name = uniqueName('group');
      const { group } = assertOk(await api.post('/v3/groups', { group: { name, colour: ['green'] } }), 201);
      assert.match(group.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(group, {
        id: group.id,
        name,
        domain_id: 'default',
        description: '',
        colour: ['green'],
        links: { self: `${api.url}/v3/groups/${group.id}` },
      });
      assert.deepEqual(assertOk(await api.get(`/v3/groups/${group.id}`)).group, group);
      assert.equal((await api.head(`/v3/groups/${group.id}`)).status, 200);
    });

    it('takes a domain and a description, and the name without the spaces around it', async () => {
      const domain = await makeDomain(api);
      const name = uniqueName('group');
      const group = await makeGroup(api, { name: ` ${name} `, domain_id: domain.id, description: 'of the domain' });
      assert.equal(group.name, name);
      assert.equal(group.domain_id, domain.id);
      assert.equal(group.description, 'of the domain');
      assert.equal((await makeGroup(api, { description: null })).description, '');
    });

    it('ignores an id and links that a client sends', async () => {
      const group = await makeGroup(api, { id: MISSING, links: { self: 'http://example.org' } });
      assert.notEqual(group.id, MISSING);
      assert.equal(group.links.self, `${api.url}/v3/groups/${group.id}`);
    });

    it('refuses a name that is taken in the domain, and allows it in another', async () => {
      const { name } = await makeGroup(api);
      assertRefused(await api.post('/v3/groups', { group: { name } }), 409, /Duplicate Entry/);
      assertRefused(await api.post('/v3/groups', { group: { name: ` ${name}` } }), 409, /Duplicate Entry/);
      await makeGroup(api, { name, domain_id: (await makeDomain(api)).id });
    });

    it('refuses bad values, naming the field, and stores nothing', async () => {
      const count = async () => (await api.get('/v3/groups')).body.groups.length;
      const before = await count();
      const name = 'refused';
      const bad: [body: unknown, field: RegExp][] = [
        [{}, /'group'/],
        [{ group: 'x' }, /'group'/],
        [{ group: {} }, /'group\.name'/],
        [{ group: { name: '' } }, /'group\.name'/],
        [{ group: { name: '  ' } }, /'group\.name'/],
        [{ group: { name: null } }, /'group\.name'/],
        [{ group: { name: 'n'.repeat(256) } }, /'group\.name'/],
        [{ group: { name, domain_id: 7 } }, /'group\.domain_id'/],
        [{ group: { name, domain_id: '' } }, /'group\.domain_id'/],
        [{ group: { name, domain_id: 'd'.repeat(65) } }, /'group\.domain_id'/],
        [{ group: { name, description: {} } }, /'group\.description'/],
        ['no JSON', /not valid JSON/],
      ];
      for (const [body, field] of bad) assertRefused(await api.post('/v3/groups', body), 400, field);
      assertRefused(await api.post('/v3/groups', { group: { name, domain_id: MISSING } }), 404, /Could not find domain/);
      assert.equal(await count(), before);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const body = { group: { name: 'refused', domain_id: 'default' } };
      await assertNeedsToken(api, 'POST', '/v3/groups', body);
      await assertForbidden(api, nobodies, 'POST', '/v3/groups', { body });

      const domain = await makeDomain(api);
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const made = await api.post('/v3/groups', { group: { name: uniqueName('group') } }, { token });
      assert.equal(assertOk(made, 201).group.domain_id, domain.id);
    });
  });

  describe('showing and listing', () => {
    it('shows groups to administrators and to readers of the system and the domain', async () => {
      const domain = await makeDomain(api);
      const group = await makeGroup(api, { domain_id: domain.id });
      const systemReader = (await api.persona(['reader'], 'system')).token;
      const domainReader = (await api.persona(['reader'], { domain: domain.id })).token;
      for (const token of [api.adminToken, systemReader, domainReader]) {
        assert.deepEqual(assertOk(await api.get(`/v3/groups/${group.id}`, { token })).group, group);
        assert.ok(ids(assertOk(await api.get('/v3/groups', { token })).groups).includes(group.id));
      }
      const otherReader = (await api.persona(['reader'], { domain: 'default' })).token;
      await assertForbidden(api, [otherReader, ...nobodies.slice(0, 4)], 'GET', `/v3/groups/${group.id}`);
      await assertForbidden(api, nobodies.slice(0, 2), 'GET', '/v3/groups');
      await assertNeedsToken(api, 'GET', '/v3/groups');
      await assertNeedsToken(api, 'GET', `/v3/groups/${group.id}`);
    });

    it('lists only the own domain to a domain-scoped token', async () => {
      const domain = await makeDomain(api);
      const group = await makeGroup(api, { domain_id: domain.id });
      await makeGroup(api);
      for (const role of ['reader', 'admin']) {
        const { token } = await api.persona([role], { domain: domain.id });
        assert.deepEqual(assertOk(await api.get('/v3/groups', { token })).groups, [group]);
      }
    });

    it('filters by name and domain', async () => {
      const domain = await makeDomain(api);
      const [a, b] = [await makeGroup(api, { domain_id: domain.id }), await makeGroup(api, { domain_id: domain.id })];
      const found = async (query: string) => ids(assertOk(await api.get(`/v3/groups?${query}`)).groups);
      assert.deepEqual((await found(`domain_id=${domain.id}`)).sort(), [a.id, b.id].sort());
      assert.deepEqual(await found(`name=${b.name}`), [b.id]);
      assert.deepEqual(await found(`domain_id=default&name=${b.name}`), []);
    });

    it('tells only those who may see every group that one is missing', async () => {
      const systemReader = (await api.persona(['reader'], 'system')).token;
      for (const token of [api.adminToken, systemReader])
        assertRefused(await api.get(`/v3/groups/${MISSING}`, { token }), 404, new RegExp(`Could not find group: ${MISSING}`));
      const domainReader = (await api.persona(['reader'], { domain: 'default' })).token;
      await assertForbidden(api, [domainReader, nobodies[0]!], 'GET', `/v3/groups/${MISSING}`);
    });
  });

  describe('changing', () => {
    it('changes what is named and keeps the rest', async () => {
      const group = await makeGroup(api, { description: 'old', colour: 'green', size: 1 });
      const name = uniqueName('renamed');
      const answer = await api.patch(`/v3/groups/${group.id}`, { group: { name, colour: 'red' } });
      assert.deepEqual(assertOk(answer).group, { ...group, name, colour: 'red' });
      assert.deepEqual((await api.get(`/v3/groups/${group.id}`)).body.group, { ...group, name, colour: 'red' });
      const emptied = await api.patch(`/v3/groups/${group.id}`, { group: { description: null } });
      assert.equal(assertOk(emptied).group.description, '');
    });

    it('refuses another id or domain, a taken name and bad values', async () => {
      const [group, other] = [await makeGroup(api), await makeGroup(api)];
      const domain = await makeDomain(api);
      const path = `/v3/groups/${group.id}`;
      assertOk(await api.patch(path, { group: { id: group.id, domain_id: 'default' } }));
      assertRefused(await api.patch(path, { group: { id: other.id } }), 400, /Cannot change group ID/);
      assertRefused(await api.patch(path, { group: { domain_id: domain.id } }), 400, /Cannot change domain ID/);
      assertRefused(await api.patch(path, { group: { name: other.name } }), 409, /Duplicate Entry/);
      assertRefused(await api.patch(path, { group: { name: '' } }), 400, /'group\.name'/);
      assertRefused(await api.patch(path, { group: { description: 1 } }), 400, /'group\.description'/);
      assertRefused(await api.patch(path, {}), 400, /'group'/);
      assert.deepEqual((await api.get(path)).body.group, group);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await makeDomain(api);
      const local = await makeGroup(api, { domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      assertOk(await api.patch(`/v3/groups/${local.id}`, { group: { description: 'x' } }, { token }));
      const group = await makeGroup(api);
      const path = `/v3/groups/${group.id}`;
      const body = { group: { description: 'changed' } };
      await assertNeedsToken(api, 'PATCH', path, body);
      await assertForbidden(api, [...nobodies, token], 'PATCH', path, { body });
      await assertForbidden(api, nobodies, 'PATCH', `/v3/groups/${MISSING}`, { body });
      assertRefused(await api.patch(`/v3/groups/${MISSING}`, body), 404, /Could not find group/);
    });
  });

  describe('deleting', () => {
    it('deletes a group and frees its name; its members stay', async () => {
      const [group, user] = [await makeGroup(api), await makeUser(api)];
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
      assertOk(await api.delete(`/v3/groups/${group.id}`), 204);
      assertRefused(await api.get(`/v3/groups/${group.id}`), 404, /Could not find group/);
      assertRefused(await api.delete(`/v3/groups/${group.id}`), 404, /Could not find group/);
      assertOk(await api.get(`/v3/users/${user.id}`));
      assert.deepEqual((await api.get(`/v3/users/${user.id}/groups`)).body.groups, []);
      await makeGroup(api, { name: group.name });
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await makeDomain(api);
      const local = await makeGroup(api, { domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      assertOk(await api.delete(`/v3/groups/${local.id}`, { token }), 204);
      const group = await makeGroup(api);
      await assertNeedsToken(api, 'DELETE', `/v3/groups/${group.id}`);
      await assertForbidden(api, [...nobodies, token], 'DELETE', `/v3/groups/${group.id}`);
      await assertForbidden(api, nobodies, 'DELETE', `/v3/groups/${MISSING}`);
      assertOk(await api.get(`/v3/groups/${group.id}`));
    });
  });

  describe('members', () => {
    it('adds, checks, lists and removes a member', async () => {
      const [group, user] = [await makeGroup(api), await makeUser(api)];
      const path = `/v3/groups/${group.id}/users/${user.id}`;
      assertRefused(await api.get(path), 404, /not found in group/);
      assertOk(await api.put(path), 204);
      assertOk(await api.put(path), 204);
      assertOk(await api.get(path), 204);
      assert.equal((await api.head(path)).status, 204);
      assert.deepEqual(assertOk(await api.get(`/v3/groups/${group.id}/users`)), {
        users: [user],
        links: { self: `${api.url}/v3/groups/${group.id}/users`, previous: null, next: null },
      });
      assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}/groups`)), {
        groups: [{ ...group, membership_expires_at: null }],
        links: { self: `${api.url}/v3/users/${user.id}/groups`, previous: null, next: null },
      });
      assertOk(await api.delete(path), 204);
      assertRefused(await api.delete(path), 404, /not found in group/);
      assert.equal((await api.head(path)).status, 404);
      assert.deepEqual(assertOk(await api.get(`/v3/groups/${group.id}/users`)).users, []);
    });

    it('does not find a group or a user that is not there', async () => {
      const [group, user] = [await makeGroup(api), await makeUser(api)];
      for (const method of ['PUT', 'GET', 'DELETE']) {
        assertRefused(await api.request(method, `/v3/groups/${MISSING}/users/${user.id}`), 404, /Could not find group/);
        assertRefused(await api.request(method, `/v3/groups/${group.id}/users/${MISSING}`), 404, /Could not find user/);
      }
      assertRefused(await api.get(`/v3/groups/${MISSING}/users`), 404, /Could not find group/);
      assertRefused(await api.get(`/v3/users/${MISSING}/groups`), 404, /Could not find user/);
    });

    it('may only be changed by administrators, and by managers where group and user are of their domain', async () => {
      const domain = await makeDomain(api);
      const [group, user] = [await makeGroup(api, { domain_id: domain.id }), await makeUser(api, { domain_id: domain.id })];
      const outsider = await makeUser(api);
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const path = `/v3/groups/${group.id}/users/${user.id}`;
      for (const method of ['PUT', 'DELETE']) {
        assertOk(await api.request(method, path, { token }), 204);
        await assertNeedsToken(api, method, path);
        await assertForbidden(api, nobodies, method, path);
        await assertForbidden(api, [token], method, `/v3/groups/${group.id}/users/${outsider.id}`);
        await assertForbidden(api, [token], method, `/v3/groups/${group.id}/users/${MISSING}`);
        await assertForbidden(api, [token], method, `/v3/groups/${MISSING}/users/${user.id}`);
      }
    });

    it('may be checked by administrators, and by readers who may see both', async () => {
      const domain = await makeDomain(api);
      const [group, user] = [await makeGroup(api, { domain_id: domain.id }), await makeUser(api, { domain_id: domain.id })];
      const outsider = await makeUser(api);
      for (const member of [user, outsider]) assertOk(await api.put(`/v3/groups/${group.id}/users/${member.id}`), 204);
      const systemReader = (await api.persona(['reader'], 'system')).token;
      const domainReader = (await api.persona(['reader'], { domain: domain.id })).token;
      const path = `/v3/groups/${group.id}/users/${user.id}`;
      for (const token of [systemReader, domainReader]) assertOk(await api.get(path, { token }), 204);
      await assertForbidden(api, [domainReader], 'GET', `/v3/groups/${group.id}/users/${outsider.id}`);
      await assertForbidden(api, [domainReader], 'GET', `/v3/groups/${group.id}/users/${MISSING}`);
      await assertForbidden(api, nobodies.slice(0, 4), 'GET', path);
      await assertNeedsToken(api, 'GET', path);
    });

    it('are listed to readers of a domain without the users and groups of other domains', async () => {
      const domain = await makeDomain(api);
      const [group, user] = [await makeGroup(api, { domain_id: domain.id }), await makeUser(api, { domain_id: domain.id })];
      const [foreignGroup, foreigner] = [await makeGroup(api), await makeUser(api)];
      for (const [of, who] of [
        [group, user],
        [group, foreigner],
        [foreignGroup, user],
      ])
        assertOk(await api.put(`/v3/groups/${of.id}/users/${who.id}`), 204);
      const { token } = await api.persona(['reader'], { domain: domain.id });
      assert.deepEqual(ids(assertOk(await api.get(`/v3/groups/${group.id}/users`, { token })).users), [user.id]);
      assert.deepEqual(ids(assertOk(await api.get(`/v3/users/${user.id}/groups`, { token })).groups), [group.id]);
      assert.equal(assertOk(await api.get(`/v3/groups/${group.id}/users`)).users.length, 2);
      assert.equal(assertOk(await api.get(`/v3/users/${user.id}/groups`)).groups.length, 2);

      await assertForbidden(api, [token, ...nobodies.slice(0, 2)], 'GET', `/v3/groups/${foreignGroup.id}/users`);
      await assertForbidden(api, [token, ...nobodies.slice(0, 2)], 'GET', `/v3/users/${foreigner.id}/groups`);
      await assertForbidden(api, [token], 'GET', `/v3/groups/${MISSING}/users`);
      await assertForbidden(api, [token], 'GET', `/v3/users/${MISSING}/groups`);
      await assertNeedsToken(api, 'GET', `/v3/groups/${group.id}/users`);
      await assertNeedsToken(api, 'GET', `/v3/users/${user.id}/groups`);
    });

    it('may list their own groups', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, token } = await api.persona(['member'], { project: project.id });
      const group = await makeGroup(api);
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
      assert.deepEqual(ids(assertOk(await api.get(`/v3/users/${user.id}/groups`, { token })).groups), [group.id]);
    });

    it('are filtered and paged like users, and their groups like groups', async () => {
      const [group, other] = [await makeGroup(api), await makeGroup(api)];
      const members = [await makeUser(api), await makeUser(api, { enabled: false }), await makeUser(api)];
      for (const { id } of members) assertOk(await api.put(`/v3/groups/${group.id}/users/${id}`), 204);
      assertOk(await api.put(`/v3/groups/${other.id}/users/${members[0].id}`), 204);
      const path = `/v3/groups/${group.id}/users`;
      assert.deepEqual(ids(assertOk(await api.get(`${path}?enabled=false`)).users), [members[1].id]);
      assert.deepEqual(ids(assertOk(await api.get(`${path}?name=${members[2].name}`)).users), [members[2].id]);
      const first = assertOk(await api.get(`${path}?limit=2`));
      const second = assertOk(await api.get(first.links.next.slice(api.url.length)));
      const seen = ids([...first.users, ...second.users]);
      assert.deepEqual(seen.sort(), ids(members).sort());
      assert.equal(second.links.next, null);
      const groups = `/v3/users/${members[0].id}/groups?name=${other.name}`;
      assert.deepEqual(ids(assertOk(await api.get(groups)).groups), [other.id]);
    });

    it('and groups that are deleted while they are changed leave no partial state', async () => {
      for (let round = 0; round < 3; round++) {
        const domain = await api.make('domain', { name: uniqueName('domain'), enabled: false });
        const [group, user] = [await makeGroup(api, { domain_id: domain.id }), await makeUser(api)];
        const path = `/v3/groups/${group.id}`;
        const create = () => api.post('/v3/groups', { group: { name: uniqueName('late'), domain_id: domain.id } });
        const answers = await Promise.all([
          api.put(`${path}/users/${user.id}`),
          api.patch(path, { group: { description: 'x' } }),
          create(),
          api.delete(`/v3/domains/${domain.id}`),
          create(),
          api.put(`${path}/users/${user.id}`),
          api.delete(`/v3/users/${user.id}`),
          api.delete(path),
        ]);
        assertEachStatus(answers, [200, 201, 204, 404]);
        assert.equal((await api.get(path)).status, 404);
      }
    });

    it('hold the roles of their group, and lose them with it at once', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const password = 'a password of a test';
      const scope = { project: { id: project.id } };
      const user = await makeUser(api, { password });
      const member = await api.roleId('member');

      for (const loss of ['membership', 'group']) {
        const group = await makeGroup(api);
        assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${member}`), 204);
        assertRefused(await api.authenticate({ id: user.id, password }, scope), 401);
        assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
        const token = await api.logIn({ id: user.id, password }, scope);
        assert.equal(await isAlive(api, token), true);
        const path = loss === 'group' ? `/v3/groups/${group.id}` : `/v3/groups/${group.id}/users/${user.id}`;
        assertOk(await api.delete(path), 204);
        assert.equal(await isAlive(api, token), false);
      }
    });
  });
});
