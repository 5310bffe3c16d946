// Attacks by whoever may create or change entries in a directory, and entries that are broken.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { uniqueName } from '../../../../test/support/api.ts';
import { ENTRIES } from '../../../../test/support/directory.ts';
import { DirectoryDomain, renewAdministrator, replace } from '../../../../test/support/directory-domain.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { dnOf, GROUPS, group, groupDn, PEOPLE, passwordOf, person } from '../../../../test/support/slapd.ts';

const SUB = `ou=Sub,${PEOPLE}`;
const SUB_GROUPS = `ou=Sub,${GROUPS}`;

for (const kind of databasesInTurn('Entries of a directory'))
  describe(`Entries of a directory (${kind})`, () => {
    const domain = new DirectoryDomain(kind, {
      slapd: {
        people: 30,
        entries: {
          ...ENTRIES,
          [SUB]: { objectClass: 'organizationalUnit', ou: 'Sub' },
          [SUB_GROUPS]: { objectClass: 'organizationalUnit', ou: 'Sub' },
        },
      },
      settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '5' },
    });
    const { api, slapd } = domain;
    const logged = (text: RegExp) => api.logged.some((line) => text.test(line));
    const groupsOf = async (uid: string) =>
      assertOk(await api.get(`/v3/users/${domain.idOf(uid)}/groups`))
        .groups.map(({ name }: { name: string }) => name)
        .sort();

    describe('with the id of somebody else', () => {
      for (const [what, uid] of [
        ['the same', 'alice'],
        ['in other letters', 'ALICE'],
      ] as const)
        it(`(${what}) let nobody in as them, neither before nor after they are known`, async () => {
          const dn = `cn=Mallory,${SUB}`;
          await slapd.add(dn, person(uid, { cn: 'Mallory', sn: 'mallory', mail: 'mallory@example.org', userPassword: 'mine' }));
          try {
            for (let time = 0; time < 2; time++) {
              assertRefused(await domain.logIn('mallory', 'mine'), 401);
              assertRefused(await api.authenticate({ id: domain.idOf('alice'), password: 'mine' }), 401);
              assertRefused(await domain.logIn('alice'), 401, /requires authentication/);
              await domain.synchronize();
            }
          } finally {
            await slapd.change((client) => client.del(dn));
          }
          assert.equal(assertOk(await domain.logIn('alice'), 201).token.user.id, domain.idOf('alice'));
        });

      it('do not change their account, wherever the entry comes in the list', async () => {
        await domain.synchronize();
        const dn = `cn=Mallory,${SUB}`;
        await slapd.add(dn, person('user3', { cn: 'Mallory', sn: 'mallory', mail: 'mallory@example.org' }));
        await domain.synchronize();
        const { email, name } = await domain.user('user3');
        assert.deepEqual([email, name], ['user3@example.org', 'user3']);
        assert.ok(logged(/another entry has its id/));
        await slapd.change((client) => client.del(dn));
      });

      it('and a name of theirs do not lock them out', async () => {
        await domain.synchronize();
        await slapd.change((client) => client.modify(dnOf('user4'), replace('sn', ['user5'])));
        assert.equal(assertOk(await domain.logIn('user5'), 201).token.user.id, domain.idOf('user5'));
        assertRefused(await domain.logIn('user5', passwordOf('user4')), 401);
      });
    });

    it('that are groups with the id of another one give no roles, at a login and afterwards', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      await domain.synchronize();
      const reader = await api.roleId('reader');
      assertOk(await api.put(`/v3/projects/${project.id}/groups/${domain.groupId('middle')}/roles/${reader}`), 204);
      await slapd.add(`cn=middle,${SUB_GROUPS}`, group('middle', [dnOf('user6')], { description: 'false' }));
      await slapd.add(`cn=wider,${SUB_GROUPS}`, group('wider', [`cn=middle,${SUB_GROUPS}`]));
      const inProject = (user: string) => api.authenticate(domain.person(user), { project: { id: project.id } });
      for (const time of ['login', 'synchronization']) {
        assertRefused(await inProject('user6'), 401);
        assert.deepEqual(await groupsOf('user6'), ['wider'], time);
        assertOk(await inProject('alice'), 201);
        await domain.synchronize();
      }
      assert.deepEqual(await groupsOf('alice'), ['inner', 'middle', 'outer']);
    });

    it('whose names only look the same to the server are somebody else', async () => {
      await slapd.add(dnOf('spaced'), person('spaced', { sn: 'two words' }));
      assertRefused(await domain.logIn('two   words', passwordOf('spaced')), 401);
      assertRefused(await domain.logIn(' two words ', passwordOf('spaced')), 401);
      assert.equal((await domain.logIn('TWO Words', passwordOf('spaced'))).status, 201);
    });

    it('are locked whatever they are called by', async () => {
      assertOk(await domain.logIn('user7'), 201);
      for (let at = 0; at < 5; at++) assertRefused(await api.authenticate({ id: domain.idOf('user7'), password: 'wrong' }), 401);
      // The row still has the old name: what counts is the entry that the directory finds.
      await slapd.change((client) => client.modify(dnOf('user7'), replace('sn', ['seven'])));
      for (const name of ['seven', 'SEVEN']) assertRefused(await domain.logIn(name, passwordOf('user7')), 401);
      assertOk(await domain.logIn('user8'), 201);
      api.clock.advance(3600);
      assertOk(await domain.logIn('seven', passwordOf('user7')), 201);
    });

    describe('that cannot be stored', () => {
      const LONG = 'x'.repeat(300);
      before(async () => {
        await slapd.change(async (client) => {
          await client.modify(dnOf('user9'), replace('mail', [`${LONG}@example.org`]));
          await client.modify(dnOf('user10'), replace('description', ['y'.repeat(100_000)]));
        });
        await slapd.add(dnOf('taken'), person('taken'));
        await slapd.add(dnOf('last'), person('last'));
        await renewAdministrator(api);
        // A provisioning client may choose ids.
        const local = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: uniqueName('local'), password: 'x' };
        assertOk(await api.post('/v3/OS-SCIM/v2/Users', { ...local, id: domain.idOf('taken') }));
      });

      it('do not keep the others out', async () => {
        await domain.synchronize();
        const names = await domain.enabledUsers();
        assert.ok(names.includes('last') && names.includes('user9') && names.includes('user10'));
        assert.ok(!names.includes('taken'));
        assert.equal((await domain.user('user9')).email, undefined);
        assert.equal((await domain.user('user10')).description, undefined);
        assert.ok(logged(/entry of the directory left out: it cannot be stored/));
      });

      it('let nobody in as the user who has their id', async () => {
        assertRefused(await domain.logIn('taken'), 401);
        assertRefused(await api.authenticate({ id: domain.idOf('taken'), password: passwordOf('taken') }), 401);
        // Nor is that user locked out by guesses at the entry.
        for (let at = 0; at < 6; at++) await domain.logIn('taken', 'wrong');
        assertOk(await api.authenticate({ id: domain.idOf('taken'), password: 'x' }), 201);
      });
    });

    it('that come after others with the same name get it when those are gone', async () => {
      await slapd.add(dnOf('first'), person('first', { sn: 'jsmith' }));
      await domain.synchronize();
      await slapd.change((client) => client.del(dnOf('first')));
      await domain.synchronize();
      await slapd.add(dnOf('second'), person('second', { sn: 'jsmith' }));
      const { token } = assertOk(await domain.logIn('jsmith', passwordOf('second')), 201);
      assert.equal(token.user.id, domain.idOf('second'));
      const gone = await domain.user('first');
      assert.deepEqual([gone.enabled, gone.name], [false, domain.idOf('first')]);
      await slapd.add(dnOf('first'), person('first', { sn: 'jsmith' }));
      assertRefused(await domain.logIn('jsmith', passwordOf('first')), 401);
      await domain.synchronize();
      assertRefused(await domain.logIn('jsmith', passwordOf('first')), 401, /requires/);
      assert.equal(assertOk(await domain.logIn('jsmith', passwordOf('second')), 201).token.user.id, domain.idOf('second'));
    });

    it('with members that are nobody, or a circle of groups, are harmless', async () => {
      await slapd.add(groupDn('odd'), group('odd', [groupDn('odd'), 'cn=nobody', dnOf('user11'), PEOPLE]));
      assertOk(await domain.logIn('user11'), 201);
      assert.deepEqual(await groupsOf('user11'), ['odd']);
      await domain.synchronize();
      assert.deepEqual(await groupsOf('user11'), ['odd']);
    });
  });
