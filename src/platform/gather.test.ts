// Concurrent requests that share a statement.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import * as openTelemetry from '@opentelemetry/api';
import { DatabaseUnavailable } from './database/index.ts';
import { currentDeadline, OutOfTime, untilDeadline, withDeadline } from './deadline.ts';
import { gather } from './gather.ts';
import { turnOff, turnOn } from './tracing/index.ts';

/** Statements that end when the test says so. */
function heldStatements() {
  const begun: { readonly keys: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const ask = (keys: readonly string[]): Promise<string[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const end = (error?: Error): void => (error ? reject(error) : resolve(keys.map((key) => `${key} of ${keys.length}`)));
    begun.push({ keys, end });
    return promise;
  };
  return { begun, ask };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Requests that share a statement', () => {
  it('are asked at once if there is little to do, and gather while two statements run', async () => {
    const { begun, ask } = heldStatements();
    const find = gather(ask);
    const answers = ['a', 'b', 'c', 'd', 'e'].map((key) => find(key));
    assert.deepEqual(
      begun.map(({ keys }) => keys),
      [['a'], ['b']],
    );
    begun[1]!.end();
    assert.equal(await answers[1], 'b of 1');
    await turn();
    assert.deepEqual(begun[2]!.keys, ['c', 'd', 'e']);
    begun[0]!.end();
    begun[2]!.end();
    assert.deepEqual(await Promise.all(answers), ['a of 1', 'b of 1', 'c of 3', 'd of 3', 'e of 3']);
  });

  it('are never answered by a statement that began before them', async () => {
    const { begun, ask } = heldStatements();
    const find = gather(ask);
    const [first, second, same] = [find('a'), find('b'), find('a')];
    begun[0]!.end();
    begun[1]!.end();
    await Promise.all([first, second, turn()]);
    assert.deepEqual(begun[2]!.keys, ['a']);
    begun[2]!.end();
    assert.equal(await same, 'a of 1');
  });

  it('are each asked alone when they fail together, unless the database is away', async () => {
    const asked: string[] = [];
    const finderThat = (error: Error) =>
      gather(async (keys: readonly string[]): Promise<readonly string[]> => {
        asked.push(keys.join());
        await turn();
        if (keys.includes('bad')) throw error;
        return keys;
      });
    const outcomes = async (find: (key: string) => Promise<string>) =>
      (await Promise.allSettled(['x', 'y', 'good', 'bad', 'other'].map(find))).map(({ status }) => status === 'fulfilled');
    assert.deepEqual(await outcomes(finderThat(new DatabaseUnavailable())), [true, true, false, false, false]);
    asked.length = 0;
    assert.deepEqual(await outcomes(finderThat(new Error('bad'))), [true, true, true, false, true]);
    assert.deepEqual(asked, ['x', 'y', 'good,bad,other', 'good', 'bad', 'other']);
  });

  it('do not wait for statements that take long', async () => {
    const { begun, ask } = heldStatements();
    const find = gather(ask);
    const answers = ['held', 'too', 'quick'].map((key) => find(key));
    while (begun.length < 3) await turn();
    begun[2]!.end();
    assert.equal(await answers[2], 'quick of 1');
    for (const { end } of begun) end();
    await Promise.all(answers);
  });

  it('are each asked in the trace of a request that is in the statement, with its deadline', async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const find = gather(async (keys: readonly string[]) => {
      seen.push(`${keys} for ${requests.getStore()}`);
      assert.ok(currentDeadline()!.left() <= 1000);
      await turn();
      return keys;
    });
    const askAll = () =>
      Promise.all(['a', 'b', 'c', 'd'].map((key) => requests.run(key, () => withDeadline(() => find(key), 1000))));
    turnOn(openTelemetry);
    try {
      await askAll();
    } finally {
      turnOff();
    }
    assert.deepEqual(seen.splice(0), ['a for a', 'b for b', 'c,d for c']);
    // What is of no use without traces is not kept.
    await askAll();
    assert.deepEqual(
      seen,
      ['a', 'b', 'c,d'].map((keys) => `${keys} for undefined`),
    );
  });

  it('wait until their own deadline only; nothing is begun for one that is over, and others that were asked with it are asked again', async () => {
    const { begun, ask } = heldStatements();
    const untilLate = (keys: readonly string[]): Promise<string[]> => untilDeadline(ask(keys));
    const find = gather(untilLate);
    const shortly = (key: string, milliseconds: number): Promise<string> => withDeadline(() => find(key), milliseconds);
    const [first, second, late] = [shortly('first', 150), find('second'), shortly('late', 10)];
    await assert.rejects(late, OutOfTime);
    await assert.rejects(first, OutOfTime);
    begun[1]!.end();
    assert.equal(await second, 'second of 1');
    assert.deepEqual(
      begun.map(({ keys }) => keys),
      [['first'], ['second']],
    );
    const [held, other, short, long] = [find('held'), find('other'), shortly('short', 50), find('long')];
    begun[2]!.end();
    await held;
    await turn();
    assert.deepEqual(begun[4]!.keys, ['short', 'long']);
    await assert.rejects(short, OutOfTime);
    while (begun.length < 6) await turn();
    assert.deepEqual(begun[5]!.keys, ['long']);
    begun.at(-1)!.end();
    assert.equal(await long, 'long of 1');
    begun[3]!.end();
    await other;
  });
});
