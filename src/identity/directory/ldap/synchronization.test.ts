// Synchronizations: of a directory that shows a part only, beside a slow one, and while people log in.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, TestApi, TestClock, uniqueName } from '../../../../test/support/api.ts';
import { ENTRIES, ldapSection } from '../../../../test/support/directory.ts';
import { DirectoryDomain, replace } from '../../../../test/support/directory-domain.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { dnOf, GROUPS, group, groupDn, person, Slapd } from '../../../../test/support/slapd.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createUserClosing } from './close-users.rules.ts';
import type { Directory } from './directory.ts';
import type { DirectoryUser } from './entries.ts';
import { createGroupKeeping } from './keep-groups.rules.ts';
import { createMemberKeeping } from './keep-members.rules.ts';
import { createUserKeeping } from './keep-users.rules.ts';
import { createLeftOut } from './left-out.ts';
import { createSynchronize } from './synchronize.ts';
import { warnOfPlainText } from './warnings.ts';

const WAIT_MS = 60_000;

describe('A directory that shows only some of its users, or none', () => {
  const domain = new DirectoryDomain('SQLite', {
    slapd: { people: 30, entries: ENTRIES },
    // slapd counts all pages together.
    ldap: { user_enabled_attribute: 'employeeType', page_size: '7', group_filter: '(!(cn=hidden))' },
  });
  const { slapd } = domain;
  const count = async () => {
    await domain.synchronize();
    return (await domain.enabledUsers()).length;
  };
  /** With one of the twins: the name is taken. */
  const EVERYBODY = 34;

  it('closes those who are gone or disabled, and nobody else', async () => {
    assert.equal(await count(), EVERYBODY);
    await slapd.limit(10);
    assert.equal(await count(), EVERYBODY);
    for (let at = 0; at < 30; at++)
      await slapd.change((client) => client.modify(dnOf(`user${at}`), replace('mail', [`new${at}@example.org`])));
    await slapd.change((client) => client.del(dnOf('user0')));
    await slapd.change((client) => client.del(dnOf('user29')));
    await slapd.change((client) => client.modify(dnOf('user28'), replace('employeeType', ['FALSE'])));
    assert.equal(await count(), EVERYBODY - 3);
    assert.equal((await domain.user('user27')).email, 'new27@example.org', 'they are asked for, and updated');
    assert.ok(domain.api.logged.some((line) => line.includes('did not list all users')));
  });

  it('gives the roles of a group to no other entry with its id, also when only that one is shown', async () => {
    const sub = `ou=Sub,${GROUPS}`;
    const members = async () =>
      assertOk(await domain.api.get(`/v3/groups/${domain.groupId('late')}/users`)).users.map(
        ({ name }: { name: string }) => name,
      );
    await slapd.limit(undefined);
    await slapd.add(sub, { objectClass: 'organizationalUnit', ou: 'Sub' });
    for (const name of [...Array(8).keys()].map((at) => `group${at}`)) await slapd.add(groupDn(name), group(name, [dnOf('bob')]));
    await slapd.add(groupDn('late'), group('late', [dnOf('bob')]));
    await domain.synchronize();
    assert.deepEqual(await members(), ['bob']);
    // The oldest entries are shown, and this is one of them.
    await slapd.change((client) => client.modifyDN(groupDn('inner'), `cn=late,${sub}`));
    await slapd.limit(10);
    await domain.synchronize();
    assert.deepEqual(await members(), ['bob']);
  });

  it('closes nobody when it shows none at all', async () => {
    await slapd.limit(undefined);
    for (let at = 1; at < 29; at++) await slapd.change((client) => client.del(dnOf(`user${at}`)));
    for (const dn of Object.keys(ENTRIES).filter((one) => one.startsWith('uid='))) await slapd.change((client) => client.del(dn));
    assert.equal(await count(), EVERYBODY - 3);
  });
});

describe('A slow directory', () => {
  const [slow, fast] = [new Slapd({ people: 3 }), new Slapd({ people: 3 })];
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-directories-'));
  const names = { slow: uniqueName('Slow'), fast: uniqueName('Fast') };
  const api = new TestApi('SQLite', {
    settings: { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: dir, GATEHOUSE_IDENTITY_DIRECTORY_SYNC_SECONDS: '5' },
  });
  before(async () => {
    await Promise.all([slow.start(), fast.start()]);
    const patient = { connection_timeout: '300' };
    writeFileSync(join(dir, `keystone.${names.slow}.conf`), ldapSection(slow.url, patient));
    writeFileSync(join(dir, `keystone.${names.fast}.conf`), ldapSection(fast.url, patient));
    await api.start();
  });
  after(async () => {
    await api.stop();
    rmSync(dir, { recursive: true });
    await slow.stop();
    await fast.stop();
  });

  it('does not hold up the synchronization of the others', async () => {
    await slow.freeze();
    await api.make('domain', { name: names.slow });
    const { id } = await api.make('domain', { name: names.fast });
    const usersOf = async () =>
      assertOk(await api.get('/v3/users')).users.filter((user: { domain_id: string }) => user.domain_id === id);
    const until = Date.now() + WAIT_MS;
    const waitFor = async (many: number) => {
      while ((await usersOf()).length < many) {
        assert.ok(Date.now() < until, 'not synchronized in time');
        await pause(100);
      }
    };
    await waitFor(3);
    await fast.add(dnOf('newcomer'), person('newcomer'));
    await waitFor(4);
  });
});

describe('The interval at which directories are read', () => {
  const domain = new DirectoryDomain('SQLite', { slapd: { people: 3 } });
  const { api, slapd } = domain;

  it('is the one that administrators store, at once', async () => {
    await domain.synchronize();
    await slapd.change((client) => client.modify(dnOf('user1'), replace('mail', ['moved@example.org'])));
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_DIRECTORY_SYNC_SECONDS: '5' } }));
    const until = Date.now() + WAIT_MS;
    while ((await domain.user('user1')).email !== 'moved@example.org') {
      assert.ok(Date.now() < until, 'still the interval from before');
      await pause(100);
    }
  });
});

/** The parts of a synchronization on the database of a service, and a directory whose answers the test chooses. */
onEachDatabase('A synchronization', (api) => {
  const clock = new TestClock();
  const log = createLog('silent');
  const userOf = (localId: string, more: Partial<DirectoryUser> = {}): DirectoryUser => ({
    localId,
    dn: dnOf(localId),
    name: localId,
    enabled: true,
    email: null,
    description: null,
    defaultProjectId: undefined,
    extra: {},
    uniqueIds: {},
    passwordChanged: null,
    ...more,
  });

  const groupOf = (cn: string) => ({ localId: cn, dn: groupDn(cn), name: cn, description: '', extra: {} });

  /** `revokeAccess`: throws for those who cannot be closed. */
  function partsOn(db: Database, revokeAccess: (userId: string) => void = () => {}) {
    const deps = {
      db,
      clock,
      log,
      change: createChanges(db, clock),
      leftOut: createLeftOut({ log, clock }),
      passwords: { remove: async () => {} },
      revokeAccess: async (_: unknown, userId: string) => revokeAccess(userId),
      onEmailChanged: async () => {},
      onDisabled: async () => {},
      onEnabled: async () => {},
    };
    const keeping = {
      ...createUserKeeping(deps),
      ...createUserClosing(deps),
      ...createGroupKeeping(deps),
      ...createMemberKeeping(deps),
    };
    return { deps, keeping };
  }

  it('is not stopped by somebody who cannot be closed, or by a group whose members are not known', async () => {
    const domainId = (await api.make('domain', { name: uniqueName('staff') })).id;
    const db = await databaseOf(api);
    try {
      const domain = { domainId, mapped: [] };
      let stubborn = '';
      const { deps, keeping } = partsOn(db, (userId) => assert.notEqual(userId, stubborn));
      const names = ['stubborn', 'leaver', 'member', 'other'];
      const ids = await keeping.keepUsers(
        domain,
        names.map((one) => userOf(one)),
      );
      stubborn = ids.get('stubborn')!;
      const groups = await keeping.keepGroups(domain, ['broken', 'above', 'whole'].map(groupOf));
      const membersOf = async (cn: string) =>
        (await db.read.selectFrom('group_members').where('group_id', '=', groups.get(cn)!).select('user_id').execute()).map(
          ({ user_id }) => user_id,
        );
      for (const cn of groups.keys())
        await keeping.keepMembers(domainId, groups.get(cn)!, new Set([ids.get('member')!]), clock.now());
      const directory = {
        ldap: { groupMembersAreIds: false, groupAdNesting: false },
        async users(each: (users: DirectoryUser[]) => Promise<void>) {
          await each([userOf('member'), userOf('other')]);
          return { complete: true };
        },
        usersById: async () => [],
        async groups(each: (groups: object[]) => Promise<void>) {
          await each([
            { ...groupOf('broken'), members: undefined },
            { ...groupOf('above'), members: [dnOf('other'), groupDn('broken')] },
            { ...groupOf('whole'), members: [dnOf('other')] },
          ]);
          return { complete: true };
        },
        groupsById: async () => [],
      } as unknown as Directory;
      clock.advance(60);
      const sync = createSynchronize({ ...deps, ...keeping });
      const run = () => sync(directory, { domainId, users: [], groups: [] }, new AbortController().signal);
      assert.equal((await run()).closed, 1);
      for (const cn of ['broken', 'above']) assert.deepEqual(await membersOf(cn), [ids.get('member')], cn);
      assert.deepEqual(await membersOf('whole'), [ids.get('other')]);
      stubborn = '';
      assert.equal((await run()).closed, 1, 'it is tried again');
    } finally {
      await db.close();
    }
  });

  it('renames a user, and lookalikes of the new name are refused as those of any other', async () => {
    const domain = await api.make('domain', { name: uniqueName('staff') });
    const db = await databaseOf(api);
    try {
      const { keeping } = partsOn(db);
      for (const name of ['before', 'сосо'])
        await keeping.keepUsers({ domainId: domain.id, mapped: [] }, [{ ...userOf('one'), name }]);
    } finally {
      await db.close();
    }
    const create = (name: string) => api.post('/v3/users', { user: { name, domain_id: domain.id } });
    assertRefused(await create('coco'), 409, /looks like/);
    assertOk(await create('before'), 201);
  });

  it('knows less than those who logged in while it ran', async () => {
    const domainId = (await api.make('domain', { name: uniqueName('staff') })).id;
    const db = await databaseOf(api);
    try {
      const { deps, keeping } = partsOn(db);
      const domain = { domainId, mapped: [] };
      const ids = await keeping.keepUsers(
        domain,
        ['old', 'leaver', 'other'].map((one) => userOf(one)),
      );
      const admins = groupOf('admins');
      const groupId = (await keeping.keepGroups(domain, [admins])).get('admins')!;
      clock.advance(60);
      const logIn = async (user: DirectoryUser, groups: readonly string[]) => {
        clock.advance(1);
        const id = (await keeping.keepUsers(domain, [user])).get(user.localId)!;
        await keeping.noteLogin(id);
        await keeping.keepGroupsOf(domainId, id, new Set(groups));
        return id;
      };
      // A replica that lags behind: it lists people as they were, and knows no newcomers.
      const directory = {
        ldap: { groupMembersAreIds: false, groupAdNesting: false },
        async users(each: (users: DirectoryUser[]) => Promise<void>) {
          const listed = [userOf('old'), userOf('other')];
          await logIn(userOf('newcomer'), [groupId]);
          await logIn(userOf('old', { enabled: false }), []);
          await each(listed);
          return { complete: true };
        },
        usersById: async () => [],
        async groups(each: (groups: object[]) => Promise<void>) {
          await each([{ ...admins, members: [dnOf('old'), dnOf('other')] }]);
          return { complete: true };
        },
        groupsById: async () => [],
      } as unknown as Directory;
      const sync = createSynchronize({ ...deps, ...keeping });
      const outcome = await sync(directory, { domainId, users: [], groups: [] }, new AbortController().signal);
      assert.equal(outcome.closed, 1);
      const rows = await db.read
        .selectFrom('users')
        .where('domain_id', '=', domainId)
        .select(['name', 'enabled', 'id'])
        .execute();
      assert.deepEqual(Object.fromEntries(rows.map(({ name, enabled }) => [name, enabled])), {
        old: 0,
        leaver: 0,
        other: 1,
        newcomer: 1,
      });
      const members = await db.read.selectFrom('group_members').where('group_id', '=', groupId).select('user_id').execute();
      const newcomer = rows.find(({ name }) => name === 'newcomer')!.id;
      assert.deepEqual(members.map(({ user_id }) => user_id).sort(), [newcomer, ids.get('other')!].sort());
    } finally {
      await db.close();
    }
  });
});

describe('The log at the start', () => {
  it('warns of passwords that others can read on the network', () => {
    const warned = (url: string[], more: object = {}) => {
      const texts: string[] = [];
      const log = { warn: (_: object, text: string) => void texts.push(text) } as never;
      warnOfPlainText(log, 'd', { url, useTls: false, tlsReqCert: 'demand', ...more } as never);
      return texts;
    };
    assert.match(warned(['ldaps://a.example.org', 'ldap://b.example.org']).join(), /clear text/);
    assert.deepEqual(warned(['ldap://b.example.org'], { useTls: true }), []);
    assert.deepEqual(warned(['ldap://localhost', 'ldap://127.0.0.1:389', 'ldap://[::1]', 'ldaps://b.example.org']), []);
    assert.match(warned(['ldaps://b.example.org'], { tlsReqCert: 'never' }).join(), /any certificate/);
  });
});
