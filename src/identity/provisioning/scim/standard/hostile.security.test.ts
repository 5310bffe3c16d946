// Hostile requests get 4xx, never 500, and change nothing.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { BULK_REQUEST, connect, ENTERPRISE, GROUP, patchOf, type ScimClient, USER } from '../../../../../test/support/scim.ts';

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

onUsualDatabase('SCIM and hostile requests', (api) => {
  let scim: ScimClient;
  before(async () => {
    scim = (await connect(api)).scim;
  });

  const assertRefusal = (answer: ApiAnswer, what: unknown): void => {
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} for ${String(what).slice(0, 200)}: ${answer.text}`);
    assert.equal(answer.body.status, String(answer.status));
  };
  const count = async (): Promise<number> => (await scim.list('/Users', { count: 0 })).totalResults;

  it('refuses bodies that are deep, reach for prototypes, hold NUL, are huge or not UTF-8', async () => {
    const name = () => uniqueName('hostile');
    const bodies: string[] = [
      `{"userName":"${name()}","emails":${deep(50_000)}}`,
      `{"userName":"${name()}","emails":${deep(40)}}`,
      `{"userName":"${name()}","__proto__":{"active":false}}`,
      `{"userName":"${name()}","name":{"__proto__":{"x":1}}}`,
      `{"userName":"${name()}","constructor":{"prototype":{"x":1}}}`,
      `{"userName":"a\\u0000b"}`,
      `{"userName":"${name()}","externalId":"a\\u0000b"}`,
      `{"userName":"${name()}","emails":[{"value":"a\\u0000b"}]}`,
      `{"userName":"${name()}","externalId":"\\ud800"}`,
      `{"userName":"${'x'.repeat(100_000)}"}`,
      `{"userName":"${name()}","title":"${'x'.repeat(65_537)}"}`,
      `{"userName":"${name()}","title":"${'x'.repeat(200_000)}"}`,
      JSON.stringify({ userName: name(), emails: Array.from({ length: 2000 }, (_, n) => ({ value: `${n}@example.com` })) }),
      JSON.stringify({
        userName: name(),
        emails: [
          { value: 'a', primary: true },
          { value: 'b', primary: true },
        ],
      }),
      JSON.stringify({ userName: name(), name: 'Bo', [ENTERPRISE]: 7 }),
      JSON.stringify({ userName: name(), emails: 7 }),
      JSON.stringify({ userName: name(), emails: [[['x']]] }),
      JSON.stringify({ userName: { toString: 'x' } }),
      JSON.stringify({ userName: ['x'] }),
      JSON.stringify({ userName: name(), password: 'x'.repeat(5000) }),
      JSON.stringify({ userName: name(), password: { $ne: 1 } }),
      JSON.stringify({ userName: name(), x509Certificates: [{ value: '<script>' }] }),
      'null',
      '"x"',
      '{"userName":"x"',
      `{"userName":"${name()}"}}`,
      '',
    ];
    const { id } = await scim.makeUser();
    const before = await count();
    for (const body of bodies) {
      assertRefusal(await scim.post('/Users', body), body);
      assertRefusal(await scim.put(`/Users/${id}`, body), body);
      assertRefusal(await scim.patch(`/Users/${id}`, body), body);
    }
    assert.equal(await count(), before);
    assert.ok(!('active' in {}));
  });

  it('refuses addresses, cursors and versions nobody was given', async () => {
    const { id } = await scim.makeUser();
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const paths = [
      '/Users/a%00b',
      `/Users/${'x'.repeat(3000)}`,
      '/Users/%E0%A4%A',
      '/Users/%ff',
      `/Users/${encodeURIComponent("' or 1=1 --")}`,
      '/Users/..%2f..%2fv3%2fusers',
      '/Users/__proto__',
      '/Schemas/constructor',
      '/ResourceTypes/__proto__',
      '/Users?cursor=nonsense',
      `/Users?cursor=${cursorOf(['a\0b', 'c'])}`,
      `/Users?cursor=${cursorOf(['a', 'c\0'])}`,
      `/Users?cursor=${cursorOf([{}, 'c'])}`,
      `/Users?cursor=${cursorOf([1])}`,
      `/Users?sortBy=title&cursor=${cursorOf([-1])}`,
      `/Users?sortBy=title&cursor=${cursorOf([1.5])}`,
      `/Users?sortBy=title&cursor=${cursorOf(['a', 'b'])}`,
      '/Users?count=x',
      '/Users?count=1e3',
      '/Users?startIndex=99999999999999999999',
    ];
    for (const path of paths) assertRefusal(await scim.get(path), path);
    for (const version of ['"', 'W/', `"${'x'.repeat(5000)}"`, ',,,', 'W/"1\' or 1=1"']) {
      assertRefusal(await scim.delete(`/Users/${id}`, { 'If-Match': version }), version);
    }
    assert.equal((await scim.show(`/Users/${id}`)).id, id);
  });

  it('refuses filters that are long, deep, wide or broken', async () => {
    const nested = (levels: number) => `${'('.repeat(levels)}title pr${')'.repeat(levels)}`;
    const filters = [
      `title eq "${'x'.repeat(10_000)}"`,
      nested(30),
      nested(3000),
      `${'not ('.repeat(30)}title pr${')'.repeat(30)}`,
      Array.from({ length: 300 }, () => 'title pr').join(' or '),
      'title',
      'title eq',
      'eq "x"',
      'title eq "x',
      'title eq "\\u0000"',
      'title eq "\\x"',
      'title xx "y"',
      'title eq "x" and',
      'title eq "x" title eq "y"',
      'emails[type eq "work"',
      'emails[emails[type eq "x"]]',
      'title eq (x)',
      'active gt true',
      'active eq "perhaps"',
      'meta.lastModified gt "yesterday"',
      'name eq "x"',
      ')))',
      '"; drop table users; --',
    ];
    for (const filter of filters) {
      const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter };
      const answer = await scim.post('/Users/.search', body);
      assertRefusal(answer, filter);
      assert.equal(answer.body.scimType, 'invalidFilter', filter);
      if (filter.length < 5000) assertRefusal(await scim.get(`/Users?filter=${encodeURIComponent(filter)}`), filter);
      const { id } = await scim.makeUser();
      const path = `emails[${filter}]`;
      const removal = await scim.patch(`/Users/${id}`, patchOf({ op: 'remove', path }));
      assert.ok([204, 400, 413].includes(removal.status), `${removal.status} for ${path.slice(0, 100)}: ${removal.text}`);
    }
    for (const filter of [7, {}, [['x']], true]) assertRefusal(await scim.post('/Users/.search', { filter }), filter);
  });

  it('refuses patches and bulk requests that are deep, wide or contradictory', async () => {
    const { id } = await scim.makeUser();
    const many = (length: number, operation: Record<string, unknown>) => patchOf(...Array.from({ length }, () => operation));
    const patches: unknown[] = [
      many(1001, { op: 'add', path: 'title', value: 'x' }),
      many(200, { op: 'remove', path: `emails[value eq "${'x'.repeat(300)}"]` }),
      patchOf({ op: 'add', path: 'emails', value: Array.from({ length: 1001 }, (_, n) => ({ value: `${n}` })) }),
      patchOf({ op: 'add', path: '__proto__.active', value: 'x' }),
      patchOf({ op: 'add', path: 'constructor', value: 'x' }),
      patchOf({ op: 'add', path: 'x'.repeat(10_000), value: 'x' }),
      patchOf({ op: 'add', path: 'meta.version', value: 'x' }),
      patchOf({ op: 'replace', path: 'id', value: 'x' }),
      patchOf({ op: 'add', path: 'title', Path: 'userName', value: 'x' }),
      patchOf({ op: 'add', value: 'x' }),
      patchOf({ op: 'remove' }),
      { ...patchOf(), Operations: 'x' },
      `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"add","path":"title","value":${deep(5000)}}]}`,
    ];
    const before = await scim.show(`/Users/${id}`);
    for (const body of patches) assertRefusal(await scim.patch(`/Users/${id}`, body), JSON.stringify(body));
    assert.deepEqual(await scim.show(`/Users/${id}`), before);
    const circle = Array.from({ length: 1000 }, (_, n) => ({
      method: 'POST',
      path: '/Groups',
      bulkId: `b${n}`,
      data: { schemas: [GROUP], displayName: uniqueName('circle'), members: [{ value: `bulkId:b${(n + 1) % 1000}` }] },
    }));
    const run = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations: circle }));
    assert.ok(run.Operations.every(({ status }: { status: string }) => status === '409'));
    assertRefusal(
      await scim.post('/Bulk', `{"schemas":["${BULK_REQUEST}"],"Operations":[{"method":"POST","data":${deep(100_000)}}]}`),
      'deep bulk',
    );
    assert.equal((await scim.list('/Groups', { count: 0 })).totalResults, 0);
  });

  it('keeps what looks like an attack but is only text', async () => {
    const text = `'; drop table users; -- <script>alert("x")</script> \${7*7} {{7*7}} %s ../../etc/passwd \u202e`;
    const made = await scim.makeUser({
      title: text,
      externalId: text,
      userName: `${text.replace(' \u202e', '')}${uniqueName('')}`,
    });
    const shown = await scim.show(`/Users/${made.id}`);
    assert.deepEqual([shown.title, shown.externalId], [text, text]);
    const { Resources } = await scim.list('/Users', { filter: `externalId eq ${JSON.stringify(text)}` });
    assert.deepEqual(Resources, [shown]);
    assert.equal(api.logged.filter((line) => ['error', 'fatal'].includes(JSON.parse(line).level)).length, 0);
    assert.deepEqual((await scim.list('/Users', { filter: `userName eq "${USER}"` })).Resources, []);
  });
});
