import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, type TestApi, uniqueName } from '../../../../test/support/api.ts';

type Kind = 'user' | 'group' | 'project' | 'domain';
type Row = { id: string; name: string };
interface Page {
  readonly rows: Row[];
  readonly links: { self: string; previous: string | null; next: string | null };
}

const names = (rows: readonly Row[]): string[] => rows.map(({ name }) => name);

/** By path or by the whole link another page gave. */
async function read(api: TestApi, kind: Kind, at: string): Promise<Page> {
  assert.ok(!at.startsWith('http') || at.startsWith(`${api.url}/`), `${at} is a link to somewhere else`);
  const body = assertOk(await api.get(at.replace(api.url, '')));
  assert.deepEqual(new Set(Object.keys(body)), new Set(['links', `${kind}s`]));
  assert.deepEqual(Object.keys(body.links).sort(), ['next', 'previous', 'self']);
  return { rows: body[`${kind}s`], links: body.links };
}

/** Every page from this one on, by the links. */
async function follow(api: TestApi, kind: Kind, at: string, way: 'next' | 'previous'): Promise<Page[]> {
  const pages = [await read(api, kind, at)];
  for (let link = pages[0]!.links[way]; link !== null; link = pages.at(-1)!.links[way]) {
    pages.push(await read(api, kind, link));
    assert.ok(pages.length < 50, 'the links go in circles');
  }
  return pages;
}

onBothDatabases('Lists', (api) => {
  const makeDomain = () => api.make('domain', { name: uniqueName('domain') });
  async function fill(kind: Kind, texts: readonly string[], values: Record<string, unknown> = {}): Promise<Row[]> {
    const made: Row[] = [];
    for (const name of texts) made.push(await api.make(kind, { name, ...values }));
    return made;
  }

  describe('pages', () => {
    for (const kind of ['user', 'group', 'project', 'domain'] as const) {
      it(`of ${kind}s are walked forward and back by their links`, async () => {
        const prefix = uniqueName(`walk-${kind}`);
        const texts = ['f', 'b', 'e', 'a', 'g', 'd', 'c'].map((letter) => `${prefix}-${letter}`);
        await fill(kind, texts);
        const sorted = [...texts].sort();

        for (const limit of [1, 2, 3, 7, 10]) {
          const path = `/v3/${kind}s?name__startswith=${prefix}&limit=${limit}`;
          const forward = await follow(api, kind, path, 'next');
          assert.equal(forward.length, Math.ceil(7 / limit));
          assert.deepEqual(
            forward.flatMap(({ rows }) => names(rows)),
            sorted,
          );
          assert.equal(forward[0]!.links.previous, null);
          assert.equal(forward.at(-1)!.links.next, null);

          const back = await follow(api, kind, forward.at(-1)!.links.self, 'previous');
          assert.deepEqual(
            back.reverse().map(({ rows }) => names(rows)),
            forward.map(({ rows }) => names(rows)),
          );
        }
      });
    }

    it('are in the order of the bytes of the names, on every database', async () => {
      const domain = await makeDomain();
      const texts = ['b', 'A', 'é', 'a', 'Z', '\u{1f600}', '_', '0', 'ｆ'];
      await fill('group', texts, { domain_id: domain.id });
      const { rows } = await read(api, 'group', `/v3/groups?domain_id=${domain.id}`);
      assert.deepEqual(names(rows), ['0', 'A', 'Z', '_', 'a', 'b', 'é', 'ｆ', '\u{1f600}']);
    });

    it('tell rows of the same name apart', async () => {
      const name = uniqueName('same');
      for (let count = 0; count < 4; count++) await fill('user', [name], { domain_id: (await makeDomain()).id });
      const pages = await follow(api, 'user', `/v3/users?name=${name}&limit=1`, 'next');
      assert.equal(pages.length, 4);
      assert.equal(new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => id))).size, 4);
      const back = await follow(api, 'user', pages.at(-1)!.links.self, 'previous');
      assert.deepEqual(
        back.reverse().map(({ rows }) => rows),
        pages.map(({ rows }) => rows),
      );
    });

    it('repeat and miss nothing while rows come in between', async () => {
      const prefix = uniqueName('grow');
      const row = (letter: string) => `${prefix}-${letter}`;
      await fill('user', ['b', 'd', 'f', 'h'].map(row));
      const first = await read(api, 'user', `/v3/users?name__startswith=${prefix}&limit=2`);
      assert.deepEqual(names(first.rows), ['b', 'd'].map(row));

      await fill('user', ['a', 'c', 'e', 'i'].map(row));
      const rest = await follow(api, 'user', first.links.next!, 'next');
      assert.deepEqual(
        rest.flatMap(({ rows }) => names(rows)),
        ['e', 'f', 'h', 'i'].map(row),
      );
      const back = await follow(api, 'user', rest.at(-1)!.links.self, 'previous');
      const seen = new Set(back.flatMap(({ rows }) => names(rows)));
      assert.deepEqual([...seen].sort(), ['a', 'b', 'c', 'd', 'e', 'f', 'h', 'i'].map(row));
    });

    it('continue when rows are deleted, but not from a deleted marker', async () => {
      const prefix = uniqueName('shrink');
      const rows = await fill(
        'user',
        ['a', 'b', 'c', 'd'].map((letter) => `${prefix}-${letter}`),
      );
      const path = `/v3/users?name__startswith=${prefix}&limit=2`;
      const first = await read(api, 'user', path);
      assertOk(await api.delete(`/v3/users/${rows[2]!.id}`), 204);
      assert.deepEqual(names((await read(api, 'user', first.links.next!)).rows), [rows[3]!.name]);
      assertOk(await api.delete(`/v3/users/${rows[1]!.id}`), 204);
      assertRefused(await api.get(first.links.next!.slice(api.url.length)), 400, /'marker'/);
    });

    it('after the last row are empty and lead back', async () => {
      const prefix = uniqueName('end');
      const rows = await fill(
        'user',
        ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`),
      );
      const page = await read(api, 'user', `/v3/users?name__startswith=${prefix}&limit=2&marker=${rows[2]!.id}`);
      assert.deepEqual(page.rows, []);
      assert.equal(page.links.next, null);
      const before = await read(api, 'user', page.links.previous!);
      assert.deepEqual(names(before.rows), names(rows.slice(1)));
    });

    it('keep the filters in their links, whatever these hold', async () => {
      const text = 'a&b=c d+e/é%';
      const domain = await makeDomain();
      await fill('group', [`1 ${text}`, `2 ${text}`, '3'], { domain_id: domain.id });
      const query = new URLSearchParams({ name__contains: text, domain_id: domain.id, limit: '1' });
      const pages = await follow(api, 'group', `/v3/groups?${query}`, 'next');
      assert.deepEqual(
        pages.flatMap(({ rows }) => names(rows)),
        [`1 ${text}`, `2 ${text}`],
      );
      assert.equal(new URL(pages[0]!.links.self).searchParams.get('name__contains'), text);
      assert.equal(new URL(pages[0]!.links.next!).searchParams.get('limit'), '1');
    });

    it('hold at most a thousand rows, whatever is asked for', async () => {
      const { links } = await read(api, 'user', '/v3/users?limit=999999999');
      assert.equal(links.next, null);
    });

    it('refuse a limit that is no number of rows, and a marker that is no row', async () => {
      for (const limit of ['0', '-1', 'abc', '1.5', '', '1e3', '0x10', ' 1', '9999999999', 'null'])
        assertRefused(await api.get(`/v3/users?limit=${encodeURIComponent(limit)}`), 400, /'limit'/);
      for (const marker of ['0'.repeat(32), '', 'default', "' or 1=1 --"])
        assertRefused(await api.get(`/v3/users?marker=${encodeURIComponent(marker)}`), 400, /'marker'/);
    });

    it('answer HEAD without a body', async () => {
      for (const kind of ['user', 'group', 'project', 'domain']) {
        const answer = await api.head(`/v3/${kind}s?limit=1`);
        assert.equal(answer.status, 200);
        assert.equal(answer.text, '');
      }
    });

    it('accept one trailing slash', async () => {
      assertOk(await api.get('/v3/users/?limit=1'));
    });
  });

  describe('filters on text', () => {
    let domain: Row;
    const texts = ['Alpha', 'alphabet', 'beta', '100% sure', 'under_score', 'back\\slash', "o'neil", '\u{1f600}smile', 'ÉCOLE'];
    before(async () => {
      domain = await makeDomain();
      await fill('group', texts, { domain_id: domain.id });
    });
    const found = async (query: Record<string, string>): Promise<string[]> =>
      names((await read(api, 'group', `/v3/groups?${new URLSearchParams({ domain_id: domain.id, ...query })}`)).rows);

    const cases: [query: Record<string, string>, names: string[]][] = [
      [{ name: 'Alpha' }, ['Alpha']],
      [{ name: 'alpha' }, []],
      [{ name: '' }, []],
      [{ name__contains: 'lpha' }, ['Alpha', 'alphabet']],
      [{ name__contains: 'Alpha' }, ['Alpha']],
      [{ name__icontains: 'ALPHA' }, ['Alpha', 'alphabet']],
      [{ name__startswith: 'alpha' }, ['alphabet']],
      [{ name__startswith: 'lpha' }, []],
      [{ name__istartswith: 'ALPHA' }, ['Alpha', 'alphabet']],
      [{ name__endswith: 'a' }, ['Alpha', 'beta']],
      [{ name__endswith: 'PHA' }, []],
      [{ name__iendswith: 'PHA' }, ['Alpha']],
      [{ name__contains: '%' }, ['100% sure']],
      [{ name__contains: '_' }, ['under_score']],
      [{ name__contains: '\\' }, ['back\\slash']],
      [{ name__contains: "'" }, ["o'neil"]],
      [{ name__startswith: '\u{1f600}' }, ['\u{1f600}smile']],
      [{ name__istartswith: '\u{1f600}S' }, ['\u{1f600}smile']],
      [{ name__contains: '\u{1f600}s' }, ['\u{1f600}smile']],
      [{ name__endswith: '\u{1f600}smile' }, ['\u{1f600}smile']],
      [{ name__icontains: 'École' }, ['ÉCOLE']],
      [{ name__istartswith: 'Éc' }, ['ÉCOLE']],
      [{ name__iendswith: 'ÉCOLE' }, ['ÉCOLE']],
      [{ name__startswith: 'a', name__endswith: 't' }, ['alphabet']],
      [{ name__contains: 'a', name__icontains: 'B' }, ['alphabet', 'back\\slash', 'beta']],
      [{ domain_id: 'default', name: 'Alpha' }, []],
      [{ name__contains: 'longer than any of the names there are' }, []],
    ];
    for (const [query, expected] of cases) {
      it(`${new URLSearchParams(query)} finds ${expected.join(' and ') || 'nothing'}`, async () => {
        assert.deepEqual(await found(query), expected);
      });
    }

    it('that are given more than once must all hold', async () => {
      const all = async (...params: [name: string, value: string][]) =>
        names((await read(api, 'group', `/v3/groups?${new URLSearchParams([['domain_id', domain.id], ...params])}`)).rows);
      assert.deepEqual(await all(['name__contains', 'lph'], ['name__contains', 'bet']), ['alphabet']);
      assert.deepEqual(await all(['name', 'beta'], ['name', 'beta']), ['beta']);
      assert.deepEqual(await all(['name', 'beta'], ['name', 'Alpha']), []);
      const many = Array.from({ length: 11 }, (): [string, string] => ['name__contains', 'a']);
      assert.deepEqual(await all(...many.slice(1)), await all(['name__contains', 'a']));
      assertRefused(await api.get(`/v3/groups?${new URLSearchParams(many)}`), 400, /'name__contains'.*more than 10/);
    });

    it('that are empty find everything', async () => {
      for (const comparison of ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'])
        assert.equal((await found({ [`name__${comparison}`]: '' })).length, texts.length);
    });
  });

  describe('filters on booleans', () => {
    let domain: Row;
    before(async () => {
      domain = await makeDomain();
      await fill('user', ['on'], { domain_id: domain.id, enabled: true });
      await fill('user', ['off'], { domain_id: domain.id, enabled: false });
    });
    const path = (value: string) => `/v3/users?domain_id=${domain.id}&enabled${value}`;

    it('take true in every spelling', async () => {
      for (const value of ['', '=', '=true', '=True', '=TRUE', '=1', '=yes', '=on', '=Y', '=t'])
        assert.deepEqual(names((await read(api, 'user', path(value))).rows), ['on'], value);
    });

    it('take false in every spelling', async () => {
      for (const value of ['=false', '=False', '=FALSE', '=0', '=no', '=OFF', '=n', '=f'])
        assert.deepEqual(names((await read(api, 'user', path(value))).rows), ['off'], value);
    });

    it('refuse everything else', async () => {
      for (const value of ['=2', '=maybe', '=truee', '=%20true', '=null'])
        assertRefused(await api.get(path(value)), 400, /'enabled'/);
    });
  });

  describe('query parameters', () => {
    it('that nobody knows are ignored, even repeated ones', async () => {
      const query = 'foo=bar&foo=baz&sort_key=name&__proto__=x&constructor=y&toString=z&name__like=q&hasOwnProperty=1';
      const [plain, odd] = [await read(api, 'domain', '/v3/domains'), await read(api, 'domain', `/v3/domains?${query}`)];
      assert.deepEqual(odd.rows, plain.rows);
    });

    it('that are no text filters are refused when they are given twice', async () => {
      const repeated: [path: string, keys: string[]][] = [
        ['/v3/users', ['limit', 'marker', 'enabled', 'password_expires_at']],
        ['/v3/groups', ['limit', 'marker']],
        ['/v3/projects', ['limit', 'marker', 'is_domain', 'tags']],
        ['/v3/domains', ['limit', 'marker', 'enabled']],
      ];
      for (const [path, keys] of repeated)
        for (const key of keys) assertRefused(await api.get(`${path}?${key}=1&${key}=1`), 400, new RegExp(`'${key}'`));
    });
  });
});
