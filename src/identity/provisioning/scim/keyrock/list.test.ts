import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';

const V2 = '/v3/OS-SCIM/v2';
const USERS = `${V2}/Users`;
const CORE = 'urn:scim:schemas:core:2.0';
const EXTENSION = 'urn:scim:schemas:extension:idbackend:2.0';

const query = (values: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.entries(values).map(([key, value]): [string, string] => [key, String(value)]))}`;

onEachDatabase('SCIM as Keyrock serves it: lists', (api) => {
  let domainId = '';
  const made = new Map<string, any>();
  const names = ['ann', 'Bob', 'carl', 'dora', 'eve'];

  before(async () => {
    domainId = (await api.make('domain', { name: uniqueName('list') })).id;
    for (const [at, userName] of names.entries()) {
      const body = {
        userName,
        displayName: `Number ${at}`,
        name: { familyName: at % 2 ? 'Odd' : 'Even' },
        emails: [{ value: `${userName}@example.com`, type: 'work' }, ...(at === 3 ? [{ value: 'dora@home', type: 'home' }] : [])],
        active: at !== 4,
        domain_id: domainId,
      };
      made.set(userName, assertOk(await api.post(USERS, body)));
    }
    assertOk(
      await api.post(`${V2}/Groups`, { displayName: 'crew', members: [{ value: made.get('carl').id }], domain_id: domainId }),
    );
  });

  const list = async (values: Record<string, string | number> = {}, path = USERS): Promise<any> =>
    assertOk(await api.get(path + query({ domain_id: domainId, ...values })));
  const namesOf = ({ Resources }: any): string[] => Resources.map((one: any) => one.userName).sort();

  describe('the envelope', () => {
    it('holds the resources as GET gives them, the URNs, and its numbers as numbers, with and without a slash', async () => {
      for (const path of [USERS, `${USERS}/`]) {
        const answer = await api.get(path + query({ domain_id: domainId }));
        assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
        const { Resources, ...envelope } = assertOk(answer);
        assert.deepEqual(envelope, { schemas: [CORE, EXTENSION], totalResults: 5, itemsPerPage: 5, startIndex: 1 });
        for (const user of Resources) assert.deepEqual(user, made.get(user.userName));
        assert.equal(new Set(Resources.map((user: any) => user.id)).size, 5);
      }
    });

    it('is of every domain unless one is asked for', async () => {
      const all = assertOk(await api.get(USERS));
      assert.equal(all.totalResults, all.Resources.length);
      const domains = new Set(all.Resources.map((user: any) => user[EXTENSION].domain_id));
      assert.ok(domains.has('default') && domains.has(domainId));
    });

    it('is empty for a domain that is not there', async () => {
      const { Resources, totalResults, itemsPerPage } = await list({ domain_id: 'missing' });
      assert.deepEqual([Resources, totalResults, itemsPerPage], [[], 0, 0]);
    });
  });

  describe('startIndex and count', () => {
    it('give pages that hold everything once', async () => {
      const seen: string[] = [];
      for (const [startIndex, size] of [
        [1, 2],
        [3, 2],
        [5, 1],
        [6, 0],
      ] as const) {
        const page = await list({ startIndex, count: 2 });
        assert.deepEqual([page.totalResults, page.itemsPerPage, page.startIndex], [5, size, startIndex]);
        assert.equal(page.Resources.length, size);
        seen.push(...namesOf(page));
      }
      assert.deepEqual(seen.sort(), [...names].sort());
    });

    it('work beside a filter that no index answers', async () => {
      const filter = 'displayName sw "Number"';
      const first = await list({ filter, startIndex: 1, count: 3 });
      const second = await list({ filter, startIndex: 4, count: 3 });
      assert.deepEqual([first.totalResults, first.itemsPerPage, second.totalResults, second.itemsPerPage], [5, 3, 5, 2]);
      assert.deepEqual([...namesOf(first), ...namesOf(second)].sort(), [...names].sort());
    });

    it('count from 1, and a count of 0 only counts', async () => {
      const { startIndex, itemsPerPage } = await list({ startIndex: 0 });
      assert.deepEqual([startIndex, itemsPerPage], [1, 5]);
      const none = await list({ count: 0 });
      assert.deepEqual([none.totalResults, none.itemsPerPage, none.Resources], [5, 0, []]);
    });

    it('that are no numbers are 400', async () => {
      assertRefused(await api.get(`${USERS}?startIndex=abc`), 400, /startIndex/);
      assertRefused(await api.get(`${USERS}?count=abc`), 400, /count/);
    });

    it('are what there is: a cursor of the standard API changes nothing', async () => {
      const page = await list({ cursor: '', count: 2, filter: 'displayName sw "Number"' });
      assert.deepEqual([page.totalResults, page.itemsPerPage, page.nextCursor], [5, 2, undefined]);
    });
  });

  describe('filter', () => {
    const finds: Record<string, string[]> = {
      'userName eq "ann"': ['ann'],
      'userName eq "BOB"': ['Bob'],
      'USERNAME EQ "ann"': ['ann'],
      'userName ne "ann"': ['Bob', 'carl', 'dora', 'eve'],
      'userName sw "a"': ['ann'],
      'userName ew "e"': ['eve'],
      'userName co "ar"': ['carl'],
      'userName gt "carl"': ['dora', 'eve'],
      'userName le "bob"': ['Bob', 'ann'],
      'active eq false': ['eve'],
      'displayName pr and not (active eq true)': ['eve'],
      'name.familyName eq "Odd"': ['Bob', 'dora'],
      'emails eq "carl@example.com"': ['carl'],
      'emails.type eq "home"': ['dora'],
      'emails[type eq "work" and value sw "ann"]': ['ann'],
      'emails[type eq "home" and value sw "ann"]': [],
      '(userName eq "ann" or userName eq "Bob") and name.familyName eq "Odd"': ['Bob'],
      'userName eq "ann" or userName eq "Bob" and active eq false': ['ann'],
      'groups.display eq "crew"': ['carl'],
      'nickName pr': [],
      'meta.created gt "2001-01-01T00:00:00Z"': names,
      'meta.created lt "2001-01-01T00:00:00Z"': [],
    };
    for (const [filter, expected] of Object.entries(finds)) {
      it(`takes ${filter}`, async () => {
        const found = await list({ filter });
        assert.deepEqual(namesOf(found), [...expected].sort());
        assert.equal(found.totalResults, expected.length);
      });
    }

    it('reaches into the extension', async () => {
      const ann = made.get('ann');
      const all = async (filter: string) => assertOk(await api.get(USERS + query({ filter })));
      assert.deepEqual(namesOf(await all(`${EXTENSION}:domain_id eq "${domainId}"`)), [...names].sort());
      const byProject = `${EXTENSION}:default_project_id eq "${ann[EXTENSION].default_project_id}"`;
      assert.deepEqual(namesOf(await all(byProject)), ['ann']);
    });

    it('that does not parse is 400', async () => {
      const broken = [
        'userName',
        'userName eq',
        'userName is "x"',
        '(userName eq "x"',
        'userName eq "x',
        'emails[type eq "work"',
        '"x"',
      ];
      for (const filter of broken) assertRefused(await api.get(USERS + query({ filter })), 400, /filter/i);
    });

    it('that finds nothing leaves an empty list', async () => {
      const { totalResults, itemsPerPage, Resources } = await list({ filter: 'userName eq "nobody"' });
      assert.deepEqual([totalResults, itemsPerPage, Resources], [0, 0, []]);
    });
  });

  describe('the equality filters of Keyrock', () => {
    it('are name and enabled, beside domain_id', async () => {
      assert.deepEqual(namesOf(await list({ name: 'ann' })), ['ann']);
      assert.deepEqual(namesOf(await list({ name: 'an' })), []);
      for (const no of ['false', 'False', '0']) assert.deepEqual(namesOf(await list({ enabled: no })), ['eve']);
      for (const yes of ['true', 'TRUE', '1'])
        assert.deepEqual(namesOf(await list({ enabled: yes })), ['Bob', 'ann', 'carl', 'dora']);
    });

    it('can be combined with one another and with filter', async () => {
      assert.deepEqual(namesOf(await list({ name: 'eve', enabled: 'true' })), []);
      assert.deepEqual(namesOf(await list({ name: 'eve', enabled: 'false' })), ['eve']);
      const found = await list({ enabled: 'true', filter: 'name.familyName eq "Even"' });
      assert.deepEqual([namesOf(found), found.totalResults], [['ann', 'carl'], 2]);
    });

    it('refuse a bad value with 400', async () => {
      assertRefused(await api.get(`${USERS}?enabled=perhaps`), 400, /enabled/);
    });

    it('leave groups, which have no such state, as they are', async () => {
      const found = await list({ enabled: 'true' }, `${V2}/Groups`);
      assert.deepEqual(
        found.Resources.map((group: any) => group.displayName),
        ['crew'],
      );
    });

    it('take unknown keys for nothing', async () => {
      assert.equal((await list({ colour: 'red' })).totalResults, 5);
    });
  });

  describe('attributes and excludedAttributes', () => {
    it('choose what a list and a single answer show', async () => {
      const ann = made.get('ann');
      const cases: [Record<string, string>, string[]][] = [
        [{ attributes: 'userName' }, ['schemas', 'id', 'userName']],
        [{ attributes: 'emails.value,active' }, ['schemas', 'id', 'active', 'emails']],
        [{ attributes: `${EXTENSION}:domain_id` }, ['schemas', 'id', EXTENSION]],
        [{ excludedAttributes: `emails,meta,name,${EXTENSION}` }, ['schemas', 'id', 'userName', 'active', 'displayName']],
        [
          { excludedAttributes: 'id,schemas,emails,name' },
          ['schemas', 'id', 'userName', 'active', 'displayName', EXTENSION, 'meta'],
        ],
      ];
      for (const [asked, keys] of cases) {
        const one = assertOk(await api.get(`${USERS}/${ann.id}${query(asked)}`));
        const [listed] = (await list({ ...asked, name: 'ann' })).Resources;
        assert.deepEqual(Object.keys(one).sort(), [...keys].sort());
        assert.deepEqual(listed, one);
        assert.deepEqual(one.schemas, ann.schemas);
      }
    });

    it('do not bring up the groups of a user, which this API never showed', async () => {
      for (const asked of [{}, { attributes: 'groups,userName' }]) {
        const one = assertOk(await api.get(`${USERS}/${made.get('carl').id}${query(asked)}`));
        assert.deepEqual([one.userName, one.groups], ['carl', undefined]);
      }
    });

    it('go down to parts', async () => {
      const one = assertOk(
        await api.get(`${USERS}/${made.get('dora').id}${query({ attributes: `emails.value,${EXTENSION}:domain_id` })}`),
      );
      assert.deepEqual(one.emails, [{ value: 'dora@example.com' }, { value: 'dora@home' }]);
      assert.deepEqual(one[EXTENSION], { domain_id: domainId });
    });
  });

  it('shows an administrator of one domain that domain only', async () => {
    const { token, user } = await api.persona(['admin'], { domain: domainId }, { domain_id: domainId });
    const seen = assertOk(await api.get(USERS, { token }));
    assert.deepEqual(namesOf(seen), [...names, user.name].sort());
    assertOk(await api.delete(`/v3/users/${user.id}`), 204);
  });
});
