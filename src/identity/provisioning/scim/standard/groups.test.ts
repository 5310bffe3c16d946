import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { assertScimRefused, connect, GROUP, idsIn, patchOf, type ScimClient } from '../../../../../test/support/scim.ts';

onEachDatabase('SCIM groups', (api) => {
  let scim: ScimClient;
  let domainId: string;
  before(async () => {
    const made = await connect(api);
    scim = made.scim;
    domainId = made.domain.id;
  });

  const makeUsers = (count: number): Promise<any[]> => Promise.all(Array.from({ length: count }, () => scim.makeUser()));
  const membersOf = async (group: { id: string }): Promise<string[]> =>
    ((await scim.show(`/Groups/${group.id}`)).members ?? []).map(({ value }: { value: string }) => value).sort();
  const idsOf = (users: readonly { id: string }[]): string[] => users.map(({ id }) => id).sort();
  const named = (users: readonly { id: string }[]) => users.map(({ id }) => ({ value: id }));
  const change = async (group: { id: string }, ...operations: Record<string, unknown>[]) =>
    assertOk(await scim.patch(`/Groups/${group.id}`, patchOf(...operations)), 204);

  it('makes a group with members, shown by where they are and what they are called', async () => {
    const [plain, shown] = [await scim.makeUser(), await scim.makeUser({ displayName: 'Bo Bond' })];
    const displayName = uniqueName('Tour Guides');
    const answer = await scim.post('/Groups', {
      schemas: [GROUP],
      externalId: 'e-7',
      displayName,
      members: [{ value: plain.id, display: 'As the client has it' }, { value: shown.id }],
    });
    assert.equal(answer.status, 201, answer.text);
    const { meta, members, ...rest } = answer.body;
    assert.deepEqual(rest, { schemas: [GROUP], id: rest.id, externalId: 'e-7', displayName });
    assert.deepEqual([meta.resourceType, meta.location], ['Group', `${api.url}/scim/v2/Groups/${rest.id}`]);
    assert.deepEqual([answer.headers.get('location'), answer.headers.get('etag')], [meta.location, meta.version]);
    const byId = new Map(members.map((member: { value: string }) => [member.value, member]));
    assert.deepEqual(byId.get(plain.id), {
      value: plain.id,
      $ref: plain.meta.location,
      type: 'User',
      display: 'As the client has it',
    });
    assert.deepEqual(byId.get(shown.id), { value: shown.id, $ref: shown.meta.location, type: 'User', display: 'Bo Bond' });
    assert.deepEqual((await scim.get(`/Groups/${rest.id}`)).body, answer.body);
    const base = assertOk(await api.get(`/v3/groups/${rest.id}/users`));
    assert.deepEqual(idsOf(base.users), idsOf([plain, shown]));
    assert.equal(assertOk(await api.get(`/v3/groups/${rest.id}`)).group.domain_id, domainId);
  });

  it('refuses a group without a name, with a name that is taken, and with members that are nothing', async () => {
    const { displayName } = await scim.makeGroup();
    assertScimRefused(await scim.post('/Groups', { schemas: [GROUP] }), 400, 'invalidValue');
    assertScimRefused(await scim.post('/Groups', { schemas: [GROUP], displayName }), 409, 'uniqueness');
    const members = [{ display: 'nobody' }];
    assertScimRefused(
      await scim.post('/Groups', { schemas: [GROUP], displayName: uniqueName('g'), members }),
      400,
      'invalidValue',
    );
    assertScimRefused(await scim.get('/Groups/nothing'), 404);
    assertScimRefused(await scim.put('/Groups/nothing', { schemas: [GROUP], displayName: 'x' }), 404);
    assertScimRefused(await scim.delete('/Groups/nothing'), 404);
  });

  describe('members', () => {
    it('are added, once each, by list, by one, and without a path', async () => {
      const users = await makeUsers(4);
      const group = await scim.makeGroup({ members: named(users.slice(0, 1)) });
      await change(group, { op: 'add', path: 'members', value: named(users.slice(0, 2)) });
      await change(group, { op: 'Add', path: 'members', value: { value: users[2].id } });
      await change(group, { op: 'add', value: { members: named(users.slice(3)) } });
      assert.deepEqual(await membersOf(group), idsOf(users));
    });

    it('are removed by filter, by value as Entra has it, and all at once', async () => {
      const users = await makeUsers(4);
      const group = await scim.makeGroup({ members: named(users) });
      await change(group, { op: 'remove', path: `members[value eq "${users[0].id}"]` });
      assert.deepEqual(await membersOf(group), idsOf(users.slice(1)));
      await change(group, { op: 'Remove', path: 'members', value: named(users.slice(1, 2)) });
      assert.deepEqual(await membersOf(group), idsOf(users.slice(2)));
      await change(group, { op: 'remove', path: `members[display eq "${users[2].userName}"]` });
      assert.deepEqual(await membersOf(group), idsOf(users.slice(3)));
      await change(group, { op: 'remove', path: `members[value eq "${users[0].id}"]` });
      await change(group, { op: 'remove', path: 'members' });
      assert.deepEqual(await membersOf(group), []);
      assert.equal('members' in (await scim.show(`/Groups/${group.id}`)), false);
    });

    it('are replaced by PATCH and by PUT, which takes away those it does not name', async () => {
      const users = await makeUsers(3);
      const group = await scim.makeGroup({ externalId: 'x', members: named(users.slice(0, 2)) });
      await change(group, { op: 'replace', path: 'members', value: named(users.slice(1)) });
      assert.deepEqual(await membersOf(group), idsOf(users.slice(1)));
      const body = { schemas: [GROUP], displayName: group.displayName };
      const replaced = assertOk(await scim.put(`/Groups/${group.id}`, { ...body, members: named(users.slice(0, 1)) }));
      assert.deepEqual([replaced.members.length, replaced.externalId], [1, undefined]);
      assert.deepEqual(await membersOf(group), idsOf(users.slice(0, 1)));
      assertOk(await scim.put(`/Groups/${group.id}`, body));
      assert.deepEqual(await membersOf(group), []);
    });

    it('change in the order of the operations, together with the name', async () => {
      const users = await makeUsers(2);
      const group = await scim.makeGroup({ members: named(users.slice(0, 1)) });
      const displayName = uniqueName('renamed');
      await change(
        group,
        { op: 'remove', path: 'members' },
        { op: 'add', path: 'members', value: named(users) },
        { op: 'remove', path: `members[value eq "${users[0].id}"]` },
        { op: 'replace', path: 'displayName', value: displayName },
      );
      assert.deepEqual(await membersOf(group), idsOf(users.slice(1)));
      assert.equal((await scim.show(`/Groups/${group.id}`)).displayName, displayName);
    });

    it('keep the display the client gave them when they are added once more without', async () => {
      const user = await scim.makeUser();
      const group = await scim.makeGroup({ members: [{ value: user.id, display: 'Kept' }] });
      await change(group, { op: 'add', path: 'members', value: named([user]) });
      assert.equal((await scim.show(`/Groups/${group.id}`)).members[0].display, 'Kept');
      await change(group, { op: 'add', path: 'members', value: [{ value: user.id, display: 'New' }] });
      assert.equal((await scim.show(`/Groups/${group.id}`)).members[0].display, 'New');
    });

    it('that nobody knows or that are of another domain are left out, in POST, PUT and PATCH', async () => {
      const own = await scim.makeUser();
      const foreign = await (await connect(api)).scim.makeUser();
      const all = named([own, foreign, { id: 'nobody' }]);
      const group = await scim.makeGroup({ members: all });
      assert.deepEqual(await membersOf(group), [own.id]);
      assertOk(await scim.put(`/Groups/${group.id}`, { schemas: [GROUP], displayName: group.displayName, members: all }));
      assert.deepEqual(await membersOf(group), [own.id]);
      await change(group, { op: 'add', path: 'members', value: all }, { op: 'replace', path: 'members', value: all });
      assert.deepEqual(await membersOf(group), [own.id]);
    });

    it('go when the user goes', async () => {
      const users = await makeUsers(2);
      const group = await scim.makeGroup({ members: named(users) });
      assertOk(await scim.delete(`/Users/${users[0].id}`), 204);
      assert.deepEqual(await membersOf(group), [users[1].id]);
    });

    it('are not in an answer that excludes them, of one group and of many', async () => {
      const [user] = await makeUsers(1);
      const group = await scim.makeGroup({ members: named([user]) });
      const one = assertOk(await scim.get(`/Groups/${group.id}?excludedAttributes=members`));
      assert.deepEqual(Object.keys(one), ['schemas', 'id', 'displayName', 'meta']);
      const filter = `displayName eq "${group.displayName}"`;
      const many = await scim.list('/Groups', { filter, excludedAttributes: 'members' });
      assert.deepEqual(many.Resources, [one]);
      assert.deepEqual(Object.keys((await scim.list('/Groups', { filter, attributes: 'members' })).Resources[0]).sort(), [
        'id',
        'members',
        'schemas',
      ]);
    });

    it('make a new version of the group, also by the base API', async () => {
      const [user] = await makeUsers(1);
      const group = await scim.makeGroup();
      const versions = [group.meta.version];
      const look = async () => versions.push((await scim.show(`/Groups/${group.id}`)).meta.version);
      await change(group, { op: 'add', path: 'members', value: named([user]) });
      await look();
      assertOk(await api.delete(`/v3/groups/${group.id}/users/${user.id}`), 204);
      await look();
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
      await look();
      const numbers = versions.map((version) => Number(/^W\/"(\d+)"$/.exec(version)![1]));
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      );
      const stale = { 'If-Match': versions[0]! };
      assertScimRefused(await scim.patch(`/Groups/${group.id}`, patchOf({ op: 'remove', path: 'members' }), stale), 412);
      assert.deepEqual(await membersOf(group), [user.id]);
    });
  });

  describe('filters', () => {
    it('tell whether a user is a member, as Entra asks', async () => {
      const [member, other] = await makeUsers(2);
      const group = await scim.makeGroup({ members: named([member]) });
      await scim.makeGroup({ members: named([member]) });
      const ask = async (user: { id: string }, attribute: string) =>
        idsIn(await scim.list('/Groups', { filter: `id eq "${group.id}" and ${attribute} eq "${user.id}"` }));
      for (const attribute of ['members', 'members.value', 'MEMBERS.Value']) {
        assert.deepEqual(await ask(member, attribute), [group.id]);
        assert.deepEqual(await ask(other, attribute), []);
      }
      assert.equal((await scim.list('/Groups', { filter: `members[value eq "${member.id}"]` })).totalResults, 2);
      // Identifiers are case-sensitive in every form of the filter.
      const upper = member.id.toUpperCase();
      for (const filter of [
        `members.value eq "${upper}"`,
        `members[value eq "${upper}"]`,
        `displayName pr and members eq "${upper}"`,
      ]) {
        assert.equal((await scim.list('/Groups', { filter })).totalResults, 0, filter);
      }
    });

    it('find a displayName in any case, of any alphabet', async () => {
      for (const [name, asked] of [
        ['Tour Guides', 'tOUR gUIDES'],
        ['Ärzte', 'äRZTE'],
        ['Ωmega', 'ωMEGA'],
      ] as const) {
        const suffix = uniqueName('');
        const { id } = await scim.makeGroup({ displayName: name + suffix });
        const found = await scim.list('/Groups', { filter: `displayName eq "${asked}${suffix}"` });
        assert.deepEqual(idsIn(found), [id], asked);
      }
      assert.equal((await scim.list('/Groups', { filter: 'displayName eq "Tour"' })).totalResults, 0);
    });
  });

  describe('changes that come together', () => {
    it('all survive: twenty clients add a member each', async () => {
      const users = await makeUsers(20);
      const group = await scim.makeGroup();
      await Promise.all(users.map((user) => change(group, { op: 'add', path: 'members', value: named([user]) })));
      assert.deepEqual(await membersOf(group), idsOf(users));
      assert.equal((await scim.show(`/Groups/${group.id}`)).meta.version, 'W/"21"');
    });

    it('all survive: clients change different attributes of a user', async () => {
      const { id } = await scim.makeUser();
      const names = ['title', 'nickName', 'displayName', 'userType', 'locale', 'timezone', 'name.givenName', 'name.familyName'];
      const changes = names.map((path) => patchOf({ op: 'replace', path, value: `of ${path}` }));
      const addresses = [1, 2, 3, 4].map((n) => patchOf({ op: 'add', path: 'emails', value: [{ value: `${n}@example.com` }] }));
      const answers = await Promise.all([...changes, ...addresses].map((body) => scim.patch(`/Users/${id}`, body)));
      for (const answer of answers) assertOk(answer, 204);
      const user = await scim.show(`/Users/${id}`);
      for (const path of names) {
        const [key, part] = path.split('.') as [string, string?];
        assert.equal(part ? user[key][part] : user[key], `of ${path}`);
      }
      assert.equal(user.emails.length, 4);
      // Each client gets the version it created, not a later one.
      assert.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, answers.length);
    });

    it('are decided for one by If-Match: of ten with the same version one is done', async () => {
      const { id, meta } = await scim.makeUser();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          scim.patch(`/Users/${id}`, patchOf({ op: 'add', path: 'title', value: `title ${n}` }), { 'If-Match': meta.version }),
        ),
      );
      const done = answers.flatMap(({ status }, n) => (status === 204 ? [n] : []));
      assert.equal(done.length, 1);
      assert.equal(answers.filter(({ status }) => status === 412).length, 9);
      assert.equal((await scim.show(`/Users/${id}`)).title, `title ${done[0]}`);
    });
  });
});
