import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNeedsToken, assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import {
  assertScimError,
  assertScimRefused,
  BULK_REQUEST,
  connect,
  GROUP,
  idsIn,
  ORGANIZATION,
  patchOf,
  ScimClient,
  USER,
} from '../../../../../test/support/scim.ts';

const CONNECTIONS = '/v3/OS-SCIM/connections';
const title = patchOf({ op: 'replace', path: 'title', value: 'changed' });

onUsualDatabase('SCIM under attack', (api) => {
  let scim: ScimClient;
  let domainId: string;
  let other: ScimClient;
  let otherDomain: string;
  before(async () => {
    const [one, two] = [await connect(api), await connect(api)];
    [scim, domainId, other, otherDomain] = [one.scim, one.domain.id, two.scim, two.domain.id];
  });

  const bulk = async (...operations: Record<string, unknown>[]): Promise<any[]> =>
    assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations: operations })).Operations;
  const bulkPatch = (path: string, data: unknown): Promise<ApiAnswer> =>
    scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations: [{ method: 'PATCH', path, data }] });
  const baseGrant = async (who: string) =>
    assertOk(await api.put(`/v3/domains/${domainId}/${who}/roles/${await api.roleId('admin')}`), 204);

  describe('a flag that is taken away or left out', () => {
    const removals = (schema: string, name: string) => [
      patchOf({ op: 'remove', path: name }),
      patchOf({ op: 'Remove', path: `${schema}:${name.toUpperCase()}` }),
      patchOf({ op: 'replace', path: name, value: null }),
      patchOf({ op: 'replace', value: { [name]: null } }),
      patchOf({ op: 'remove', path: name }, { op: 'replace', path: 'externalId', value: 'another' }),
    ];

    it('does not let a deactivated user in again', async () => {
      const password = 'a password of a test';
      const { id, userName } = await scim.makeUser({ password, active: false });
      for (const body of removals(USER, 'active')) {
        assertOk(await scim.patch(`/Users/${id}`, body), 204);
        assertOk(await bulkPatch(`/Users/${id}`, body));
        assert.equal((await scim.show(`/Users/${id}`)).active, false);
        const keyrock = { Operations: (body as { Operations: unknown }).Operations };
        assertOk(await api.patch(`/v3/OS-SCIM/v2/Users/${id}`, keyrock));
        assert.equal((await api.authenticate({ id, password })).status, 401);
      }
      assertOk(await scim.put(`/Users/${id}`, { schemas: [USER], userName, active: null }));
      assert.equal((await api.authenticate({ id, password })).status, 401);
      assertOk(await scim.patch(`/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: true })), 204);
      assertOk(await scim.patch(`/Users/${id}`, patchOf({ op: 'remove', path: 'active' })), 204);
      assert.equal((await api.authenticate({ id, password })).status, 201, 'nor does it lock out who is active');
    });

    it('neither opens a closed organization nor offers to others what is the default of one user', async () => {
      const { id, name } = await scim.makeOrganization({ active: false, isDefault: true });
      const path = `/Organizations/${id}`;
      const isAsBefore = async () => {
        const { active, isDefault } = await scim.show(path);
        assert.deepEqual({ active, isDefault }, { active: false, isDefault: true });
      };
      for (const flag of ['active', 'isDefault'])
        for (const body of removals(ORGANIZATION, flag)) {
          assertOk(await scim.patch(path, body), 204);
          await isAsBefore();
        }
      assertOk(await scim.put(path, { schemas: [ORGANIZATION], name }));
      await isAsBefore();
      const keyrock = `/v3/OS-SCIM/v2/Organizations/${id}`;
      assertOk(await api.put(keyrock, { name, is_default: null, active: null }));
      assertOk(await api.patch(keyrock, { Operations: [{ op: 'remove', path: 'is_default' }] }));
      await isAsBefore();
      assertOk(await scim.put(path, { schemas: [ORGANIZATION], name, active: true, isDefault: false }));
      const { active, isDefault } = await scim.show(path);
      assert.deepEqual({ active, isDefault }, { active: true, isDefault: false });
    });
  });

  describe('things of another domain', () => {
    it('are not there: not to read, replace, change or delete, one by one or in bulk', async () => {
      const [user, group] = [await other.makeUser(), await other.makeGroup()];
      const organization = await other.makeOrganization();
      const kinds: [string, Record<string, unknown>, Record<string, unknown>][] = [
        [`/Users/${user.id}`, { schemas: [USER], userName: 'x' }, title],
        [`/Groups/${group.id}`, { schemas: [GROUP], displayName: 'x' }, patchOf({ op: 'remove', path: 'members' })],
        [
          `/Organizations/${organization.id}`,
          { schemas: [ORGANIZATION], name: 'x' },
          patchOf({ op: 'add', path: 'description', value: 'x' }),
        ],
      ];
      for (const [path, resource, change] of kinds) {
        const before = await other.show(path);
        assertScimRefused(await scim.get(path), 404);
        assertScimRefused(await scim.get(path, { 'If-None-Match': '*' }), 404);
        assertScimRefused(await scim.put(path, resource), 404);
        assertScimRefused(await scim.patch(path, change), 404);
        assertScimRefused(await scim.delete(path), 404);
        const results = await bulk(
          { method: 'PUT', path, data: resource },
          { method: 'PATCH', path, data: change },
          { method: 'DELETE', path },
        );
        for (const { status, response } of results) {
          assert.equal(status, '404');
          assertScimError(response, 404);
        }
        assert.deepEqual(await other.show(path), before);
      }
      // A domain is a project of the base API, but no organization.
      assertScimRefused(await scim.get(`/Organizations/${domainId}`), 404);
    });

    it('are in no list, whatever the filter', async () => {
      const user = await other.makeUser({ externalId: 'foreign', emails: [{ value: 'foreign@example.com' }] });
      const group = await other.makeGroup({ externalId: 'foreign', members: [{ value: user.id }] });
      const asked: [string, string][] = [
        ['/Users', `id eq "${user.id}"`],
        ['/Users', `userName eq "${user.userName}"`],
        ['/Users', 'externalId eq "foreign"'],
        ['/Users', 'emails.value eq "foreign@example.com"'],
        ['/Users', `groups.value eq "${group.id}"`],
        ['/Users', `title pr or userName sw "${user.userName}"`],
        ['/Groups', `id eq "${group.id}"`],
        ['/Groups', `displayName eq "${group.displayName}"`],
        ['/Groups', `members.value eq "${user.id}"`],
        ['/Groups', 'externalId eq "foreign"'],
      ];
      for (const [endpoint, filter] of asked) {
        const list = await scim.list(endpoint, { filter });
        assert.deepEqual([list.totalResults, list.Resources], [0, []], filter);
        assert.equal((await other.list(endpoint, { filter })).totalResults, 1, filter);
      }
      const mine = await scim.makeUser();
      assert.ok(idsIn(await scim.list('/Users')).includes(mine.id));
      assert.ok(!idsIn(await scim.list('/Users')).includes(user.id));
      const cursor = Buffer.from(JSON.stringify(['', ''])).toString('base64url');
      assert.ok(!idsIn(await scim.list('/Users', { cursor, count: 1000 })).includes(user.id));
    });

    it('are not shown as members or groups either when the base API joins the domains', async () => {
      const [stranger, own] = [await other.makeUser(), await scim.makeUser()];
      const [group, foreign] = [await scim.makeGroup({ members: [{ value: own.id }] }), await other.makeGroup()];
      assertOk(await api.put(`/v3/groups/${group.id}/users/${stranger.id}`), 204);
      assertOk(await api.put(`/v3/groups/${foreign.id}/users/${own.id}`), 204);

      const members = (await scim.show(`/Groups/${group.id}`)).members.map(({ value }: { value: string }) => value);
      assert.deepEqual(members, [own.id]);
      assert.equal((await scim.list('/Groups', { filter: `members.value eq "${stranger.id}"` })).totalResults, 0);
      const groupsOf = ({ groups = [] }: any): string[] => groups.map(({ value }: { value: string }) => value);
      assert.deepEqual(groupsOf(await scim.show(`/Users/${own.id}`)), [group.id]);
      for (const filter of [`userName eq "${own.userName}"`, `id eq "${own.id}"`, `userName sw "${own.userName}"`]) {
        assert.deepEqual(groupsOf((await scim.list('/Users', { filter })).Resources[0]), [group.id], filter);
      }
      assert.equal((await scim.list('/Users', { filter: `groups.value eq "${foreign.id}"` })).totalResults, 0);
    });

    it('cannot be reached by naming the domain in a resource', async () => {
      const made = await scim.makeUser({ domain_id: otherDomain, domainId: otherDomain });
      assert.equal(assertOk(await api.get(`/v3/users/${made.id}`)).user.domain_id, domainId);
      assertOk(await scim.put(`/Users/${made.id}`, { schemas: [USER], userName: made.userName, domain_id: otherDomain }));
      assert.equal(assertOk(await api.get(`/v3/users/${made.id}`)).user.domain_id, domainId);
    });
  });

  describe('administrators', () => {
    it('cannot be changed, shut out or deleted by a connection, one by one or in bulk', async () => {
      const { id, userName } = await scim.makeUser({ title: 'Admin' });
      await baseGrant(`users/${id}`);
      const path = `/Users/${id}`;
      const before = await scim.show(path);
      const password = patchOf({ op: 'replace', path: 'password', value: 'taken over by the connection' });
      assertScimRefused(await scim.patch(path, password), 403);
      assertScimRefused(await scim.patch(path, title), 403);
      assertScimRefused(await scim.put(path, { schemas: [USER], userName, active: false }), 403);
      assertScimRefused(await scim.delete(path), 403);
      const results = await bulk({ method: 'PATCH', path, data: password }, { method: 'DELETE', path });
      assert.deepEqual(
        results.map(({ status }) => status),
        ['403', '403'],
      );
      assert.deepEqual(await scim.show(path), before);
      assert.equal((await api.authenticate({ id, password: 'taken over by the connection' })).status, 401);
    });

    it('by a group are protected too, and nobody changes or deletes that group', async () => {
      const [member, climber] = [await scim.makeUser(), await scim.makeUser()];
      const group = await scim.makeGroup({ members: [{ value: member.id }] });
      await baseGrant(`groups/${group.id}`);
      const path = `/Groups/${group.id}`;
      const before = await scim.show(path);
      const members = [{ value: climber.id }];
      assertScimRefused(await scim.patch(path, patchOf({ op: 'add', path: 'members', value: members })), 403);
      assertScimRefused(await scim.patch(path, patchOf({ op: 'remove', path: 'members' })), 403);
      assertScimRefused(await scim.put(path, { schemas: [GROUP], displayName: group.displayName, members }), 403);
      assertScimRefused(await scim.delete(path), 403);
      assertScimRefused(await scim.delete(`/Users/${member.id}`), 403);
      assertScimRefused(await scim.patch(`/Users/${member.id}`, title), 403);
      assert.deepEqual(await scim.show(path), before);
    });

    it('are not made by what a resource says of roles and groups', async () => {
      const group = await scim.makeGroup();
      await baseGrant(`groups/${group.id}`);
      const user = await scim.makeUser({
        roles: [{ value: 'admin' }],
        groups: [{ value: group.id }],
        password: 'some password 1',
      });
      assert.equal((await scim.show(`/Users/${user.id}`)).groups, undefined);
      const { role_assignments } = assertOk(await api.get(`/v3/role_assignments?user.id=${user.id}&effective`));
      assert.deepEqual(role_assignments, []);
    });
  });

  describe('a connection', () => {
    it('is refused by all other APIs, in whichever header its token is', async () => {
      const user = await scim.makeUser();
      const bearer = { Authorization: `Bearer ${scim.token}` };
      const admin = await api.roleId('admin');
      const elsewhere: [string, string][] = [
        ['GET', '/v3/users'],
        ['GET', `/v3/users/${user.id}`],
        ['DELETE', `/v3/users/${user.id}`],
        ['PUT', `/v3/domains/${domainId}/users/${user.id}/roles/${admin}`],
        ['GET', CONNECTIONS],
        ['GET', '/v3/OS-SCIM/v2/Users'],
        ['GET', '/v3/OS-OAUTH2/consumers'],
        ['GET', '/v3/auth/projects'],
      ];
      for (const [method, path] of elsewhere) {
        for (const headers of [bearer, { 'X-Auth-Token': scim.token }]) {
          const answer = await api.request(method, path, { token: null, headers });
          assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
        }
      }
      assertScimRefused(await api.get('/scim/v2/Users', { token: scim.token }), 401);
      assert.ok(await scim.show(`/Users/${user.id}`));
    });

    it('is made, listed and ended by administrators only', async () => {
      await assertNeedsToken(api, 'GET', CONNECTIONS);
      const manager = await api.persona(['manager'], { domain: domainId }, { domain_id: domainId });
      const { token } = manager;
      assertRefused(await api.get(CONNECTIONS, { token }), 403);
      assertRefused(await api.post(CONNECTIONS, { connection: { domain_id: domainId } }, { token }), 403);
      const { connections } = assertOk(await api.get(CONNECTIONS));
      assertRefused(await api.delete(`${CONNECTIONS}/${connections[0].id}`, { token }), 403);
      assertRefused(await api.post(CONNECTIONS, { connection: { domain_id: 'nothing' } }), 404);
      assertRefused(await api.delete(`${CONNECTIONS}/nothing`), 404);
      const project = await api.make('project', { name: uniqueName('no-domain') });
      assertRefused(await api.post(CONNECTIONS, { connection: { domain_id: project.id } }), 404);
    });

    it('shows its token once: not in lists, nor in the log', async () => {
      const made = await connect(api);
      const { token } = made.connection;
      assert.match(token, /^ghs_[\w-]{43}$/);
      await made.scim.list('/Users');
      await made.scim.get('/Users/nobody');
      await new ScimClient(api, `${token}x`).get('/Users');
      const listed = await api.get(CONNECTIONS);
      const { token: _, ...rest } = made.connection;
      const { failures, ...shown } = listed.body.connections.find(({ id }: { id: string }) => id === rest.id);
      assert.equal(failures, 1);
      assert.deepEqual({ ...shown, last_used_at: null }, rest);
      assert.ok(!listed.text.includes(token) && !listed.text.includes('hash'));
      assert.ok(api.logged.length > 0);
      assert.ok(!api.logged.join('').includes(token.slice(4)));
    });

    it('tells when it was last used', async () => {
      const made = await connect(api);
      const lastUse = async (): Promise<string | null> =>
        (await api.get(CONNECTIONS)).body.connections.find(({ id }: { id: string }) => id === made.connection.id).last_used_at;
      assert.equal(await lastUse(), null);
      await made.scim.list('/Users');
      for (const end = Date.now() + 20_000; (await lastUse()) === null && Date.now() < end; ) await sleep(20);
      assert.ok(Math.abs(Date.parse((await lastUse())!) - api.clock.now()) < 60_000);
    });

    it('that is revoked opens nothing more, at once', async () => {
      const made = await connect(api);
      await made.scim.list('/Users');
      assertOk(await api.delete(`${CONNECTIONS}/${made.connection.id}`), 204);
      assertScimRefused(await made.scim.get('/Users'), 401);
      assertScimRefused(await made.scim.post('/Users', { schemas: [USER], userName: uniqueName('late') }), 401);
      assertRefused(await api.delete(`${CONNECTIONS}/${made.connection.id}`), 404);
    });

    it('opens nothing while its domain is disabled, and after it is deleted', async () => {
      const { scim: client, domain, connection } = await connect(api);
      await client.list('/Users');
      const enable = async (enabled: boolean) => assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } }));
      await enable(false);
      assertScimRefused(await client.get('/Users'), 401);
      await enable(true);
      await client.list('/Users');
      await enable(false);
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
      assertScimRefused(await client.get('/Users'), 401);
      const left = assertOk(await api.get(CONNECTIONS)).connections;
      assert.ok(!left.some(({ id }: { id: string }) => id === connection.id));
    });

    it('with a token that is wrong, cut short, empty or none is 401, and each answer is the same', async () => {
      const token = scim.token;
      const headers = [
        `Bearer ${token}x`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token.slice(0, 4)}`,
        `Bearer ${token.slice(4)}`,
        `Bearer ${token.toUpperCase()}`,
        `Bearer ghs_${'A'.repeat(43)}`,
        `Bearer ${'x'.repeat(5000)}`,
        `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
        'Bearer',
        'Bearer ',
        `Bearer ${token} ${token}`,
        `Token ${token}`,
        token,
        '',
      ].map((Authorization): Record<string, string> => ({ Authorization }));
      const answers: ApiAnswer[] = [];
      for (const one of [...headers, {}]) answers.push(await api.get('/scim/v2/Users', { token: null, headers: one }));
      for (const answer of answers) assertScimRefused(answer, 401);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assertScimRefused(await api.get('/scim/v2/Users/nobody', { token: null }), 401);
      assertScimRefused(await api.post('/scim/v2/Bulk', {}, { token: null }), 401);
    });
  });

  describe('people with a token', () => {
    it('but without a role for it may not read or write others: 403', async () => {
      const user = await scim.makeUser();
      const project = await api.make('project', { name: uniqueName('work'), domain_id: domainId });
      const { token } = await api.persona(['member'], { project: project.id }, { domain_id: domainId });
      const resource = { schemas: [USER], userName: uniqueName('x') };
      assertScimRefused(await api.get('/scim/v2/Users', { token }), 403);
      assertScimRefused(await api.get('/scim/v2/Groups', { token }), 403);
      assertScimRefused(await api.get('/scim/v2/Organizations', { token }), 403);
      assertScimRefused(await api.post('/scim/v2/.search', {}, { token }), 403);
      assertScimRefused(await api.get(`/scim/v2/Users/${user.id}`, { token }), 403);
      assertScimRefused(await api.post('/scim/v2/Users', resource, { token }), 403);
      assertScimRefused(await api.put(`/scim/v2/Users/${user.id}`, resource, { token }), 403);
      assertScimRefused(await api.patch(`/scim/v2/Users/${user.id}`, title, { token }), 403);
      assertScimRefused(await api.delete(`/scim/v2/Users/${user.id}`, { token }), 403);
    });

    it('who manage a domain provision that one and no other', async () => {
      const persona = await api.persona(['manager', 'reader'], { domain: domainId }, { domain_id: domainId });
      const manager = new ScimClient(api, persona.token);
      const [made, foreign] = [await manager.makeUser(), await other.makeUser()];
      assert.equal((await scim.show(`/Users/${made.id}`)).userName, made.userName);
      assertOk(await manager.patch(`/Users/${made.id}`, title), 204);
      assertScimRefused(await manager.get(`/Users/${foreign.id}`), 404);
      assertScimRefused(await manager.patch(`/Users/${foreign.id}`, title), 404);
      assert.ok(!idsIn(await manager.list('/Users', { count: 1000 })).includes(foreign.id));
      assertOk(await manager.delete(`/Users/${made.id}`), 204);
    });

    it('who only read a domain read it', async () => {
      const persona = await api.persona(['reader'], { domain: domainId }, { domain_id: domainId });
      const reader = new ScimClient(api, persona.token);
      const user = await scim.makeUser();
      assert.equal((await reader.show(`/Users/${user.id}`)).id, user.id);
      assertScimRefused(await reader.post('/Users', { schemas: [USER], userName: uniqueName('x') }), 403);
      assertScimRefused(await reader.delete(`/Users/${user.id}`), 403);
    });
  });
});
