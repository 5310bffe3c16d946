import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';
import {
  assertScimRefused,
  connect,
  ENTERPRISE,
  idsIn,
  LIST,
  ORGANIZATION,
  patchOf,
  type ScimClient,
  SEARCH,
  USER,
} from '../../../../../test/support/scim.ts';

const people: Record<string, unknown>[] = [
  {
    userName: 'Anna',
    externalId: 'E1',
    title: 'Guide',
    name: { familyName: 'Ärmel', givenName: 'Anna' },
    emails: [
      { value: 'anna@work.example', type: 'work', primary: true },
      { value: 'zz@home.example', type: 'home' },
    ],
    [ENTERPRISE]: { employeeNumber: '100', department: 'Tours' },
  },
  { userName: 'bo', externalId: 'e1', title: 'guide dog', emails: [{ value: 'bo@home.example', type: 'home' }], active: false },
  { userName: 'Cy', title: 'Zookeeper', emails: [{ value: 'anna@work.example', type: 'home' }], [ENTERPRISE]: { division: 'X' } },
  { userName: 'dora', displayName: 'Guide of guides' },
  { userName: 'ÉMILE', title: '100', phoneNumbers: [{ value: '+1', type: 'work' }] },
];

onEachDatabase('SCIM lists', (api) => {
  let scim: ScimClient;
  const made = new Map<string, any>();
  before(async () => {
    scim = (await connect(api)).scim;
    for (const person of people) made.set(person.userName as string, await scim.makeUser(person));
    const id = made.get('Anna').id;
    made.set('guides', await scim.makeGroup({ displayName: 'Guides', members: [{ value: id }] }));
    assertOk(await scim.patch(`/Users/${made.get('dora').id}`, patchOf({ op: 'add', path: 'nickName', value: 'Dori' })), 204);
  });

  const namesIn = (list: any): string[] => list.Resources.map(({ userName }: any) => userName);
  const found = async (filter: string, query: Record<string, string | number> = {}) =>
    namesIn(await scim.list('/Users', { filter, ...query }));

  describe('filters', () => {
    const expected: [string, string][] = [
      ['userName eq "anna"', 'Anna'],
      ['USERNAME Eq "ANNA"', 'Anna'],
      [`${USER}:userName eq "anna"`, 'Anna'],
      ['userName eq "émile"', 'ÉMILE'],
      ['externalId eq "E1"', 'Anna'],
      ['externalId eq "nothing"', ''],
      ['title ne "guide"', 'Cy bo dora ÉMILE'],
      ['title co "GUIDE"', 'Anna bo'],
      ['title sw "guide "', 'bo'],
      ['title ew "keeper"', 'Cy'],
      ['userName gt "bo"', 'Cy dora ÉMILE'],
      ['userName ge "bo"', 'Cy bo dora ÉMILE'],
      ['userName lt "bo"', 'Anna'],
      ['userName le "bo"', 'Anna bo'],
      ['title pr', 'Anna Cy bo ÉMILE'],
      ['not (title pr)', 'dora'],
      ['title eq null', 'dora'],
      ['title eq 100', 'ÉMILE'],
      ['active eq false', 'bo'],
      ['active eq "True"', 'Anna Cy dora ÉMILE'],
      ['active ne true', 'bo'],
      ['name.familyName eq "ärmel"', 'Anna'],
      ['emails.value eq "ANNA@work.example"', 'Anna Cy'],
      ['emails eq "anna@work.example"', 'Anna Cy'],
      ['emails[type eq "work" and value eq "anna@work.example"]', 'Anna'],
      ['emails[type eq "home"].value eq "anna@work.example"', 'Cy'],
      ['emails.type eq "home" and emails.value sw "anna"', 'Anna Cy'],
      ['emails[type eq "home" and value sw "anna"]', 'Cy'],
      ['emails pr and not (emails.type eq "work")', 'Cy bo'],
      [`${ENTERPRISE}:employeeNumber eq "100"`, 'Anna'],
      [`${ENTERPRISE}:division pr`, 'Cy'],
      ['userName eq "anna" or userName eq "bo" and title eq "nothing"', 'Anna'],
      ['(userName eq "anna" or userName eq "bo") and active eq true', 'Anna'],
      ['userName eq "anna" and active eq false', ''],
      ['groups.display eq "guides"', 'Anna'],
      ['groups pr', 'Anna'],
      ['meta.resourceType eq "User"', 'Anna Cy bo dora ÉMILE'],
      ['meta.lastModified gt "2999-01-01T00:00:00Z"', ''],
      ['meta.created gt "2001-01-01T00:00:00Z" and userName sw "d"', 'dora'],
      ['nothingWeKnow eq "x"', ''],
      ['not (nothingWeKnow eq "x") and userName sw "a"', 'Anna'],
    ];
    for (const [filter, names] of expected) {
      it(`find with: ${filter}`, async () => {
        const wanted = names === '' ? [] : names.split(' ');
        assert.deepEqual((await found(filter)).sort(), wanted);
        const list = await scim.list('/Users', { filter, count: 1 });
        assert.deepEqual([list.totalResults, list.Resources.length], [wanted.length, Math.min(1, wanted.length)]);
      });
    }

    it('find by identifiers of users and groups, and by when they changed', async () => {
      assert.deepEqual(await found(`groups.value eq "${made.get('guides').id}"`), ['Anna']);
      assert.deepEqual(await found(`id eq "${made.get('bo').id}"`), ['bo']);
      assert.deepEqual(await found(`id eq "${made.get('bo').id.toUpperCase()}"`), []);
      const { lastModified } = (await scim.show(`/Users/${made.get('dora').id}`)).meta;
      for (const [operator, within] of Object.entries({ eq: true, ge: true, le: true, gt: false, lt: false, ne: false })) {
        assert.equal((await found(`meta.lastModified ${operator} "${lastModified}"`)).includes('dora'), within, operator);
      }
    });

    it('that cannot be read are 400 invalidFilter', async () => {
      for (const filter of ['userName', 'userName zz "x"', 'userName eq "x', '(userName pr', 'active gt true']) {
        assertScimRefused(await scim.get(`/Users?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter');
      }
    });
  });

  describe('order', () => {
    const sorted = async (sortBy: string, sortOrder?: string) =>
      namesIn(await scim.list('/Users', { sortBy, ...(sortOrder ? { sortOrder } : {}) }));

    it('is by an attribute in any case, with those that lack it last, and first when descending', async () => {
      assert.deepEqual((await sorted('userName')).slice(0, 4), ['Anna', 'bo', 'Cy', 'dora']);
      assert.deepEqual((await sorted('USERNAME', 'descending')).slice(1), ['dora', 'Cy', 'bo', 'Anna']);
      assert.deepEqual(await sorted('title'), ['ÉMILE', 'Anna', 'bo', 'Cy', 'dora']);
      assert.deepEqual(await sorted('title', 'descending'), ['dora', 'Cy', 'bo', 'Anna', 'ÉMILE']);
      assert.deepEqual((await sorted('emails.value')).slice(0, 3).sort(), ['Anna', 'Cy', 'bo'].sort());
      assert.equal((await sorted('emails'))[2], 'bo');
      assert.equal((await sorted('meta.lastModified')).at(-1), 'dora');
      assert.equal((await sorted('meta.lastModified', 'Descending'))[0], 'dora');
    });

    it('stays as it is for an attribute there is not, or that nobody may see', async () => {
      const plain = namesIn(await scim.list('/Users'));
      for (const sortBy of ['nothing', 'password', '']) assert.deepEqual(await sorted(sortBy), plain);
    });

    it('holds within pages and filters', async () => {
      const query = { sortBy: 'title', filter: 'title pr' };
      const pages = [];
      for (const startIndex of [1, 3, 5]) pages.push(await scim.list('/Users', { ...query, startIndex, count: 2 }));
      assert.deepEqual(pages.flatMap(namesIn), ['ÉMILE', 'Anna', 'bo', 'Cy']);
      assert.deepEqual(
        pages.map(({ totalResults }) => totalResults),
        [4, 4, 4],
      );
    });
  });

  describe('pages by number', () => {
    it('begin at 1 and say how many there are', async () => {
      const whole = await scim.list('/Users');
      assert.deepEqual([whole.schemas, whole.totalResults, whole.itemsPerPage, whole.startIndex], [[LIST], 5, 5, 1]);
      assert.equal('nextCursor' in whole, false);
      const middle = await scim.list('/Users', { startIndex: 2, count: 2 });
      assert.deepEqual([middle.totalResults, middle.itemsPerPage, middle.startIndex], [5, 2, 2]);
      assert.deepEqual(middle.Resources, whole.Resources.slice(1, 3));
    });

    it('take 0 and less for the smallest there is, and show nothing beyond the end', async () => {
      for (const query of [
        { count: 0 },
        { count: -5 },
        { startIndex: 6 },
        { startIndex: 999_999_999 },
        { startIndex: 6, count: 0 },
      ]) {
        const { totalResults, itemsPerPage, Resources } = await scim.list('/Users', query);
        assert.deepEqual([totalResults, itemsPerPage, Resources], [5, 0, []], JSON.stringify(query));
        const filtered = await scim.list('/Users', { ...query, filter: 'userName pr' });
        assert.deepEqual([filtered.totalResults, filtered.Resources], [5, []]);
      }
      for (const startIndex of [0, -7]) {
        const { startIndex: used, Resources } = await scim.list('/Users', { startIndex, count: 1 });
        assert.deepEqual([used, Resources.length], [1, 1]);
      }
      assert.equal((await scim.list('/Users', { count: 100_000 })).Resources.length, 5);
    });

    it('are 400 for what is no number', async () => {
      for (const value of ['x', '1.5', '1e2', '0x1', 'NaN']) {
        assertScimRefused(await scim.get(`/Users?count=${value}`), 400, 'invalidCount');
        assertScimRefused(await scim.get(`/Users?startIndex=${value}`), 400, 'invalidValue');
      }
    });
  });

  describe('.search', () => {
    it('is the same list by a message', async () => {
      const query = { filter: 'title pr', sortBy: 'title', sortOrder: 'descending', startIndex: 2, count: 2 };
      const answer = await scim.post('/Users/.search', { schemas: [SEARCH], ...query, attributes: ['userName', 'title'] });
      assert.deepEqual(assertOk(answer), await scim.list('/Users', { ...query, attributes: 'userName,title' }));
      assert.deepEqual(namesIn(answer.body), ['bo', 'Anna']);
      const groups = await scim.post('/Groups/.search', { schemas: [SEARCH], filter: 'displayName eq "guides"' });
      assert.deepEqual(idsIn(assertOk(groups)), [made.get('guides').id]);
    });

    it('at the root looks among everything, in one count', async () => {
      const search = async (query: Record<string, unknown>) =>
        assertOk(await scim.post('/.search', { schemas: [SEARCH], ...query }));
      const both = await search({ filter: 'displayName co "guide"', excludedAttributes: ['members'] });
      assert.deepEqual(idsIn(both), [made.get('dora').id, made.get('guides').id]);
      assert.equal(both.Resources[1].members, undefined);
      const all = await search({});
      const total = (await scim.list('/Organizations')).totalResults + 6;
      assert.deepEqual([all.totalResults, all.Resources.length], [total, total]);
      const paged: string[] = [];
      for (let startIndex = 1; startIndex <= total; startIndex += 2) {
        const page = await search({ startIndex, count: 2 });
        assert.deepEqual([page.totalResults, page.startIndex], [total, startIndex]);
        paged.push(...idsIn(page));
      }
      assert.deepEqual(paged, idsIn(all));
      assertScimRefused(await scim.post('/.search', { schemas: [SEARCH], filter: 'x' }), 400, 'invalidFilter');
    });
  });

  describe('attributes and excludedAttributes', () => {
    const keys = (resource: any) => Object.keys(resource).sort();

    it('choose what is shown, of one and of many; what is always shown stays', async () => {
      const path = `/Users/${made.get('Anna').id}`;
      const show = async (query: string) => {
        const one = await scim.show(`${path}?${query}`);
        const { body } = await scim.get(`/Users?filter=${encodeURIComponent('userName eq "anna"')}&${query}`);
        assert.deepEqual(body.Resources, [one]);
        return one;
      };
      assert.deepEqual(keys(await show('attributes=userName')), ['id', 'schemas', 'userName']);
      const parts = await show('attributes=name.givenName,EMAILS.value,nothing');
      assert.deepEqual(parts.name, { givenName: 'Anna' });
      assert.deepEqual(parts.emails, [{ value: 'anna@work.example' }, { value: 'zz@home.example' }]);
      assert.deepEqual(keys(await show(`attributes=${ENTERPRISE}:department`)), ['id', 'schemas', ENTERPRISE]);
      assert.deepEqual((await show('attributes=groups')).groups[0].value, made.get('guides').id);
      const less = await show('excludedAttributes=emails,meta.version,id,groups');
      assert.deepEqual(keys(less), ['active', 'externalId', 'id', 'meta', 'name', 'schemas', 'title', ENTERPRISE, 'userName']);
      assert.equal(less.meta.version, undefined);
      assert.equal(less.meta.resourceType, 'User');
    });
  });

  it('count right after each one that comes and goes, in the SCIM API and in the base API', async () => {
    const { scim: client, domain } = await connect(api);
    const count = async () => (await client.list('/Users', { count: 0 })).totalResults;
    assert.equal(await count(), 0);
    const users = [];
    for (let number = 1; number <= 3; number++) {
      users.push(await client.makeUser());
      assert.equal(await count(), number);
    }
    const based = await api.make('user', { name: uniqueName('counted'), domain_id: domain.id });
    assert.equal(await count(), 4);
    assertOk(await api.delete(`/v3/users/${based.id}`), 204);
    assert.equal(await count(), 3);
    for (const { id } of users) assertOk(await client.delete(`/Users/${id}`), 204);
    assert.equal(await count(), 0);
    const { id } = await client.makeGroup();
    assert.equal((await client.list('/Groups', { count: 0 })).totalResults, 1);
    assertOk(await client.delete(`/Groups/${id}`), 204);
    assert.equal((await client.list('/Groups', { count: 0 })).totalResults, 0);
  });

  describe('organizations', () => {
    it('are made, shown, found, replaced, patched, counted and deleted', async () => {
      const { scim: client, domain } = await connect(api);
      const count = async () => (await client.list('/Organizations', { count: 0 })).totalResults;
      assert.equal(await count(), 0);
      const beta = await client.makeOrganization({ name: 'beta', externalId: 'o-1', description: 'Second' });
      const alpha = await client.makeOrganization({ name: 'alpha', active: false });
      assert.equal(await count(), 2);
      const { meta, ...shown } = beta;
      const rest = { name: 'beta', externalId: 'o-1', description: 'Second', active: true, isDefault: false };
      assert.deepEqual(shown, { schemas: [ORGANIZATION], id: beta.id, ...rest });
      assert.equal(meta.location, `${api.url}/scim/v2/Organizations/${beta.id}`);
      const { project } = assertOk(await api.get(`/v3/projects/${beta.id}`));
      assert.deepEqual([project.name, project.domain_id, project.description], ['beta', domain.id, 'Second']);
      assertScimRefused(await client.post('/Organizations', { schemas: [ORGANIZATION], name: 'beta' }), 409, 'uniqueness');

      const list = async (query: Record<string, string>) => idsIn(await client.list('/Organizations', query));
      assert.deepEqual(await list({ filter: 'name eq "beta"' }), [beta.id]);
      assert.deepEqual(await list({ filter: 'name eq "BETA"' }), []);
      assert.deepEqual(await list({ filter: 'active eq false' }), [alpha.id]);
      assert.deepEqual(await list({ filter: 'description co "sec"' }), [beta.id]);
      assert.deepEqual(await list({ sortBy: 'name', sortOrder: 'descending' }), [beta.id, alpha.id]);

      const replaced = assertOk(await client.put(`/Organizations/${alpha.id}`, { schemas: [ORGANIZATION], name: 'gamma' }));
      assert.deepEqual([replaced.name, replaced.active, replaced.description], ['gamma', false, undefined]);
      const change = patchOf({ op: 'replace', path: 'active', value: true });
      assertScimRefused(await client.patch(`/Organizations/${alpha.id}`, change, { 'If-Match': alpha.meta.version }), 412);
      assertOk(await client.patch(`/Organizations/${alpha.id}`, change), 204);
      assert.equal((await client.show(`/Organizations/${alpha.id}`)).active, true);
      assertOk(await client.delete(`/Organizations/${alpha.id}`), 204);
      assertScimRefused(await client.get(`/Organizations/${alpha.id}`), 404);
      assert.equal(await count(), 1);
    });
  });
});
