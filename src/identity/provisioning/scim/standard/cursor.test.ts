import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../../test/support/api.ts';
import {
  assertScimRefused,
  BULK_REQUEST,
  connect,
  idsIn,
  type ScimClient,
  SEARCH,
  USER,
} from '../../../../../test/support/scim.ts';

const SIZE = 250;

onEachDatabase('SCIM pages by cursor', (api) => {
  let scim: ScimClient;
  let all: any[];
  before(async () => {
    scim = (await connect(api)).scim;
    // Names in both cases, with letters that databases order in their own ways; several share a title, some have none.
    const operations = Array.from({ length: SIZE }, (_, n) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `u${n}`,
      data: {
        schemas: [USER],
        userName: `${['a', 'B', 'é', 'Ω', '-', '_', ' x', 'Z', '1', '"'][n % 10]}-person-${(n * 7919) % 1000}`.trim(),
        ...(n % 3 === 0 ? {} : { title: `title ${n % 5}` }),
        active: n % 2 === 0,
      },
    }));
    const { Operations } = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations: operations }));
    assert.ok(Operations.every(({ status }: { status: string }) => status === '201'));
    all = (await scim.list('/Users', { count: 1000 })).Resources;
    assert.equal(all.length, SIZE);
  });

  /** All pages from the first to the one without a cursor. */
  async function walk(query: Record<string, string | number>, between?: (page: any) => Promise<void>): Promise<any[]> {
    const pages: any[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; cursor = pages.at(-1).nextCursor) {
      const page = await scim.list('/Users', { ...query, cursor });
      pages.push(page);
      assert.ok(pages.length <= SIZE, 'the pages do not end');
      await between?.(page);
    }
    return pages;
  }

  const walks: [string, Record<string, string>, (user: any) => boolean][] = [
    ['of everything', {}, () => true],
    ['with a filter the database answers', { filter: 'active eq false' }, ({ active }) => !active],
    [
      'with a filter that looks at each',
      { filter: 'title co "title" and not (title ew "1")' },
      ({ title }) => title && title !== 'title 1',
    ],
    ['with both', { filter: 'active eq true and userName co "1"' }, (user) => user.active && user.userName.includes('1')],
  ];
  for (const [name, query, wanted] of walks) {
    it(`have each once, in the order of the list, ${name}`, async () => {
      const expected = all.filter(wanted).map(({ id }) => id);
      assert.ok(expected.length > 20);
      assert.deepEqual(idsIn(await scim.list('/Users', { ...query, count: 1000 })), expected);
      for (const count of [7, 30, expected.length - 1, expected.length, 1000]) {
        const pages = await walk({ ...query, count });
        assert.deepEqual(pages.flatMap(idsIn), expected, `by ${count}`);
        assert.ok(pages.slice(0, -1).every(({ itemsPerPage }) => itemsPerPage === count));
        assert.equal(pages.length, Math.ceil(expected.length / count), 'no page is empty');
      }
    });
  }

  for (const sortBy of ['title', 'userName', 'meta.lastModified', 'id']) {
    it(`have each once, sorted by ${sortBy}, either way, with and without a filter`, async () => {
      for (const query of [
        { sortBy },
        { sortBy, sortOrder: 'descending' },
        { sortBy, filter: 'active eq true' },
        { sortBy, filter: 'title sw "title" and active eq true' },
      ]) {
        const expected = idsIn(await scim.list('/Users', { ...query, count: 1000 }));
        const pages = await walk({ ...query, count: 40 });
        assert.deepEqual(pages.flatMap(idsIn), expected);
        assert.equal(new Set(expected).size, expected.length);
      }
    });
  }

  it('lose nobody and repeat nobody while others come and go', async () => {
    const passing = await Promise.all(['a-0', 'm-0', 'zz-0'].map((userName) => scim.makeUser({ userName })));
    let turn = 0;
    const pages = await walk({ count: 30 }, async () => {
      const gone = passing.pop();
      if (gone) assertOk(await scim.delete(`/Users/${gone.id}`), 204);
      else if (turn++ < 2) assertOk(await scim.delete(`/Users/${(await scim.makeUser({ userName: `0-new-${turn}` })).id}`), 204);
    });
    const seen = pages.flatMap(idsIn);
    assert.equal(new Set(seen).size, seen.length);
    const missed = all.filter(({ id }) => !seen.includes(id));
    assert.deepEqual(missed, []);
  });

  it('come by .search too, and show no startIndex', async () => {
    const first = assertOk(await scim.post('/Users/.search', { schemas: [SEARCH], cursor: '', count: 100 }));
    assert.equal('startIndex' in first, false);
    assert.equal(typeof first.nextCursor, 'string');
    const second = assertOk(await scim.post('/Users/.search', { schemas: [SEARCH], cursor: first.nextCursor, count: 1000 }));
    assert.equal('nextCursor' in second, false);
    assert.deepEqual(
      [...idsIn(first), ...idsIn(second)],
      all.map(({ id }) => id),
    );
  });

  describe('the cursor', () => {
    it('that is none of this list is 400 invalidCursor', async () => {
      const { nextCursor } = await scim.list('/Users', { cursor: '', count: 10 });
      const sorted = (await scim.list('/Users', { cursor: '', count: 10, sortBy: 'title' })).nextCursor;
      for (const query of [
        'cursor=nonsense',
        'cursor=%25%25',
        `cursor=${nextCursor.slice(0, 8)}`,
        `cursor=${sorted}`,
        `cursor=${sorted}&filter=${encodeURIComponent('title pr')}`,
        `cursor=${nextCursor}&sortBy=title`,
      ]) {
        assertScimRefused(await scim.get(`/Users?${query}`), 400, 'invalidCursor');
      }
      assertScimRefused(await scim.post('/.search', { schemas: [SEARCH], cursor: nextCursor }), 400, 'invalidCursor');
    });

    it('is missing when the count is 0, so that clients do not loop', async () => {
      for (const query of [{}, { sortBy: 'title' }, { filter: 'title pr' }]) {
        const page = await scim.list('/Users', { ...query, cursor: '', count: 0 });
        assert.deepEqual([page.Resources, 'nextCursor' in page], [[], false]);
      }
    });
  });
});
