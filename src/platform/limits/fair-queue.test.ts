import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withDeadline } from '../deadline.ts';
import { Fault } from '../faults/index.ts';
import { FairQueue } from './fair-queue.ts';

/** Work that ends when the test says so. */
function bench(rules: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const time = { now: 0 };
  const queue = new FairQueue({ slots: 1, maxWaiting: 100, patienceMs: 5000, ...rules }, () => time.now);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (name: string, key: string, signal?: AbortSignal) =>
    queue
      .run({ key, signal }, () => {
        begun.push(name);
        return new Promise<void>((end) => ends.push(end));
      })
      .catch((error: unknown) => {
        assert.ok(error instanceof Fault);
        refused.push(`${name} ${error.status}`);
      });
  /** Ends what runs, after this number of milliseconds. */
  const finish = async (ms = 0) => {
    time.now += ms;
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, begun, refused, enter, finish };
}

describe('A fair queue', () => {
  it('lets clients take turns, so that one with much work does not block the others', async () => {
    const { begun, enter, finish } = bench();
    for (let i = 0; i < 50; i++) enter(`greedy ${i}`, 'greedy');
    enter('other', 'other');
    enter('third', 'third');
    for (let i = 0; i < 5; i++) await finish();
    assert.deepEqual(begun.slice(0, 6), ['greedy 0', 'greedy 1', 'other', 'third', 'greedy 2', 'greedy 3']);
  });

  it('drops waiting work of clients that have disconnected', async () => {
    const { queue, begun, refused, enter, finish } = bench();
    const gone = new AbortController();
    enter('first', 'a');
    for (let i = 0; i < 60; i++) enter(`dropped ${i}`, 'b', gone.signal);
    enter('next', 'c');
    gone.abort();
    assert.equal(queue.waiting, 1);
    await finish();
    assert.deepEqual(begun, ['first', 'next']);
    assert.equal(refused.length, 60);
    assert.ok(refused.every((one) => one.endsWith(' 499')));
    enter('too late', 'b', gone.signal);
    await finish();
    assert.equal(queue.started, 2);
  });

  it('refuses work that could not be served in time', async () => {
    const { queue, refused, enter, finish } = bench({ patienceMs: 5000 });
    enter('measured', 'a');
    await finish(1000);
    for (let i = 0; i < 8; i++) enter(`${i}`, 'a');
    assert.equal(queue.waiting, 5);
    await finish();
    assert.deepEqual(refused, ['6 503', '7 503']);
  });

  it('lets no request wait past its deadline, whatever was expected', async () => {
    const { queue, begun, refused, enter, finish } = bench();
    enter('first', 'a');
    await withDeadline(() => enter('late', 'b'), 20);
    enter('next', 'b');
    assert.deepEqual([refused, queue.refused, queue.waiting], [['late 503'], 1, 1]);
    await finish();
    assert.deepEqual(begun, ['first', 'next']);
  });

  it('when full, drops work of the client with the most for a client with less', async () => {
    const { refused, begun, enter, finish } = bench({ maxWaiting: 4 });
    enter('runs', 'greedy');
    for (let i = 0; i < 4; i++) enter(`greedy ${i}`, 'greedy');
    enter('other', 'other');
    await finish();
    assert.deepEqual(refused, ['greedy 3 503']);
    await finish();
    assert.deepEqual(begun, ['runs', 'greedy 0', 'other']);
  });

  it('reports when all work has ended', async () => {
    const { queue, enter, finish } = bench();
    await queue.settled();
    enter('first', 'a');
    enter('second', 'a');
    let settled = false;
    queue.settled().then(() => {
      settled = true;
    });
    await finish();
    assert.ok(!settled);
    await finish();
    assert.ok(settled);
  });

  it('continues after work that failed', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 1, patienceMs: 1000 });
    await assert.rejects(
      queue.run({ key: 'a' }, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await queue.run({ key: 'a' }, async () => 'yes'), 'yes');
  });
});
