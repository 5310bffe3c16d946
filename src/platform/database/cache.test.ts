import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createCaches } from './caches.ts';
import { Subscribers } from './database.ts';

interface Value {
  readonly name: string;
  readonly tags: readonly string[];
  readonly end?: number;
}

const value = (name: string, ...tags: string[]): Value => ({ name, tags });

let isLive: boolean;
let subscribers: Subscribers;
const create = () => createCaches({ live: () => isLive, onChange: (handler) => subscribers.add(handler) });
/** A change with these tags; undefined: anything may have changed. */
const change = (...tags: string[]) => subscribers.notify(tags);
const anyChange = () => subscribers.notify(undefined);

beforeEach(() => {
  isLive = true;
  subscribers = new Subscribers();
});

describe('A cache', () => {
  let now: number;
  const cacheOf = (limit = 10) =>
    create().cached<Value>({
      name: 'values',
      limit,
      tags: ({ tags }) => tags,
      expiry: { clock: { now: () => now }, at: ({ end }) => end ?? Number.POSITIVE_INFINITY },
    });
  type TestCache = ReturnType<typeof cacheOf>;
  const put = (cache: TestCache, key: string, ...tags: string[]) => cache.load(key, async () => value(key, ...tags));
  const namesIn = (cache: TestCache, ...keys: string[]) => keys.map((key) => cache.get(key)?.name);

  /** A load that waits until the test gives it a result. */
  function slow(cache: TestCache, key: string) {
    const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
    return { result: cache.load(key, () => promise), finish: resolve, fail: reject };
  }

  beforeEach(() => {
    now = 1_000;
  });

  it('answers what was loaded, and the newest of a key', async () => {
    const cache = cacheOf();
    assert.equal(cache.get('a'), undefined);
    const loaded = await put(cache, 'a', 'one');
    assert.equal(cache.get('a'), loaded);
    const again = await put(cache, 'a', 'two');
    assert.equal(cache.get('a'), again);
    assert.equal(cache.size, 1);
    change('one');
    assert.equal(cache.get('a'), again, 'the tags of the older one went with it');
    change('two');
    assert.equal(cache.get('a'), undefined);
  });

  it('answers at once what it has, and reads what it has not', async () => {
    const cache = cacheOf();
    const loading = cache.getOrLoad('a', async () => value('a', 'one'));
    assert.ok(loading instanceof Promise);
    const loaded = await loading;
    assert.equal(
      cache.getOrLoad('a', () => assert.fail('read again')),
      loaded,
    );
  });

  it('stores nothing when nothing was found', async () => {
    const cache = cacheOf();
    assert.equal(await cache.load('a', async () => undefined), undefined);
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.size, 0);
  });

  it('drops exactly the entries that carry a tag', async () => {
    const cache = cacheOf();
    await put(cache, 'a', 'user:1', 'group:1');
    await put(cache, 'b', 'user:2', 'group:1');
    await put(cache, 'c', 'user:3');
    change('user:1');
    assert.deepEqual(namesIn(cache, 'a', 'b', 'c'), [undefined, 'b', 'c']);
    change('no such tag', 'group:1');
    assert.deepEqual(namesIn(cache, 'a', 'b', 'c'), [undefined, undefined, 'c']);
    assert.equal(cache.size, 1);
  });

  it('drops everything when anything may have changed', async () => {
    const cache = cacheOf();
    await put(cache, 'a', 'one');
    await put(cache, 'b');
    anyChange();
    assert.equal(cache.size, 0);
    await put(cache, 'a', 'one');
    change('one');
    assert.equal(cache.size, 0);
  });

  it('never exceeds its limit, and removes the oldest entry', async () => {
    const cache = cacheOf(3);
    for (const key of ['a', 'b', 'c', 'd']) await put(cache, key, 'all');
    assert.deepEqual(namesIn(cache, 'a', 'b', 'c', 'd'), [undefined, 'b', 'c', 'd']);
    await put(cache, 'b', 'all');
    await put(cache, 'e', 'all');
    assert.deepEqual(namesIn(cache, 'b', 'c', 'd', 'e'), ['b', undefined, 'd', 'e'], 'loaded anew is young again');
    change('all');
    assert.equal(cache.size, 0);
  });

  it('removes an expired entry', async () => {
    const cache = cacheOf();
    await cache.load('a', async () => ({ ...value('a', 'one'), end: 2_000 }));
    now = 1_999;
    assert.equal(cache.get('a')?.name, 'a');
    now = 2_000;
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.size, 0);
  });

  it('does not store what has already expired, which pushes out nothing', async () => {
    const cache = cacheOf(1);
    const expired = async () => ({ ...value('b', 'one'), end: 1_000 });
    await put(cache, 'a', 'one');
    assert.equal((await cache.load('b', expired))?.name, 'b');
    assert.deepEqual([namesIn(cache, 'a', 'b'), cache.size], [['a', undefined], 1]);
    await cache.load('a', expired);
    assert.deepEqual([cache.get('a'), cache.size], [undefined, 0], 'nor does the older one of its key stay');
  });

  describe('during a load', () => {
    it('returns the value but does not store it, if a change happened meanwhile', async () => {
      const cache = cacheOf();
      for (const overtake of [() => change('one'), anyChange]) {
        const load = slow(cache, 'a');
        overtake();
        load.finish(value('stale', 'one', 'two'));
        assert.equal((await load.result)?.name, 'stale');
        assert.equal(cache.get('a'), undefined);
      }
    });

    it('stores the value if only other tags changed meanwhile, or the change was before', async () => {
      const cache = cacheOf();
      change('one');
      const load = slow(cache, 'a');
      change('other');
      load.finish(value('fresh', 'one'));
      await load.result;
      assert.equal(cache.get('a')?.name, 'fresh');
    });

    it('handles overlapping loads separately', async () => {
      const cache = cacheOf();
      const early = slow(cache, 'early');
      change('one');
      const late = slow(cache, 'late');
      late.finish(value('late', 'one'));
      await late.result;
      early.finish(value('early', 'one'));
      await early.result;
      assert.deepEqual(namesIn(cache, 'late', 'early'), ['late', undefined], 'one began after the change, one before');
    });

    it('does not let an outdated load remove what a later one stored', async () => {
      const cache = cacheOf();
      const early = slow(cache, 'a');
      change('one');
      await put(cache, 'a', 'one');
      early.finish(value('stale', 'one'));
      await early.result;
      assert.equal(cache.get('a')?.name, 'a');
    });

    it('is not affected by a load that fails', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      change('one');
      load.fail(new Error('no database'));
      await assert.rejects(load.result, /no database/);
      await put(cache, 'a', 'one');
      assert.equal(cache.get('a')?.name, 'a', 'the change of that time counts no longer');
    });

    it('does not store the value after too many changes', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      for (let i = 0; i <= 10_000; i++) change(`other:${i}`);
      load.finish(value('a', 'one'));
      await load.result;
      assert.equal(cache.get('a'), undefined);
    });
  });

  describe('with concurrent callers for the same key', () => {
    it('reads once', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      const other = cache.getOrLoad('a', () => assert.fail('read twice'));
      load.finish(value('a', 'one'));
      assert.equal(await other, await load.result);
      assert.equal((await put(cache, 'a'))?.tags.length, 0, 'and again for who asks later');
    });

    it('reads for each key', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      assert.equal((await put(cache, 'b'))?.name, 'b');
      load.finish(undefined);
      assert.equal(await load.result, undefined);
    });

    it('reads again for callers that come after any change', async () => {
      const cache = cacheOf();
      const early = slow(cache, 'a');
      change('who knows');
      const late = cache.load('a', async () => value('truth'));
      early.finish(value('before'));
      assert.equal((await early.result)?.name, 'before');
      assert.equal((await late)?.name, 'truth');
    });

    it('shares the later read with later callers, and not the earlier one', async () => {
      const cache = cacheOf();
      const early = slow(cache, 'a');
      change('one');
      const late = slow(cache, 'a');
      early.finish(value('before', 'one'));
      await early.result;
      const last = cache.load('a', () => assert.fail('read a third time'));
      late.finish(value('truth', 'one'));
      assert.equal((await last)?.name, 'truth');
    });

    it('lets each caller that shared a failed read try again', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      const other = cache.load('a', async () => value('a'));
      load.fail(new Error('waited too long'));
      await assert.rejects(load.result, /waited too long/);
      assert.equal((await other)?.name, 'a');
    });
  });

  describe('while the feed is down', () => {
    it('returns nothing, and returns its entries again when the feed is back and nothing was missed', async () => {
      const cache = cacheOf();
      await put(cache, 'a', 'one');
      isLive = false;
      assert.equal(cache.get('a'), undefined);
      assert.equal((await cache.getOrLoad('a', async () => value('truth')))?.name, 'truth');
      isLive = true;
      assert.equal(cache.get('a')?.name, 'a');
    });

    it('stores nothing, though the load began before', async () => {
      const cache = cacheOf();
      const load = slow(cache, 'a');
      isLive = false;
      load.finish(value('a'));
      await load.result;
      await put(cache, 'b');
      assert.equal(cache.size, 0);
    });

    it('shares no reads, because another process may have changed the data in between', async () => {
      const cache = cacheOf();
      const before = slow(cache, 'a');
      isLive = false;
      const [one, two] = [slow(cache, 'a'), slow(cache, 'a')];
      one.finish(value('one'));
      two.finish(value('two'));
      before.finish(value('before'));
      assert.deepEqual(
        (await Promise.all([before.result, one.result, two.result])).map((found) => found?.name),
        ['before', 'one', 'two'],
      );
    });
  });
});

describe('A cached set', () => {
  const END = 5_000;
  const membersOf = (ids: readonly string[]) => ids.map((id) => ({ id, expiresAt: END }));
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** A table whose pages and look-ups are answered when the test says so. */
  function table() {
    const pages: PromiseWithResolvers<readonly string[] | undefined>[] = [];
    const looks: (PromiseWithResolvers<readonly string[]> & { readonly ids: readonly string[] })[] = [];
    async function* read() {
      for (;;) {
        const next = Promise.withResolvers<readonly string[] | undefined>();
        pages.push(next);
        const page = await next.promise;
        if (!page) return;
        yield membersOf(page);
      }
    }
    async function find(ids: readonly string[]) {
      const look = { ...Promise.withResolvers<readonly string[]>(), ids };
      looks.push(look);
      return membersOf(await look.promise);
    }
    return {
      read,
      find,
      async page(page: readonly string[] | undefined) {
        pages.shift()?.resolve(page);
        await turn();
      },
      async failPage() {
        pages.shift()!.reject(new Error('no database'));
        await turn();
      },
      /** Answers a look-up, and returns the requested ids. */
      async found(...ids: string[]) {
        const look = looks.shift()!;
        look.resolve(ids);
        await turn();
        return look.ids;
      },
      async failFind() {
        looks.shift()!.reject(new Error('no database'));
        await turn();
      },
    };
  }
  type Table = ReturnType<typeof table>;
  const setOf = ({ read, find }: Table) => create().cachedSet({ name: 'ids', tagPrefix: 'id:', read, find });
  const answers = (set: ReturnType<typeof setOf>, ...ids: string[]) => ids.map((id) => set.has(id));

  it('returns undefined until everything is read, and then knows what is in it and what is not', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(['a']);
    assert.equal(set.has('a'), undefined);
    set.add({ id: 'b', expiresAt: END });
    await source.page(undefined);
    assert.deepEqual(answers(set, 'a', 'b', 'c'), [true, true, false]);
    assert.equal(set.size, 2);
  });

  it('looks up ids from the feed, and returns undefined for them until then', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(undefined);
    change('id:true', 'id:false', 'other:c');
    assert.deepEqual(answers(set, 'true', 'false', 'c'), [undefined, undefined, false]);
    change('id:false');
    assert.deepEqual(await source.found('true'), ['true', 'false']);
    assert.deepEqual(answers(set, 'true', 'false'), [true, undefined], 'told again, it is looked up again');
    assert.deepEqual(await source.found(), ['false']);
    assert.equal(set.has('false'), false);
    assert.equal(set.size, 1);
  });

  it('returns undefined for an id that the feed names while others are looked up', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(undefined);
    change('id:first');
    change('id:second');
    assert.equal(set.has('second'), undefined);
    await source.found();
    assert.deepEqual(await source.found('second'), ['second']);
    assert.deepEqual(answers(set, 'first', 'second'), [false, true]);
  });

  it('is read again after too many changes, or when a look-up fails', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(undefined);
    change('id:a');
    await source.failFind();
    assert.equal(set.has('b'), undefined);
    await source.page(['a']);
    await source.page(undefined);
    assert.equal(set.has('a'), true);
    change(...Array.from({ length: 1001 }, (_, i) => `id:${i}`));
    assert.equal(set.has('a'), undefined);
    await source.page(['a', '1']);
    await source.page(undefined);
    assert.deepEqual(answers(set, 'a', '1', '2'), [true, true, false], 'none of them is looked up any more');
  });

  it('removes expired ids', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(['a']);
    await source.page(undefined);
    set.deleteExpired(END);
    assert.equal(set.has('a'), true);
    set.deleteExpired(END + 1);
    assert.equal(set.has('a'), false);
  });

  it('returns undefined while the feed is down', async () => {
    const source = table();
    const set = setOf(source);
    await source.page(undefined);
    isLive = false;
    assert.equal(set.has('a'), undefined);
    isLive = true;
    assert.equal(set.has('a'), false);
  });

  it('is read again when anything may have changed, and ignores the earlier read', async () => {
    const source = table();
    const set = setOf(source);
    anyChange();
    await source.page(['of the older reading']);
    await source.page(undefined);
    assert.equal(set.has('of the older reading'), false);
    anyChange();
    assert.equal(set.has('new'), undefined);
    await source.page(['new']);
    await source.page(undefined);
    assert.equal(set.has('new'), true);
  });

  it('is complete when the last read has ended, not when an earlier one has', async () => {
    const source = table();
    const set = setOf(source);
    anyChange();
    await source.page(undefined);
    assert.equal(set.has('a'), undefined);
    await source.page(['a']);
    await source.page(undefined);
    assert.deepEqual(answers(set, 'a', 'b'), [true, false]);
  });

  it('is not read a third time because an earlier read fails', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const source = table();
    const set = setOf(source);
    anyChange();
    await source.failPage();
    await source.page(['a']);
    await source.page(undefined);
    mock.timers.tick(60_000);
    assert.equal(set.has('a'), true);
  });

  it('tries again when reading fails', { timeout: 20_000 }, async () => {
    const source = table();
    const set = setOf(source);
    await source.failPage();
    assert.equal(set.has('a'), undefined);
    while (set.has('a') === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await source.page(undefined);
    }
    assert.equal(set.has('a'), false);
  });
});

describe('The caches of a database', () => {
  it('have a version that differs after every change, and none while the feed is down', () => {
    const version = create().versioned({ name: 'verdicts', counts: { hits: 5, misses: 7 }, size: () => 3 });
    const first = version();
    assert.equal(version(), first);
    change('one');
    assert.notEqual(version(), first);
    isLive = false;
    assert.equal(version(), undefined);
  });

  it('have a size and counts each, by name, and no name twice', async () => {
    const caches = create();
    const cache = caches.cached<Value>({ name: 'values', limit: 10, tags: ({ tags }) => tags });
    caches.versioned({ name: 'verdicts', counts: { hits: 5, misses: 7 }, size: () => 3 });
    await cache.load('a', async () => value('a'));
    assert.deepEqual(caches.cacheSizes(), { values: 1, verdicts: 3 });
    cache.get('a');
    cache.get('b');
    isLive = false;
    cache.get('a');
    assert.deepEqual(caches.cacheHits(), { values: 1, verdicts: 5 });
    assert.deepEqual(caches.cacheMisses(), { values: 2, verdicts: 7 });
    assert.throws(() => caches.cached<Value>({ name: 'verdicts', limit: 10, tags: () => [] }), /verdicts/);
  });

  it('are notified of a change before other subscribers', async () => {
    const caches = create();
    const version = caches.versioned({ name: 'verdicts', counts: { hits: 5, misses: 7 }, size: () => 0 });
    let heard: unknown;
    subscribers.add(() => {
      heard = [cache.get('a'), version()];
    });
    const cache = caches.cached<Value>({ name: 'values', limit: 10, tags: ({ tags }) => tags });
    await cache.load('a', async () => value('a', 'one'));
    const before = version()!;
    change('one');
    assert.deepEqual(heard, [undefined, before + 1]);
  });
});
