// How long a request may wait for the database, and the queue of writers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget, currentBudget, withBudget, withoutTimeLimit } from './budget.ts';
import { DatabaseUnavailable, isUnavailable, isUnreachable, isUnwritable } from './errors.ts';
import { KeyedLocks, Semaphore } from './semaphore.ts';

describe('The budget of a request', () => {
  it('counts only waiting, and concurrent queries once', async () => {
    const budget = new Budget(10_000);
    const began = performance.now();
    budget.begin();
    budget.begin();
    await new Promise((resolve) => setTimeout(resolve, 200));
    budget.end();
    budget.end();
    const left = budget.left();
    const counted = 10_000 - left;
    assert.ok(counted > 20 && counted <= performance.now() - began, `${counted}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(budget.left(), left, 'what it does otherwise is free');
  });

  it('does not count time in which the process itself was busy and the answer had already arrived', async () => {
    const budget = new Budget(10_000);
    await new Promise((resolve) => setImmediate(resolve));
    budget.begin();
    const end = performance.now() + 200;
    while (performance.now() < end);
    budget.end();
    assert.ok(budget.left() > 9_900, `${budget.left()}`);
  });

  it('does not count waiting in a queue that moves', async () => {
    const turns = new Semaphore(1);
    await withBudget(async () => {
      await turns.acquire();
      const next = turns.acquire();
      await new Promise((resolve) => setTimeout(resolve, 30));
      turns.release();
      await next;
      assert.equal(currentBudget()!.left(), 10_000);
    }, 10_000);
  });

  it('refuses queries after its end, like an unreachable database', async () => {
    const budget = new Budget(5);
    budget.begin();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.throws(() => budget.left(), DatabaseUnavailable);
    budget.end();
    assert.throws(() => budget.left(), isUnavailable);
  });

  it('applies to queries of the request, not to jobs', () => {
    assert.equal(currentBudget(), undefined);
    withBudget(() => assert.equal(currentBudget()?.isUnlimited, false));
    withoutTimeLimit(() => assert.equal(currentBudget()?.isUnlimited, true));
  });
});

describe('A semaphore', () => {
  it('admits a limited number, the next when one is released, and lets none wait forever', async () => {
    const turns = new Semaphore(1);
    await turns.acquireWithin(1000);
    await assert.rejects(turns.acquireWithin(5), DatabaseUnavailable);
    const next = turns.acquireWithin(10_000);
    turns.release();
    await next;
    turns.release();
    await turns.acquireWithin(5);
  });

  it('lets callers wait while the queue moves, however long it is, and gives up when it stalls', async () => {
    const turns = new Semaphore(1, 100);
    await turns.acquireWithin(1000);
    let done = 0;
    // Ten that take 20 ms each: the last ones wait longer than the stall limit.
    const all = Array.from({ length: 10 }, () =>
      turns.run(async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        done++;
      }),
    );
    turns.release();
    await Promise.all(all);
    assert.equal(done, 10);
    await turns.acquireWithin(1000);
    const stuck = turns.acquireWithin(60_000);
    await assert.rejects(stuck, DatabaseUnavailable);
  });

  it('does not count refusals of the database as progress', async () => {
    const turns = new Semaphore(1, 50);
    await turns.acquireWithin(1000);
    const refused = turns.run(() => Promise.reject(new DatabaseUnavailable('away')));
    const behind = Array.from({ length: 3 }, () => turns.run(() => new Promise<void>(() => {})));
    turns.release(false);
    await assert.rejects(refused, DatabaseUnavailable);
    // The first one is admitted and holds its slot.
    await Promise.all(behind.slice(1).map((one) => assert.rejects(one, DatabaseUnavailable)));
  });
});

describe('Keyed locks', () => {
  it('admit one at a time for each key, independently of other keys', async () => {
    const lines = new KeyedLocks();
    const order: string[] = [];
    let open = (): void => {};
    const held = lines.run('a', () => new Promise<void>((resolve) => (open = resolve)));
    const behind = lines.run('a', async () => void order.push('a'));
    await lines.run('b', async () => void order.push('b'));
    open();
    await Promise.all([held, behind]);
    assert.deepEqual(order, ['b', 'a']);
  });
});

describe('An error of a database', () => {
  it('is classified: unreachable, not storing, busy, or something else', () => {
    const of = (fields: object) => Object.assign(new Error('x'), fields);
    for (const code of ['ECONNREFUSED', '57P01', '08006', '53300']) assert.ok(isUnreachable(of({ code })), code);
    for (const code of ['25006', '53100', 'ENOSPC']) assert.ok(isUnwritable(of({ code })) && !isUnreachable(of({ code })), code);
    for (const errcode of [8, 10, 13, 778]) assert.ok(isUnwritable(of({ errcode })), String(errcode));
    for (const code of ['57014', '55P03', '53200', '25006']) assert.ok(isUnavailable(of({ code })), code);
    for (const fields of [{ code: '23505' }, { code: '42P01' }, { errcode: 1 }, { errcode: 2067 }, {}])
      assert.ok(!isUnavailable(of(fields)), JSON.stringify(fields));
  });
});
