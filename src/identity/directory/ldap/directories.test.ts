// A domain whose users are in a directory, through the APIs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { ENTRIES, ldapSection } from '../../../../test/support/directory.ts';
import { renewAdministrator, replace } from '../../../../test/support/directory-domain.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { connect, type ScimClient, USER } from '../../../../test/support/scim.ts';
import { dnOf, group, groupDn, passwordOf, person, Slapd } from '../../../../test/support/slapd.ts';
import { publicId } from './public-id.ts';

const PEOPLE = 3000;
const SYNC_SECONDS = 60;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-directories-'));
after(() => rmSync(folder, { recursive: true }));

for (const kind of databasesInTurn('A domain in a directory')) {
  describe(`A domain in a directory (${kind})`, () => {
    const slapd = new Slapd({ people: PEOPLE, entries: ENTRIES });
    const name = uniqueName('Acme');
    const dir = mkdtempSync(join(folder, 'settings-'));
    const api = new TestApi(kind, {
      settings: {
        GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: dir,
        GATEHOUSE_IDENTITY_DIRECTORY_SYNC_SECONDS: String(SYNC_SECONDS),
      },
    });
    let domain: { id: string };
    const idOf = (uid: string) => publicId(domain.id, 'user', uid);
    const groupId = (cn: string) => publicId(domain.id, 'group', cn);
    const inDomain = (user: string, password = passwordOf(user)) => ({ name: user, password, domain: { id: domain.id } });
    /** A synchronization that takes long on a busy machine answers 503: the client is to ask again. */
    const usersWhere = async (query: string) => {
      const list = () => api.get(`/v3/users?domain_id=${domain.id}${query}`);
      let answer = await list();
      for (let asked = 1; answer.status === 503 && answer.headers.has('Retry-After') && asked < 10; asked++)
        answer = await list();
      return assertOk(answer).users;
    };
    const namesOf = (things: readonly { name: string }[]) => things.map((one) => one.name).sort();
    /** What was read is too old now: the next list reads the directory again. */
    const later = () => api.clock.advance(SYNC_SECONDS * 3);
    const reread = async () => {
      later();
      await usersWhere('&limit=1');
      await renewAdministrator(api);
    };

    before(async () => {
      await slapd.start();
      writeFileSync(
        join(dir, `keystone.${name}.conf`),
        `[identity]\ndriver = ldap\n\n${ldapSection(slapd.url, { user_enabled_attribute: 'employeeType' })}`,
      );
      await api.start();
      domain = await api.make('domain', { name });
    });
    after(async () => {
      await api.stop();
      await slapd.stop();
    });

    it('shows a user by name at once, with the id that Keystone gives them', async () => {
      const [alice, ...others] = await usersWhere('&name=alice');
      assert.deepEqual(others, []);
      assert.equal(alice.id, idOf('alice'));
      assert.deepEqual(
        [alice.domain_id, alice.enabled, alice.email, alice.description, alice.phone, alice.password_expires_at],
        [domain.id, true, 'alice@example.org', 'Somebody', '+34 600', null],
      );
      assert.equal(assertOk(await api.get(`/v3/users/${alice.id}`)).user.name, 'alice');
      assert.deepEqual(await usersWhere('&name=nobody'), []);
    });

    it('lists thousands of them in pages, and its groups with who is in them through others', async () => {
      const names: string[] = [];
      for (let marker = ''; ; ) {
        const page = await usersWhere(`&limit=1000${marker}`);
        names.push(...page.map((user: { name: string }) => user.name));
        if (page.length < 1000) break;
        marker = `&marker=${page.at(-1).id}`;
      }
      // Two entries have one name: one of them is left out.
      assert.equal(names.length, PEOPLE + 4);
      assert.equal(new Set(names).size, names.length);
      const { groups } = assertOk(await api.get(`/v3/groups?domain_id=${domain.id}`));
      assert.deepEqual(namesOf(groups), ['inner', 'middle', 'others', 'outer']);
      const members = async (cn: string) => namesOf(assertOk(await api.get(`/v3/groups/${groupId(cn)}/users`)).users);
      assert.deepEqual(await members('outer'), ['alice', 'bob']);
      assert.deepEqual(await members('middle'), ['alice', 'bob']);
      assert.deepEqual(await members('others'), ['bob']);
      assert.deepEqual(namesOf(assertOk(await api.get(`/v3/users/${idOf('alice')}/groups`)).groups), [
        'inner',
        'middle',
        'outer',
      ]);
      assert.ok(api.logged.some((line) => line.includes('another user of the domain has its name')));
    });

    it('lets people in with the password of the directory, by name or id, and nobody else', async () => {
      assert.equal((await api.authenticate(inDomain('alice'))).status, 201);
      assert.equal((await api.authenticate({ id: idOf('alice'), password: passwordOf('alice') })).status, 201);
      const byDomainName = { name: 'ALICE', password: passwordOf('alice'), domain: { name } };
      assert.equal(assertOk(await api.authenticate(byDomainName), 201).token.user.id, idOf('alice'));
      for (const [user, password] of [
        ['alice', 'wrong'],
        ['alice', ''],
        ['bob', 'anything'],
        ['nobody', 'anything'],
        ['*', passwordOf('alice')],
      ] as const)
        assertRefused(await api.authenticate(inDomain(user, password)), 401);
      const twins = [
        await api.authenticate(inDomain('twin', passwordOf('twin1'))),
        await api.authenticate(inDomain('twin', passwordOf('twin2'))),
      ];
      assert.deepEqual(twins.map(({ status }) => status).sort(), [201, 401], 'a name is that of one entry');
    });

    it('takes somebody who is new in the directory when they log in first', async () => {
      await slapd.add(dnOf('newcomer'), person('newcomer'));
      await slapd.add(groupDn('newcomers'), group('newcomers', [dnOf('newcomer')]));
      const { token } = assertOk(await api.authenticate(inDomain('newcomer')), 201);
      assert.equal(token.user.id, idOf('newcomer'));
      assert.deepEqual(namesOf(assertOk(await api.get(`/v3/users/${idOf('newcomer')}/groups`)).groups), ['newcomers']);
    });

    it('gives them roles: granted to them, to a group they are in through another, and of an application', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const [member, reader] = [await api.roleId('member'), await api.roleId('reader')];
      assertOk(await api.put(`/v3/projects/${project.id}/users/${idOf('user1')}/roles/${member}`), 204);
      assertOk(await api.put(`/v3/projects/${project.id}/groups/${groupId('outer')}/roles/${reader}`), 204);
      const scope = { project: { id: project.id } };
      const rolesOf = async (user: string) => namesOf(assertOk(await api.authenticate(inDomain(user), scope), 201).token.roles);
      assert.deepEqual(await rolesOf('user1'), ['member', 'reader']);
      assert.deepEqual(await rolesOf('alice'), ['reader']);
      assertRefused(await api.authenticate(inDomain('user2'), scope), 401);
      const { role_assignments } = assertOk(await api.get(`/v3/role_assignments?user.id=${idOf('user1')}&include_names`));
      assert.equal(role_assignments[0].user.name, 'user1');
    });

    it('is not written to', async () => {
      const [user, inner] = [`/v3/users/${idOf('alice')}`, `/v3/groups/${groupId('inner')}`];
      const why = /LDAP does not support write operations/;
      for (const change of [
        { name: 'other' },
        { enabled: false },
        { email: 'x@example.org' },
        { description: null },
        { phone: '1' },
        { password: 'a new one' },
        { password: null },
      ])
        assertRefused(await api.patch(user, { user: change }), 403, why);
      assertRefused(await api.delete(user), 403, why);
      assertRefused(await api.post('/v3/users', { user: { name: 'made here', domain_id: domain.id } }), 403, why);
      assertRefused(await api.patch(inner, { group: { description: 'other' } }), 403, why);
      assertRefused(await api.delete(inner), 403, why);
      assertRefused(await api.post('/v3/groups', { group: { name: 'made here', domain_id: domain.id } }), 403, why);
      assertRefused(await api.put(`${inner}/users/${idOf('user1')}`), 403, why);
      assertRefused(await api.delete(`${inner}/users/${idOf('alice')}`), 403, why);
      assert.equal((await api.authenticate(inDomain('alice'))).status, 201);
    });

    it('keeps beside them what the directory says nothing of', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const changes = { default_project_id: project.id, favourite: 'blue', name: 'alice', email: 'alice@example.org' };
      assertOk(await api.patch(`/v3/users/${idOf('alice')}`, { user: changes }));
      const local = await api.make('group', { name: uniqueName('local') });
      assertOk(await api.put(`/v3/groups/${local.id}/users/${idOf('alice')}`), 204);
      await reread();
      const { user } = assertOk(await api.get(`/v3/users/${idOf('alice')}`));
      assert.deepEqual([user.default_project_id, user.favourite, user.phone], [project.id, 'blue', '+34 600']);
      assertOk(await api.get(`/v3/groups/${local.id}/users/${idOf('alice')}`), 204);
    });

    it('follows the directory: names, attributes, groups, and those who swap their names', async () => {
      await slapd.change(async (client) => {
        await client.modify(dnOf('user10'), replace('mail', ['other@example.org']));
        await client.modify(dnOf('user11'), replace('sn', ['user12']));
        await client.modify(dnOf('user12'), replace('sn', ['user11']));
        await client.modify(groupDn('others'), replace('member', [dnOf('user10')]));
      });
      await reread();
      const shown = async (uid: string) => assertOk(await api.get(`/v3/users/${idOf(uid)}`)).user;
      assert.equal((await shown('user10')).email, 'other@example.org');
      assert.deepEqual([(await shown('user11')).name, (await shown('user12')).name], ['user12', 'user11']);
      assert.deepEqual(namesOf(assertOk(await api.get(`/v3/groups/${groupId('others')}/users`)).users), ['user10']);
      assert.equal((await api.authenticate(inDomain('user12', passwordOf('user11')))).status, 201);
    });

    it('disables who is disabled in the directory, also when the new name is in use', async () => {
      const token = await api.logIn(inDomain('user50'));
      await slapd.change(async (client) => {
        await client.modify(dnOf('user50'), [replace('employeeType', ['FALSE']), replace('sn', ['alice'])]);
        await client.modify(dnOf('user51'), replace('employeeType', ['FALSE']));
      });
      assertRefused(await api.authenticate(inDomain('user51')), 401);
      assert.equal(assertOk(await api.get(`/v3/users/${idOf('user51')}`)).user.enabled, false, 'at the login already');
      await reread();
      const { user } = assertOk(await api.get(`/v3/users/${idOf('user50')}`));
      assert.deepEqual([user.name, user.enabled], ['user50', false]);
      assert.equal((await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status, 404);
      assert.equal((await api.authenticate(inDomain('alice'))).status, 201);
    });

    it('ignores groups whose id occurs twice', async () => {
      const sub = 'ou=Sub,ou=Groups,dc=example,dc=org';
      await slapd.add(sub, { objectClass: 'organizationalUnit', ou: 'Sub' });
      await slapd.add(`cn=middle,${sub}`, group('middle', [dnOf('user60')]));
      await reread();
      assert.deepEqual(namesOf(assertOk(await api.get(`/v3/groups/${groupId('middle')}/users`)).users), ['alice', 'bob']);
    });

    it('closes who is gone, ends their tokens, keeps what they were granted, and opens them when they are back', async () => {
      const token = await api.logIn(inDomain('user20'));
      const local = await api.make('group', { name: uniqueName('local') });
      assertOk(await api.put(`/v3/groups/${local.id}/users/${idOf('user20')}`), 204);
      await slapd.leave('user20');
      assertRefused(await api.authenticate(inDomain('user20')), 401);
      await reread();
      assert.equal(assertOk(await api.get(`/v3/users/${idOf('user20')}`)).user.enabled, false);
      assert.equal((await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status, 404);
      await slapd.comeBack('user20');
      assert.equal(assertOk(await api.authenticate(inDomain('user20')), 201).token.user.id, idOf('user20'));
      assertOk(await api.get(`/v3/groups/${local.id}/users/${idOf('user20')}`), 204);
      await slapd.change((client) => client.del(dnOf('user20')));
      await reread();
      assertOk(await api.delete(`/v3/users/${idOf('user20')}`), 204);
    });

    describe('by SCIM', () => {
      let scim: ScimClient;
      before(async () => {
        ({ scim } = await connect(api, domain.id));
      });

      it('is listed, and found by name', async () => {
        const list = assertOk(await scim.get('/Users?count=10'));
        assert.ok(list.totalResults > PEOPLE);
        await slapd.add(dnOf('latecomer'), person('latecomer'));
        const found = assertOk(await scim.get(`/Users?filter=${encodeURIComponent('userName eq "latecomer"')}`));
        assert.deepEqual([found.totalResults, found.Resources[0].id], [1, idOf('latecomer')]);
        const groups = assertOk(await scim.get('/Groups?count=100'));
        assert.ok(groups.Resources.some((one: { displayName: string }) => one.displayName === 'outer'));
      });

      it('is not written to, but a client may repeat what is there', async () => {
        const path = `/Users/${idOf('user40')}`;
        const { meta: _, ...there } = assertOk(await scim.get(path));
        assertOk(await scim.put(path, there));
        assert.equal((await scim.put(path, { ...there, userName: 'other' })).status, 403);
        assert.equal((await scim.put(path, { ...there, active: false })).status, 403);
        assert.equal((await scim.put(path, { ...there, displayName: 'Other' })).status, 403);
        assert.equal((await scim.delete(path)).status, 403);
        assert.equal((await scim.post('/Users', { schemas: [USER], userName: 'made here' })).status, 403);
      });
    });

    describe('whose directory is away', () => {
      const others = () => api.authenticate({ name: 'admin', password: ADMIN_PASSWORD });
      const isAway = (answer: Awaited<ReturnType<TestApi['get']>>) => {
        assertRefused(answer, 503, /directory does not answer/);
        assert.ok(answer.headers.get('retry-after'));
      };

      it('answers 503 for it, from its rows what they tell, and everybody else as ever', async () => {
        await slapd.freeze();
        try {
          const waiting = [
            api.authenticate(inDomain('user1')),
            api.authenticate(inDomain('nobody', 'x')),
            api.get(`/v3/users?domain_id=${domain.id}&name=user3`),
          ];
          // While they wait, nobody else does.
          assert.equal((await others()).status, 201);
          assertOk(await api.get('/v3/users?limit=5'));
          await api.make('user', { name: uniqueName('local') });
          for (const answer of await Promise.all(waiting)) isAway(answer);
          assertOk(await api.get(`/v3/users/${idOf('alice')}`));
          assertOk(await api.get(`/v3/users?domain_id=${domain.id}&limit=5`));
          later();
          await renewAdministrator(api);
          isAway(await api.get(`/v3/users?domain_id=${domain.id}&limit=5`));
          isAway(await api.get(`/v3/groups?domain_id=${domain.id}`));
          assertOk(await api.get('/v3/users?limit=5'));
        } finally {
          slapd.thaw();
        }
        // The last question that was not answered may still be under way.
        for (let status = 503; status === 503; ) {
          later();
          ({ status } = await api.authenticate(inDomain('user1')));
        }
        await renewAdministrator(api);
        assertOk(await api.get(`/v3/users?domain_id=${domain.id}&limit=5`));
      });
    });

    it('logs no password, neither of the directory nor of anybody in it', () => {
      const log = api.logged.join('');
      assert.doesNotMatch(log, /the reader of the tests|password of /);
    });
  });
}
