import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestClock } from '../../../../test/support/api.ts';
import { ENTRIES, ldapSettings } from '../../../../test/support/directory.ts';
import { dnOf, group, groupDn, PEOPLE, passwordOf, person, Slapd } from '../../../../test/support/slapd.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createDirectory, type Directory } from './directory.ts';
import type { DirectoryUser } from './entries.ts';

const PLACE = { key: 'the tests' };
const names = (found: readonly { readonly name: string }[]): string[] => found.map(({ name }) => name).sort();

describe('A directory', () => {
  const slapd = new Slapd({
    people: 3000,
    entries: {
      ...ENTRIES,
      [`cn=enabled_users,${PEOPLE}`]: group('enabled_users', [dnOf('alice')]),
      'cn=ids,ou=Groups,dc=example,dc=org': {
        objectClass: 'posixGroup',
        cn: 'ids',
        gidNumber: '7',
        memberUid: ['alice', 'user7'],
      },
    },
  });
  const opened: Directory[] = [];
  const open = (more: Readonly<Record<string, string>> = {}, url = slapd.url): Directory => {
    const directory = createDirectory({
      ldap: ldapSettings(url, more),
      domainId: 'd',
      clock: new TestClock(),
      log: createLog('silent'),
    });
    opened.push(directory);
    return directory;
  };
  async function allUsers(directory: Directory) {
    const users: DirectoryUser[] = [];
    const pages: number[] = [];
    const { complete } = await directory.users(async (page) => {
      users.push(...page);
      pages.push(page.length);
    });
    return { users, pages, complete };
  }

  before(() => slapd.start());
  after(async () => {
    for (const directory of opened) directory.close();
    await slapd.stop();
  });

  it('finds a user by name, whatever its case, and by id', async () => {
    const directory = open();
    const alice = await directory.findUserByName('ALICE');
    assert.match(alice?.uniqueIds.entryuuid ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(alice, {
      uniqueIds: { entryuuid: alice?.uniqueIds.entryuuid },
      localId: 'alice',
      dn: dnOf('alice'),
      name: 'alice',
      enabled: true,
      email: 'alice@example.org',
      description: 'Somebody',
      defaultProjectId: undefined,
      extra: { phone: '+34 600' },
      passwordChanged: null,
    });
    assert.deepEqual(await directory.findUser('alice'), alice);
    assert.equal(await directory.findUserByName('nobody'), undefined);
    assert.equal(await directory.findUser('nobody'), undefined);
  });

  it('takes names for what they are, whatever is in them', async () => {
    const directory = open();
    const odd = await directory.findUserByName('Zoë, the (first)*');
    assert.equal(odd?.localId, 'Zoë, the (first)*');
    assert.equal(await directory.authenticate(odd, 'a password', PLACE), true);
    for (const hostile of ['*', 'a*', 'alice)(uid=*', 'alice)(|(uid=*', '\\2a', 'alice\0', '(objectClass=*)'])
      assert.equal(await directory.findUserByName(hostile), undefined, hostile);
  });

  it('does not choose between two who have a name', async () => {
    assert.equal(await open().findUserByName('twin'), undefined);
    assert.equal((await open().findUser('twin1'))?.name, 'twin');
  });

  it('lists thousands of users, page by page or at once', async () => {
    const paged = await allUsers(open());
    assert.equal(paged.users.length, 3005);
    assert.ok(Math.max(...paged.pages) <= 200);
    assert.ok(paged.complete);
    const atOnce = await allUsers(open({ page_size: '0' }));
    assert.deepEqual([atOnce.users.length, atOnce.pages.length, atOnce.complete], [3005, 1, true]);
  });

  it('goes by the filter, the class and the tree of the settings', async () => {
    assert.deepEqual(names((await allUsers(open({ user_filter: '(|(uid=user1)(uid=user2))' }))).users), ['user1', 'user2']);
    assert.deepEqual((await allUsers(open({ user_objectclass: 'account' }))).users, []);
    const elsewhere = await allUsers(open({ user_tree_dn: 'ou=Nowhere,dc=example,dc=org' }));
    assert.deepEqual([elsewhere.users, elsewhere.complete], [[], false]);
    assert.throws(() => open({ user_filter: '((uid=)' }), /is no filter/);
  });

  it('finds the groups of a user through others, and ends where they go in a circle', async () => {
    const directory = open();
    const alice = (await directory.findUser('alice'))!;
    assert.deepEqual(names((await directory.groupsOf(alice)).groups), ['inner', 'middle', 'outer']);
    const bob = (await directory.findUser('bob'))!;
    assert.deepEqual(names((await directory.groupsOf(bob)).groups), ['inner', 'middle', 'others', 'outer']);
    assert.deepEqual((await directory.groupsOf((await directory.findUser('user1'))!)).groups, []);
  });

  it('finds groups that name their members by id', async () => {
    const directory = open({
      group_objectclass: 'posixGroup',
      group_member_attribute: 'memberUid',
      group_members_are_ids: 'yes',
    });
    assert.deepEqual(names((await directory.groupsOf((await directory.findUser('alice'))!)).groups), ['ids']);
  });

  it('lists groups with the members that stand in them', async () => {
    const groups = new Map<string, readonly string[]>();
    const { complete } = await open().groups(async (page) => {
      for (const { name, members } of page) groups.set(name, members!);
    });
    assert.ok(complete);
    assert.deepEqual([...groups.keys()].sort(), ['inner', 'middle', 'others', 'outer']);
    assert.equal(groups.get('outer')?.length, 2);
    assert.equal((await open().findGroupByName('OUTER'))?.description, 'All of them');
  });

  describe('knows whether an account is open', () => {
    const isOpen = async (more: Record<string, string>, uid = 'alice') => (await open(more).findUser(uid))?.enabled;
    before(async () => {
      await slapd.add(dnOf('flagged'), person('flagged', { employeeType: 'FALSE', employeeNumber: '514' }));
      await slapd.add(dnOf('open'), person('open', { employeeType: 'TRUE', employeeNumber: '512' }));
    });

    it('by a word, and by one that means the opposite', async () => {
      const word = { user_enabled_attribute: 'employeeType' };
      assert.deepEqual([await isOpen(word, 'open'), await isOpen(word, 'flagged')], [true, false]);
      assert.equal(await isOpen(word), true, 'the default');
      assert.equal(await isOpen({ ...word, user_enabled_default: 'False' }), false);
      const lock = { ...word, user_enabled_invert: 'true', user_enabled_default: 'False' };
      assert.deepEqual([await isOpen(lock, 'open'), await isOpen(lock, 'flagged'), await isOpen(lock)], [false, true, true]);
    });

    it('by a bit', async () => {
      const bits = { user_enabled_attribute: 'employeeNumber', user_enabled_mask: '2', user_enabled_default: '512' };
      assert.deepEqual([await isOpen(bits, 'open'), await isOpen(bits, 'flagged'), await isOpen(bits)], [true, false, true]);
      assert.equal(await isOpen({ ...bits, user_enabled_default: 'True' }), false, 'what is no number opens nothing');
    });

    it('by a group', async () => {
      const emulated = { user_enabled_emulation: 'true' };
      assert.deepEqual([await isOpen(emulated), await isOpen(emulated, 'user1')], [true, false]);
      const { users } = await allUsers(open(emulated));
      assert.deepEqual(names(users.filter(({ enabled }) => enabled)), ['alice']);
      const elsewhere = { ...emulated, user_enabled_emulation_dn: groupDn('others') };
      assert.deepEqual([await isOpen(elsewhere), await isOpen(elsewhere, 'bob')], [false, true]);
    });
  });

  it('checks passwords', async () => {
    const directory = open();
    const alice = await directory.findUser('alice');
    assert.equal(await directory.authenticate(alice, passwordOf('alice'), PLACE), true);
    assert.equal(await directory.authenticate(alice, 'wrong', PLACE), false);
    assert.equal(await directory.authenticate(await directory.findUser('bob'), 'anything', PLACE), false, 'has no password');
    assert.equal(await directory.authenticate(undefined, 'anything', PLACE), false);
  });

  it('says when the server gave only some', async () => {
    const limited = new Slapd({ people: 700, settings: ['sizelimit 500'] });
    await limited.start();
    try {
      for (const page_size of ['0', '100']) {
        const { users, complete } = await allUsers(open({ page_size }, limited.url));
        assert.equal(complete, false);
        assert.ok(users.length >= 400 && users.length <= 500, `${page_size}: ${users.length}`);
      }
    } finally {
      await limited.stop();
    }
  });

  it('is searched without a bind where the settings name nobody and the server allows it', async () => {
    const anonymous = new Slapd({ entries: ENTRIES, isOpen: true });
    await anonymous.start();
    try {
      assert.equal((await open({ user: '', password: '' }, anonymous.url).findUser('alice'))?.name, 'alice');
      await assert.rejects(open({ user: '', password: '' }).findUser('alice'), { code: 'directory.unavailable' });
    } finally {
      await anonymous.stop();
    }
  });

  it('whose reader has another password answers nothing, and says why in the log only', async () => {
    await assert.rejects(open({ password: 'another' }).findUser('alice'), (error: Error & { code?: string; status?: number }) => {
      assert.deepEqual([error.code, error.status], ['directory.unavailable', 503]);
      assert.doesNotMatch(error.message, /another|credentials/i);
      return true;
    });
  });
});
