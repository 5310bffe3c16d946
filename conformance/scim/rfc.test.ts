// What RFC 7643, 7644 and 9865 say a service provider MUST do, through HTTP. RFC.md lists the requirements and the test for each.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../test/support/api.ts';
import {
  connect,
  ENTERPRISE,
  ERROR,
  GROUP,
  hasOnly,
  isScimError,
  LIST,
  type ProvisioningClient,
  patchBody,
  USER,
} from './client.ts';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const newUser = (more: Record<string, unknown> = {}) => ({ schemas: [USER], userName: uniqueName('user'), ...more });
const newGroup = (more: Record<string, unknown> = {}) => ({ schemas: [GROUP], displayName: uniqueName('group'), ...more });

describe('RFC.md', () => {
  const here = (name: string): URL => new URL(name, import.meta.url);
  const rows = readFileSync(here('./RFC.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| 7643|^\| 7644|^\| 9865/.test(line));
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`([\w.-]+\.test\.ts)`: "([^"]+)"/g)].map(([, file, name]) => ({ file, name })),
  );
  const textOf = (file: string): string => {
    const path = [here(`./${file}`), here(`../../src/identity/provisioning/scim/core/${file}`)].find((candidate) =>
      existsSync(candidate),
    );
    return path ? readFileSync(path, 'utf8') : '';
  };
  const names = (text: string): string[] =>
    [...text.matchAll(/\b(?:it|test)\(\s*(?:'([^']+)'|"([^"]+)")/g)].map(([, a, b]) => a ?? b!);

  it('names only tests that are there', () => {
    const missing = named.filter(({ file, name }) => !names(textOf(file!)).some((one) => one.replaceAll('"', "'") === name));
    assert.deepEqual(missing, []);
  });

  it('has a test for every row, or says why there is none', () => {
    assert.ok(rows.length >= 60, `${rows.length} rows`);
    assert.deepEqual(
      rows.filter((row) => !/\.test\.ts`: "/.test(row) && !/\| (Deviation|Elsewhere): /.test(row)),
      [],
    );
  });

  it('names every test of this file that asks the service', () => {
    const asked = names(readFileSync(here('./rfc.test.ts'), 'utf8').split('onEachDatabase(')[1]!);
    const known = new Set(named.map(({ name }) => name));
    assert.deepEqual(
      asked.filter((name) => !known.has(name.replaceAll('"', "'"))),
      [],
    );
  });
});

onEachDatabase('SCIM by the RFCs', (api) => {
  let scim: ProvisioningClient;
  before(async () => {
    scim = await connect(api);
  });
  const shown = async (path: string) => (await scim.get(path)).body;
  const patched = (path: string, ...operations: Record<string, unknown>[]) =>
    scim.request('PATCH', path, patchBody(...operations));

  describe('a resource', () => {
    it('has an id of the service, whatever the client sends, and without the reserved word bulkId', async () => {
      const user = await scim.make('/Users', newUser({ id: 'mine' }));
      assert.notEqual(user.id, 'mine');
      assert.doesNotMatch(user.id, /bulkId/i);
      assert.deepEqual((await scim.put(`/Users/${user.id}`, { ...user, id: 'mine' })).body.id, user.id);
    });

    it('names its schemas once each, and those of what it holds', async () => {
      const plain = await scim.make('/Users', newUser({ schemas: [USER, USER, ENTERPRISE] }));
      assert.deepEqual(plain.schemas, [USER]);
      const staff = await scim.make('/Users', newUser({ [ENTERPRISE]: { department: 'Sales' } }));
      assert.deepEqual(staff.schemas, [USER, ENTERPRISE]);
    });

    it('has a meta that only the service writes', async () => {
      const meta = { resourceType: 'Group', created: '2001-01-01T00:00:00Z', lastModified: '2001-01-01T00:00:00Z', version: 'x' };
      const answer = await scim.post('/Users', newUser({ meta }));
      const { id, meta: storedMeta } = answer.body;
      assert.equal(storedMeta.resourceType, 'User');
      assert.ok(Date.parse(storedMeta.created) > Date.parse('2020-01-01'));
      assert.match(storedMeta.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      assert.match(storedMeta.lastModified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      assert.equal(storedMeta.location, `${api.url}/scim/v2/Users/${id}`);
      assert.equal(storedMeta.version, answer.headers.get('etag'));
    });

    it('was last modified when it was created, until it is changed', async () => {
      const { id, meta } = await scim.make('/Users', newUser());
      assert.ok(Date.parse(meta.lastModified) - Date.parse(meta.created) < 1000);
      api.clock.advance(5);
      await scim.patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'Guide' });
      const later = (await shown(`/Users/${id}`)).meta;
      assert.equal(later.created, meta.created);
      assert.ok(Date.parse(later.lastModified) > Date.parse(meta.lastModified));
    });

    it('is at its location, which is also the Content-Location', async () => {
      const { id, meta } = await scim.make('/Groups', newGroup());
      const answer = await scim.get(`/Groups/${id}`);
      assert.equal(answer.headers.get('content-location'), meta.location);
      const there = await fetch(meta.location, { headers: { Authorization: `Bearer ${scim.token}` } });
      assert.equal(((await there.json()) as { id: string }).id, id);
    });

    it('has references that lead to what they name', async () => {
      const user = await scim.make('/Users', newUser());
      const group = await scim.make('/Groups', newGroup({ members: [{ value: user.id }] }));
      const staff = await scim.make('/Users', newUser({ [ENTERPRISE]: { manager: { value: user.id } } }));
      const back = (await shown(`/Users/${user.id}`)).groups;
      const references = [group.members[0].$ref, staff[ENTERPRISE].manager.$ref, back[0].$ref];
      const found = await Promise.all(
        references.map(async (reference) => {
          const answer = await fetch(reference, { headers: { Authorization: `Bearer ${scim.token}` } });
          return ((await answer.json()) as { id: string }).id;
        }),
      );
      assert.deepEqual(found, [user.id, user.id, group.id]);
    });

    it('does not mind the order or the case of names', async () => {
      const name = uniqueName('user');
      const user = await scim.make('/Users', {
        NAME: { FamilyName: 'Jensen' },
        DISPLAYNAME: 'Babs',
        username: name,
        schemas: [USER],
      });
      assert.deepEqual([user.userName, user.displayName, user.name.familyName], [name, 'Babs', 'Jensen']);
    });

    it('takes null, an empty list and nothing for the same', async () => {
      const user = await scim.make('/Users', newUser({ nickName: null, emails: [], title: 'Guide' }));
      assert.ok(!('nickName' in user) && !('emails' in user));
      hasOnly(await scim.find('/Users', `userName eq "${user.userName}" and not (nickName pr) and emails eq null`), user.id);
    });

    it('has no more than one primary value', async () => {
      const emails = [
        { value: 'a@example.com', primary: true },
        { value: 'b@example.com', primary: true },
      ];
      isScimError(await scim.post('/Users', newUser({ emails })), 400, 'invalidValue');
    });

    it('has an externalId that counts within its domain', async () => {
      const other = await connect(api);
      const externalId = uniqueName('external');
      const [mine, theirs] = [
        await scim.make('/Users', newUser({ externalId })),
        await other.make('/Users', newUser({ externalId })),
      ];
      hasOnly(await scim.find('/Users', `externalId eq "${externalId}"`), mine.id);
      hasOnly(await other.find('/Users', `externalId eq "${externalId}"`), theirs.id);
      isScimError(await scim.get(`/Users/${theirs.id}`), 404);
      assert.equal((await scim.make('/Users', newUser())).externalId, undefined);
    });

    it('takes only dates with a time', async () => {
      hasOnly(await scim.find('/Users', 'meta.created lt "2001-01-01T00:00:00Z"'));
      isScimError(await scim.find('/Users', 'meta.created lt "yesterday"'), 400, 'invalidFilter');
    });

    it('takes only certificates in base64', async () => {
      isScimError(await scim.post('/Users', newUser({ x509Certificates: [{ value: 'not § base64' }] })), 400, 'invalidValue');
    });
  });

  describe('a user and a group', () => {
    it('need a name that is not empty', async () => {
      for (const userName of [undefined, null, '', '  '])
        isScimError(await scim.post('/Users', newUser({ userName })), 400, 'invalidValue');
      isScimError(await scim.post('/Groups', { schemas: [GROUP] }), 400, 'invalidValue');
    });

    it('a userName is unique in any case and in any form of its letters', async () => {
      const suffix = uniqueName('user');
      await scim.make('/Users', newUser({ userName: `Zoe\u0308-${suffix}` }));
      for (const userName of [`ZO\u00cb-${suffix}`, `zo\u00eb-${suffix}`])
        isScimError(await scim.post('/Users', newUser({ userName })), 409, 'uniqueness');
    });

    it('a password is never shown, nor compared', async () => {
      const password = 'correct horse battery';
      const user = await scim.make('/Users', newUser({ password }));
      const asked = await scim.get(`/Users/${user.id}?attributes=password,userName`);
      const listed = await scim.find('/Users', `userName eq "${user.userName}"`);
      for (const text of [JSON.stringify(user), asked.text, listed.text]) assert.doesNotMatch(text, /password|correct horse/);
      hasOnly(await scim.find('/Users', `userName eq "${user.userName}" and password eq "${password}"`));
      hasOnly(await scim.find('/Users', `userName eq "${user.userName}" and password sw "c"`));
    });

    it('the groups of a user are changed at the group only', async () => {
      const group = await scim.make('/Groups', newGroup());
      const user = await scim.make('/Users', newUser({ groups: [{ value: group.id }] }));
      assert.equal(user.groups, undefined);
      isScimError(
        await patched(`/Users/${user.id}`, { op: 'add', path: 'groups', value: [{ value: group.id }] }),
        400,
        'mutability',
      );
      await scim.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: user.id }] });
      assert.equal((await shown(`/Users/${user.id}`)).groups[0].value, group.id);
    });
  });

  describe('creating', () => {
    it('answers 201 with the resource and its Location', async () => {
      const answer = await scim.post('/Users', newUser());
      assert.equal(answer.status, 201);
      assert.equal(answer.headers.get('content-type'), 'application/scim+json');
      assert.equal(answer.headers.get('location'), answer.body.meta.location);
    });

    it('ignores what only the service may write, and what it does not know', async () => {
      const user = await scim.make(
        '/Users',
        newUser({ groups: [{ value: 'x' }], unheardOf: 1, 'urn:example:1.0:User': { a: 1 } }),
      );
      assert.ok(!('groups' in user) && !('unheardOf' in user));
      assert.doesNotMatch(JSON.stringify(user), /urn:example/);
    });

    it('the same twice is refused with 409 and uniqueness', async () => {
      const sent = newUser();
      await scim.make('/Users', sent);
      isScimError(await scim.post('/Users', sent), 409, 'uniqueness');
    });
  });

  describe('a list', () => {
    let lists: ProvisioningClient;
    let ids: string[];
    before(async () => {
      lists = await connect(api);
      const made: string[] = [];
      for (const [name, title] of [
        ['C', 'three'],
        ['a', 'One'],
        ['B', undefined],
        ['d', 'two'],
      ] as const) {
        const flags = name === 'd' ? { active: false } : {};
        made.push((await lists.make('/Users', newUser({ displayName: name, ...(title && { title }), ...flags }))).id);
      }
      ids = made;
    });
    const titles = async (query: string) => (await lists.get(`/Users?${query}`)).body.Resources.map((one: any) => one.title);
    const found = async (filter: string) => {
      const { body } = await lists.find('/Users', filter, 'sortBy=displayName&');
      return body.Resources.map((one: any) => one.displayName).join('');
    };

    it('is a ListResponse with its numbers', async () => {
      const { body } = await lists.get('/Users?count=3');
      assert.deepEqual(body.schemas, [LIST]);
      assert.deepEqual([body.totalResults, body.itemsPerPage, body.startIndex, body.Resources.length], [4, 3, 1, 3]);
    });

    it('of nothing is answered with 200 and a total of 0', async () => {
      hasOnly(await lists.find('/Users', 'userName eq "nobody"'));
      hasOnly(await lists.get('/Groups'));
    });

    it('takes a startIndex below 1 for 1 and a count below 0 for 0', async () => {
      const { body } = await lists.get('/Users?startIndex=-3&count=2');
      assert.deepEqual([body.startIndex, body.Resources.length], [1, 2]);
      for (const count of ['0', '-1']) {
        const none = (await lists.get(`/Users?count=${count}`)).body;
        assert.deepEqual([none.totalResults, none.Resources.length], [4, 0]);
      }
    });

    it('beyond its end is empty, with the total', async () => {
      const { body } = await lists.get('/Users?startIndex=9&count=2');
      assert.deepEqual([body.totalResults, body.Resources.length], [4, 0]);
    });

    it('knows every operator, in any case', async () => {
      const cases: Record<string, string> = {
        'displayName eq "A"': 'a',
        'DISPLAYNAME EQ "a"': 'a',
        'displayName ne "a"': 'BCd',
        'title co "o"': 'ad',
        'title sw "T"': 'Cd',
        'title ew "O"': 'd',
        'title pr': 'aCd',
        'displayName gt "b"': 'Cd',
        'displayName ge "b"': 'BCd',
        'displayName lt "b"': 'a',
        'displayName le "b"': 'aB',
        'active eq false': 'd',
        'not (title pr)': 'B',
        'meta.created gt "2001-01-01T00:00:00Z"': 'aBCd',
      };
      for (const [filter, expected] of Object.entries(cases)) assert.equal(await found(filter), expected, filter);
    });

    it('binds and closer than or, and parentheses closest', async () => {
      assert.equal(await found('displayName eq "a" or displayName eq "B" and title pr'), 'a');
      assert.equal(await found('(displayName eq "a" or displayName eq "B") and not (title pr)'), 'B');
    });

    it('compares ids and externalIds exactly, other texts in any case', async () => {
      const { id } = await lists.make('/Groups', newGroup({ externalId: 'AbC' }));
      hasOnly(await lists.find('/Groups', 'externalId eq "AbC"'), id);
      hasOnly(await lists.find('/Groups', 'externalId eq "abc"'));
      assert.equal((await lists.delete(`/Groups/${id}`)).status, 204);
    });

    it('takes an attribute that a kind does not have for one without a value', async () => {
      const { body } = await lists.post('/.search', { schemas: [SEARCH], filter: 'displayName eq "a"' });
      assert.deepEqual([body.schemas, body.totalResults, body.Resources[0].id], [[LIST], 1, ids[1]]);
      const both = await lists.post('/.search', { schemas: [SEARCH], filter: 'userName pr or name pr' });
      assert.ok(both.body.totalResults >= 4);
    });

    it('refuses a filter it cannot read with invalidFilter', async () => {
      for (const filter of [
        'userName',
        'userName eq',
        'userName xx "a"',
        '(userName eq "a"',
        'active gt true',
        'emails[type eq "x"',
      ])
        isScimError(await lists.find('/Users', filter), 400, 'invalidFilter');
    });

    it('is sorted ascending unless asked, in any case of the letters, with what has no value last', async () => {
      assert.deepEqual(await titles('sortBy=title'), ['One', 'three', 'two', undefined]);
      assert.deepEqual(await titles('sortBy=title&sortOrder=ascending'), ['One', 'three', 'two', undefined]);
      assert.deepEqual(await titles('sortBy=title&sortOrder=descending'), [undefined, 'two', 'three', 'One']);
    });

    it('is sorted by the part of a complex attribute, and by the primary of many values', async () => {
      const other = await connect(api);
      const emails = (primary: string) => [{ value: 'm@example.com' }, { value: primary, primary: true }];
      const last = await other.make('/Users', newUser({ name: { familyName: 'Adams' }, emails: emails('z@example.com') }));
      const first = await other.make('/Users', newUser({ name: { familyName: 'Baker' }, emails: emails('b@example.com') }));
      hasOnly(await other.get('/Users?sortBy=name.familyName'), last.id, first.id);
      hasOnly(await other.get('/Users?sortBy=emails'), first.id, last.id);
    });

    it('has only the attributes asked for, with id and schemas', async () => {
      const { body } = await lists.get('/Users?attributes=displayName&count=1');
      assert.deepEqual(Object.keys(body.Resources[0]).sort(), ['displayName', 'id', 'schemas']);
      const without = (await lists.get(`/Users/${ids[0]}?excludedAttributes=id,schemas,meta,displayName`)).body;
      assert.ok(without.id && without.schemas && without.userName);
      assert.ok(!('meta' in without) && !('displayName' in without));
    });

    it('knows attributes by the URN of their schema', async () => {
      assert.equal(await found(`${USER}:displayName eq "a"`), 'a');
      assert.equal(await found(`${ENTERPRISE}:department pr`), '');
      const { body } = await lists.get(`/Users/${ids[1]}?attributes=${USER}:displayName`);
      assert.equal(body.displayName, 'a');
    });

    it('is the same by POST to .search', async () => {
      const asked = {
        schemas: [SEARCH],
        attributes: ['displayName'],
        filter: 'title pr',
        sortBy: 'title',
        startIndex: 2,
        count: 1,
      };
      const { status, body } = await lists.post('/Users/.search', asked);
      assert.equal(status, 200);
      assert.deepEqual(body.schemas, [LIST]);
      assert.deepEqual([body.totalResults, body.startIndex, body.Resources[0].displayName], [3, 2, 'C']);
      const query = 'attributes=displayName&filter=title%20pr&sortBy=title&startIndex=2&count=1';
      assert.deepEqual((await lists.get(`/Users?${query}`)).body, body);
    });

    it('by cursor has no more than asked for, and a nextCursor until the last page', async () => {
      const seen: string[] = [];
      let cursor: string | undefined = '';
      for (let page = 1; cursor !== undefined; page += 1) {
        const { status, body }: any = await lists.get(`/Users?cursor=${cursor}&count=2`);
        assert.equal(status, 200);
        assert.ok(body.Resources.length <= 2 && page <= 2);
        if (body.nextCursor !== undefined) assert.match(body.nextCursor, /^[A-Za-z0-9._~-]+$/);
        seen.push(...body.Resources.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor;
      }
      assert.deepEqual(seen.toSorted(), ids.toSorted());
    });

    it('by cursor can be filtered, sorted and asked for by POST', async () => {
      const asked = { schemas: [SEARCH], filter: 'title pr', sortBy: 'title', cursor: '', count: 2 };
      const first = (await lists.post('/Users/.search', asked)).body;
      const second = (await lists.post('/Users/.search', { ...asked, cursor: first.nextCursor })).body;
      assert.deepEqual(
        [...first.Resources, ...second.Resources].map(({ title }: any) => title),
        ['One', 'three', 'two'],
      );
      assert.equal(second.nextCursor, undefined);
    });

    it('refuses a cursor that is none, and a count that is no number', async () => {
      isScimError(await lists.get('/Users?cursor=nonsense'), 400, 'invalidCursor');
      isScimError(await lists.get('/Users?cursor=&count=many'), 400, 'invalidCount');
    });

    it('goes by number when no way is named, as the configuration says', async () => {
      const { pagination } = (await lists.get('/ServiceProviderConfig')).body;
      assert.deepEqual([pagination.cursor, pagination.index, pagination.defaultPaginationMethod], [true, true, 'index']);
      const { status, body } = await lists.get('/Users?count=2');
      assert.deepEqual([status, body.startIndex, body.nextCursor], [200, 1, undefined]);
    });
  });

  describe('replacing', () => {
    it('takes away what is left out, and ignores what only the service may write', async () => {
      const user = await scim.make('/Users', newUser({ title: 'Guide', nickName: 'Babs' }));
      const sent = {
        schemas: [USER],
        userName: user.userName,
        nickName: 'Barb',
        groups: [{ value: 'x' }],
        meta: { created: 'x' },
      };
      const answer = await scim.put(`/Users/${user.id}`, sent);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.title, answer.body.nickName, answer.body.groups], [undefined, 'Barb', undefined]);
      assert.equal(answer.body.meta.created, user.meta.created);
    });

    it('lets nobody in by leaving active out', async () => {
      const { id, userName } = await scim.make('/Users', newUser({ active: false }));
      assert.equal((await scim.put(`/Users/${id}`, { schemas: [USER], userName })).body.active, false);
    });

    it('makes nothing new, and needs what is required', async () => {
      isScimError(await scim.put('/Users/nobody', newUser()), 404);
      const { id } = await scim.make('/Users', newUser());
      isScimError(await scim.put(`/Users/${id}`, { schemas: [USER] }), 400, 'invalidValue');
    });
  });

  describe('patching', () => {
    it('needs a PatchOp message with operations that are add, remove or replace', async () => {
      const { id } = await scim.make('/Users', newUser());
      const send = (body: unknown) => scim.request('PATCH', `/Users/${id}`, body);
      isScimError(await send({ Operations: [{ op: 'add', path: 'title', value: 'x' }] }), 400, 'invalidSyntax');
      isScimError(await send(patchBody()), 400, 'invalidSyntax');
      isScimError(await send(patchBody({ op: 'move', path: 'title', value: 'x' })), 400, 'invalidSyntax');
      isScimError(await send(patchBody({ path: 'title', value: 'x' })), 400, 'invalidSyntax');
    });

    it('is done as a whole or not at all, in order', async () => {
      const { id, meta } = await scim.make('/Users', newUser({ title: 'Guide' }));
      const answer = await patched(
        `/Users/${id}`,
        { op: 'replace', path: 'title', value: 'x' },
        { op: 'add', path: 'id', value: 'y' },
      );
      isScimError(answer, 400, 'mutability');
      const user = await shown(`/Users/${id}`);
      assert.deepEqual([user.title, user.meta.version], ['Guide', meta.version]);
      await scim.patch(
        `/Users/${id}`,
        { op: 'replace', path: 'title', value: 'x' },
        { op: 'remove', path: 'title' },
        { op: 'add', path: 'title', value: 'last' },
      );
      assert.equal((await shown(`/Users/${id}`)).title, 'last');
    });

    it('answers 204, or 200 with the resource when attributes are named', async () => {
      const { id } = await scim.make('/Users', newUser());
      const operation = { op: 'replace', path: 'title', value: 'x' };
      assert.equal((await patched(`/Users/${id}`, operation)).status, 204);
      const answer = await patched(`/Users/${id}?attributes=title`, operation);
      assert.deepEqual([answer.status, Object.keys(answer.body).sort()], [200, ['id', 'schemas', 'title']]);
    });

    it('adds what is not there, merges what has parts, and adds no value twice', async () => {
      const { id } = await scim.make('/Users', newUser({ name: { givenName: 'Babs' }, emails: [{ value: 'a@example.com' }] }));
      await scim.patch(
        `/Users/${id}`,
        { op: 'add', value: { title: 'Guide', name: { familyName: 'Jensen' } } },
        { op: 'add', path: 'emails', value: [{ value: 'a@example.com' }, { value: 'b@example.com', type: 'home' }] },
      );
      const user = await shown(`/Users/${id}`);
      assert.equal(user.title, 'Guide');
      assert.deepEqual(user.name, { givenName: 'Babs', familyName: 'Jensen' });
      assert.deepEqual(user.emails, [{ value: 'a@example.com' }, { value: 'b@example.com', type: 'home' }]);
    });

    it('that adds what is there already succeeds and leaves it as it is', async () => {
      const { id } = await scim.make('/Users', newUser({ title: 'Guide', emails: [{ value: 'a@example.com' }] }));
      const { id: groupId } = await scim.make('/Groups', newGroup({ members: [{ value: id }] }));
      const before = [await shown(`/Users/${id}`), await shown(`/Groups/${groupId}`)];
      await scim.patch(`/Users/${id}`, { op: 'add', value: { title: 'Guide', emails: [{ value: 'a@example.com' }] } });
      await scim.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value: [{ value: id }] });
      const after = [await shown(`/Users/${id}`), await shown(`/Groups/${groupId}`)];
      assert.deepEqual(after, before, 'the time of the last change and the version too');
    });

    it('a new primary value takes that from the old one', async () => {
      const { id } = await scim.make('/Users', newUser({ emails: [{ value: 'a@example.com', primary: true }] }));
      await scim.patch(`/Users/${id}`, { op: 'add', path: 'emails', value: [{ value: 'b@example.com', primary: true }] });
      const { emails } = await shown(`/Users/${id}`);
      assert.deepEqual(
        emails.filter(({ primary }: any) => primary).map(({ value }: any) => value),
        ['b@example.com'],
      );
    });

    it('lets nobody in by removing active', async () => {
      const { id } = await scim.make('/Users', newUser({ active: false }));
      await scim.patch(`/Users/${id}`, { op: 'remove', path: 'active' });
      assert.equal((await scim.get(`/Users/${id}`)).body.active, false);
    });

    it('removes one value, the values that match, or all', async () => {
      const emails = ['work', 'home', 'other'].map((type) => ({ value: `${type}@example.com`, type }));
      const { id } = await scim.make('/Users', newUser({ title: 'Guide', emails }));
      await scim.patch(`/Users/${id}`, { op: 'remove', path: 'title' }, { op: 'remove', path: 'emails[type ne "home"]' });
      const user = await shown(`/Users/${id}`);
      assert.deepEqual([user.title, user.emails], [undefined, [emails[1]]]);
      await scim.patch(`/Users/${id}`, { op: 'remove', path: 'emails' });
      assert.ok(!('emails' in (await shown(`/Users/${id}`))));
    });

    it('refuses a removal without a path, of what is required, and of what only the service writes', async () => {
      const { id } = await scim.make('/Users', newUser());
      isScimError(await patched(`/Users/${id}`, { op: 'remove' }), 400, 'noTarget');
      isScimError(await patched(`/Users/${id}`, { op: 'remove', path: 'userName' }), 400, 'mutability');
      isScimError(await patched(`/Users/${id}`, { op: 'remove', path: 'meta' }), 400, 'mutability');
    });

    it('replaces one value, the values that match, a part of them, or all; what is not there is added', async () => {
      const emails = ['work', 'home'].map((type) => ({ value: `${type}@example.com`, type }));
      const { id } = await scim.make('/Users', newUser({ emails }));
      await scim.patch(
        `/Users/${id}`,
        { op: 'replace', path: 'nickName', value: 'Babs' },
        { op: 'replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
        { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'h@example.com', type: 'other' } },
      );
      const user = await shown(`/Users/${id}`);
      assert.equal(user.nickName, 'Babs');
      assert.deepEqual(user.emails, [
        { value: 'new@example.com', type: 'work' },
        { value: 'h@example.com', type: 'other' },
      ]);
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'only@example.com' }] });
      assert.deepEqual((await shown(`/Users/${id}`)).emails, [{ value: 'only@example.com' }]);
    });

    it('refuses to replace what a filter does not find, unless it says what to make', async () => {
      const { id } = await scim.make('/Users', newUser({ emails: [{ value: 'a@example.com', type: 'work' }] }));
      const at = (path: string) => patched(`/Users/${id}`, { op: 'replace', path, value: 'b@example.com' });
      isScimError(await at('emails[type sw "x"].value'), 400, 'noTarget');
      assert.equal((await at('emails[type eq "home"].value')).status, 204);
    });

    it('refuses a path that leads nowhere with invalidPath', async () => {
      const { id } = await scim.make('/Users', newUser());
      for (const path of ['unheardOf', 'name.unheardOf', 'emails[', 'urn:example:1.0:User:a'])
        assert.equal((await patched(`/Users/${id}`, { op: 'replace', path, value: 'x' })).status, 400, path);
      isScimError(await patched(`/Users/${id}`, { op: 'replace', path: 'unheardOf', value: 'x' }), 400, 'invalidPath');
    });

    it('lets nobody turn a member into another', async () => {
      const [one, two] = [await scim.make('/Users', newUser()), await scim.make('/Users', newUser())];
      const { id } = await scim.make('/Groups', newGroup({ members: [{ value: one.id }] }));
      const path = `members[value eq "${one.id}"].value`;
      isScimError(await patched(`/Groups/${id}`, { op: 'replace', path, value: two.id }), 400, 'mutability');
    });
  });

  describe('deleting', () => {
    it('answers 204, and the resource is gone for every method and every list', async () => {
      const user = await scim.make('/Users', newUser());
      const { status, text } = await scim.delete(`/Users/${user.id}`);
      assert.deepEqual([status, text], [204, '']);
      isScimError(await scim.get(`/Users/${user.id}`), 404);
      isScimError(await scim.put(`/Users/${user.id}`, newUser()), 404);
      isScimError(await patched(`/Users/${user.id}`, { op: 'add', path: 'title', value: 'x' }), 404);
      isScimError(await scim.delete(`/Users/${user.id}`), 404);
      hasOnly(await scim.find('/Users', `id eq "${user.id}"`));
      const again = await scim.make('/Users', newUser({ userName: user.userName }));
      assert.notEqual(again.id, user.id);
    });
  });

  describe('bulk', () => {
    const bulk = (operations: unknown[], more: Record<string, unknown> = {}) =>
      scim.post('/Bulk', { schemas: [BULK], Operations: operations, ...more });

    it('tells of every operation, and goes on after a failure', async () => {
      const known = await scim.make('/Users', newUser());
      const { status, body } = await bulk([
        { method: 'POST', path: '/Users', bulkId: 'taken', data: newUser({ userName: known.userName }) },
        { method: 'POST', path: '/Users', bulkId: 'new', data: newUser() },
        { method: 'PATCH', path: `/Users/${known.id}`, data: patchBody({ op: 'add', path: 'title', value: 'x' }) },
        { method: 'PUT', path: `/Users/${known.id}`, data: newUser({ userName: known.userName }) },
        { method: 'DELETE', path: `/Users/${known.id}` },
      ]);
      assert.equal(status, 200);
      assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
      assert.deepEqual(
        body.Operations.map((one: any) => [one.method, one.bulkId, one.status]),
        [
          ['POST', 'taken', '409'],
          ['POST', 'new', '201'],
          ['PATCH', undefined, '200'],
          ['PUT', undefined, '200'],
          ['DELETE', undefined, '204'],
        ],
      );
      const [failed, made, ...others] = body.Operations;
      assert.deepEqual([failed.response.schemas, failed.response.scimType], [[ERROR], 'uniqueness']);
      assert.equal((await shown(made.location.slice(`${api.url}/scim/v2`.length))).meta.version, made.version);
      for (const { location } of others) assert.equal(location, known.meta.location);
    });

    it('says where, even when an operation other than a POST failed', async () => {
      const { body } = await bulk([
        { method: 'DELETE', path: '/Users/nobody' },
        { method: 'PUT', path: '/Users/nobody', data: newUser() },
        { method: 'POST', path: '/Users', bulkId: 'x', data: {} },
      ]);
      assert.deepEqual(
        body.Operations.map(({ status, location }: any) => [status, location]),
        [
          ['404', `${api.url}/scim/v2/Users/nobody`],
          ['404', `${api.url}/scim/v2/Users/nobody`],
          ['400', undefined],
        ],
      );
    });

    it('stops after as many errors as the client bears', async () => {
      const wrong = { method: 'DELETE', path: '/Users/nobody' };
      const { body } = await bulk([wrong, wrong, { method: 'POST', path: '/Users', bulkId: 'x', data: newUser() }], {
        failOnErrors: 2,
      });
      assert.equal(body.Operations.length, 2);
    });

    it('puts the id of what was made in the place of its bulkId, whatever the order', async () => {
      const { body } = await bulk([
        { method: 'POST', path: '/Groups', bulkId: 'g', data: newGroup({ members: [{ value: 'bulkId:u' }] }) },
        { method: 'POST', path: '/Users', bulkId: 'u', data: newUser() },
        { method: 'PATCH', path: '/Users/bulkId:u', data: patchBody({ op: 'add', path: 'title', value: 'x' }) },
      ]);
      assert.deepEqual(
        body.Operations.map(({ status }: any) => status),
        ['201', '201', '200'],
      );
      const [group, user] = body.Operations.map(({ location }: any) => location.split('/').at(-1));
      assert.equal((await shown(`/Groups/${group}`)).members[0].value, user);
    });

    it('answers 409 where references go in a circle or nowhere', async () => {
      const manager = (bulkId: string) => ({ [ENTERPRISE]: { manager: { value: `bulkId:${bulkId}` } } });
      const { body } = await bulk([
        { method: 'POST', path: '/Users', bulkId: 'a', data: newUser(manager('b')) },
        { method: 'POST', path: '/Users', bulkId: 'b', data: newUser(manager('a')) },
        { method: 'POST', path: '/Users', bulkId: 'c', data: newUser(manager('nobody')) },
      ]);
      assert.deepEqual(
        body.Operations.map(({ status }: any) => status),
        ['409', '409', '409'],
      );
    });

    it('needs its schema, a method, a path, and a bulkId for what is new', async () => {
      isScimError(await scim.post('/Bulk', { Operations: [{ method: 'DELETE', path: '/Users/x' }] }), 400, 'invalidSyntax');
      isScimError(await bulk([{ method: 'GET', path: '/Users' }]), 400, 'invalidSyntax');
      isScimError(await bulk([{ method: 'DELETE' }]), 400, 'invalidSyntax');
      isScimError(await bulk([{ method: 'POST', path: '/Users', data: newUser() }]), 400, 'invalidSyntax');
    });

    it('refuses more operations, or more bytes, than it says it takes with 413', async () => {
      const limits = (await shown('/ServiceProviderConfig')).bulk;
      const operation = { method: 'DELETE', path: '/Users/nobody' };
      isScimError(await bulk(Array(limits.maxOperations + 1).fill(operation)), 413);
      isScimError(await bulk([{ ...operation, data: 'x'.repeat(limits.maxPayloadSize) }]), 413);
    });
  });

  describe('HTTP', () => {
    it('speaks application/scim+json in UTF-8, also to those who send or ask for application/json', async () => {
      const json = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const answer = await scim.request('POST', '/Users', newUser({ displayName: 'Žofie 💜' }), json);
      assert.equal(answer.status, 201);
      assert.equal(
        (await scim.get(`/Users/${answer.body.id}`, { Accept: 'application/scim+json' })).body.displayName,
        'Žofie 💜',
      );
      assert.equal((await scim.get('/Users?count=0')).headers.get('content-type'), 'application/scim+json');
    });

    it('answers errors with the status as text, and what is wrong', async () => {
      isScimError(await scim.get('/Users/nobody'), 404);
      isScimError(await scim.get('/Nothing'), 404);
      isScimError(await scim.request('POST', '/Users', '{"schemas":'), 400, 'invalidSyntax');
      isScimError(await scim.request('POST', '/Users', '[]'), 400, 'invalidSyntax');
    });

    it('says how to log in with 401, and lets nobody in without', async () => {
      for (const Authorization of ['', 'Bearer wrong', 'Basic YTpi']) {
        const answer = await scim.get('/Users', { Authorization });
        isScimError(answer, 401);
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/);
      }
    });

    it('knows no other version of the protocol at this place', async () => {
      const answer = await api.request('GET', '/scim/v3/Users', {
        token: null,
        headers: { Authorization: `Bearer ${scim.token}` },
      });
      assert.equal(answer.status, 404);
    });

    it('has an ETag that is the version, and a new one after a change', async () => {
      const { id, meta } = await scim.make('/Users', newUser());
      const before = await scim.get(`/Users/${id}`);
      assert.equal(before.headers.get('etag'), meta.version);
      const changed = await scim.patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'x' });
      const now = await scim.get(`/Users/${id}`);
      assert.notEqual(now.headers.get('etag'), meta.version);
      assert.deepEqual(
        [now.headers.get('etag'), now.body.meta.version],
        [changed.headers.get('etag'), changed.headers.get('etag')],
      );
    });

    it('does nothing for those who have an old version, and sends nothing to those who have the new one', async () => {
      const { id, meta } = await scim.make('/Users', newUser());
      await scim.patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'x' });
      const old = { 'If-Match': meta.version };
      isScimError(await scim.request('PUT', `/Users/${id}`, newUser(), old), 412);
      isScimError(await scim.request('PATCH', `/Users/${id}`, patchBody({ op: 'remove', path: 'title' }), old), 412);
      isScimError(await scim.request('DELETE', `/Users/${id}`, undefined, old), 412);
      const { version } = (await shown(`/Users/${id}`)).meta;
      const same = await scim.get(`/Users/${id}`, { 'If-None-Match': version });
      assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', version]);
      assert.equal((await scim.request('DELETE', `/Users/${id}`, undefined, { 'If-Match': version })).status, 204);
    });

    it('/Me has the Location of the user it stands for', async () => {
      const persona = await api.persona(['member'], 'system');
      const headers = { Authorization: `Bearer ${persona.token}` };
      const answer = await api.request('GET', '/scim/v2/Me', { token: null, headers });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.id, persona.user.id);
      assert.equal(answer.headers.get('location'), answer.body.meta.location);
    });

    it('of a connection has a token that cannot be guessed', async () => {
      const tokens = [scim.token, (await connect(api)).token];
      assert.notEqual(tokens[0], tokens[1]);
      // The prefix of our tokens, then 256 bits in base64url.
      for (const token of tokens) assert.match(token, /^ghs_[\w-]{43,}$/);
    });

    it('of a connection that was ended lets nobody in', async () => {
      const ended = await connect(api);
      const { connections } = (await api.get('/v3/OS-SCIM/connections')).body;
      const { id } = connections.find((one: any) => one.domain_id === ended.domainId);
      assert.equal((await api.delete(`/v3/OS-SCIM/connections/${id}`)).status, 204);
      isScimError(await ended.get('/Users'), 401);
    });
  });

  describe('discovery', () => {
    it('tells what the service can do', async () => {
      const { status, body } = await scim.get('/ServiceProviderConfig');
      assert.equal(status, 200);
      assert.deepEqual(body.schemas, ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig']);
      for (const name of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag'])
        assert.equal(typeof body[name].supported, 'boolean', name);
      for (const number of [body.bulk.maxOperations, body.bulk.maxPayloadSize, body.filter.maxResults])
        assert.ok(Number.isInteger(number));
      assert.ok(body.authenticationSchemes.every(({ type, name, description }: any) => type && name && description));
    });

    it('names the kinds of resources with schemas that are there', async () => {
      const { body } = await scim.get('/ResourceTypes');
      assert.deepEqual(body.schemas, [LIST]);
      const schemas = new Set((await shown('/Schemas')).Resources.map(({ id }: any) => id));
      for (const { name, endpoint, schema, schemaExtensions, meta } of body.Resources) {
        assert.ok(name && schemas.has(schema));
        for (const extension of schemaExtensions) {
          assert.ok(schemas.has(extension.schema));
          assert.equal(typeof extension.required, 'boolean');
        }
        assert.equal((await scim.get(endpoint)).status, 200);
        assert.equal((await shown(`/ResourceTypes/${name}`)).meta.location, meta.location);
      }
    });

    it('describes every attribute by all its characteristics', async () => {
      const { body } = await scim.get('/Schemas');
      assert.equal(body.totalResults, body.Resources.length);
      const check = (attribute: any): void => {
        assert.match(attribute.name, /^[A-Za-z$][\w$-]*$/);
        assert.match(attribute.type, /^(string|boolean|decimal|integer|dateTime|reference|binary|complex)$/);
        assert.match(attribute.mutability, /^(readOnly|readWrite|immutable|writeOnly)$/);
        assert.match(attribute.returned, /^(always|never|default|request)$/);
        assert.match(attribute.uniqueness, /^(none|server|global)$/);
        for (const name of ['multiValued', 'required', 'caseExact']) assert.equal(typeof attribute[name], 'boolean');
        assert.equal(attribute.type === 'complex', attribute.subAttributes !== undefined);
        assert.equal(attribute.type === 'reference', attribute.referenceTypes !== undefined);
        for (const sub of attribute.subAttributes ?? []) check(sub);
      };
      for (const { id, attributes } of body.Resources) {
        attributes.forEach(check);
        assert.equal((await shown(`/Schemas/${id}`)).id, id);
      }
    });

    it('refuses a filter, and ignores how else a list can be asked for', async () => {
      for (const path of ['/Schemas', '/ResourceTypes']) {
        isScimError(await scim.find(path, 'name eq "User"'), 403);
        const { body } = await scim.get(`${path}?count=1&startIndex=2&sortBy=name&attributes=name`);
        assert.deepEqual(body, await shown(path));
      }
    });
  });
});
