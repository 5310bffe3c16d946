import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TaggedCache } from './tagged-cache.ts';

interface Entry {
  readonly name: string;
  readonly tags: readonly string[];
}

const entry = (name: string, ...tags: string[]): Entry => ({ name, tags });
const keep = (cache: TaggedCache<Entry>, key: string, ...tags: string[]) => cache.load(key, async () => entry(key, ...tags));

/** A load that goes on until it is told what it found. */
function slow(cache: TaggedCache<Entry>, key: string) {
  const { promise, resolve, reject } = Promise.withResolvers<Entry | undefined>();
  return { result: cache.load(key, () => promise), finish: resolve, fail: reject };
}

describe('A tagged cache', () => {
  it('keeps what was loaded, and the newest of a key', async () => {
    const cache = new TaggedCache<Entry>(10);
    assert.equal(cache.get('a'), undefined);
    const loaded = await keep(cache, 'a', 'one');
    assert.equal(cache.get('a'), loaded);
    const again = await keep(cache, 'a', 'two');
    assert.equal(cache.get('a'), again);
    assert.equal(cache.size, 1);
    cache.drop('one');
    assert.equal(cache.get('a'), again, 'the tags of the older one are forgotten with it');
    cache.drop('two');
    assert.equal(cache.get('a'), undefined);
  });

  it('keeps nothing when nothing was found', async () => {
    const cache = new TaggedCache<Entry>(10);
    assert.equal(await cache.load('a', async () => undefined), undefined);
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.size, 0);
  });

  it('drops exactly the entries that carry a tag', async () => {
    const cache = new TaggedCache<Entry>(10);
    await keep(cache, 'a', 'user:1', 'group:1');
    await keep(cache, 'b', 'user:2', 'group:1');
    await keep(cache, 'c', 'user:3');
    cache.drop('user:1');
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key)?.name),
      [undefined, 'b', 'c'],
    );
    cache.drop('group:1');
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key)?.name),
      [undefined, undefined, 'c'],
    );
    cache.drop('no such tag');
    assert.equal(cache.size, 1);
  });

  it('drops everything when no tag is given', async () => {
    const cache = new TaggedCache<Entry>(10);
    await keep(cache, 'a', 'one');
    await keep(cache, 'b');
    cache.drop(undefined);
    assert.equal(cache.size, 0);
    await keep(cache, 'a', 'one');
    cache.drop('one');
    assert.equal(cache.size, 0);
  });

  it('answers a load that was overtaken by a change, and does not keep it', async () => {
    const cache = new TaggedCache<Entry>(10);
    for (const dropped of ['one', undefined]) {
      const load = slow(cache, 'a');
      cache.drop(dropped);
      load.finish(entry('stale', 'one', 'two'));
      assert.equal((await load.result)?.name, 'stale');
      assert.equal(cache.get('a'), undefined);
    }
  });

  it('keeps a load when only other things changed meanwhile, or changed before it began', async () => {
    const cache = new TaggedCache<Entry>(10);
    cache.drop('one');
    const load = slow(cache, 'a');
    cache.drop('other');
    load.finish(entry('fresh', 'one'));
    await load.result;
    assert.equal(cache.get('a')?.name, 'fresh');
  });

  it('tells loads apart that overlap', async () => {
    const cache = new TaggedCache<Entry>(10);
    const early = slow(cache, 'early');
    cache.drop('one');
    const late = slow(cache, 'late');
    late.finish(entry('late', 'one'));
    await late.result;
    early.finish(entry('early', 'one'));
    await early.result;
    assert.equal(cache.get('late')?.name, 'late', 'it began after the change');
    assert.equal(cache.get('early'), undefined, 'it began before the change');
  });

  it('does not let a load that was overtaken take away what a later one kept', async () => {
    const cache = new TaggedCache<Entry>(10);
    const early = slow(cache, 'a');
    cache.drop('one');
    await keep(cache, 'a', 'one');
    early.finish(entry('stale', 'one'));
    await early.result;
    assert.equal(cache.get('a')?.name, 'a');
  });

  it('is none the worse for a load that fails', async () => {
    const cache = new TaggedCache<Entry>(10);
    const load = slow(cache, 'a');
    cache.drop('one');
    load.fail(new Error('no database'));
    await assert.rejects(load.result, /no database/);
    await keep(cache, 'a', 'one');
    assert.equal(cache.get('a')?.name, 'a', 'the change of that time counts no longer');
  });

  it('holds no more than its limit, and lets the oldest go', async () => {
    const cache = new TaggedCache<Entry>(3);
    for (const key of ['a', 'b', 'c', 'd']) await keep(cache, key, 'all');
    assert.equal(cache.size, 3);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => cache.get(key)?.name),
      [undefined, 'b', 'c', 'd'],
    );
    await keep(cache, 'b', 'all');
    await keep(cache, 'e', 'all');
    assert.deepEqual(
      ['b', 'c', 'd', 'e'].map((key) => cache.get(key)?.name),
      ['b', undefined, 'd', 'e'],
      'loaded anew is young again',
    );
    cache.drop('all');
    assert.equal(cache.size, 0);
  });
});
