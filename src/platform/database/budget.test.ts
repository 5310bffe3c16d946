// The time a request may wait for the database, and the line of changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget, currentBudget, patiently, withBudget } from './budget.ts';
import { DatabaseUnavailable, isUnavailable, isUnreachable, isUnwritable } from './errors.ts';
import { KeyedLocks, Semaphore } from './semaphore.ts';

describe('The budget of a request', () => {
  it('counts waiting only, and questions asked together once', async () => {
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

  it('does not count what the process itself was busy with while the answer lay there', async () => {
    const budget = new Budget(10_000);
    await new Promise((resolve) => setImmediate(resolve));
    budget.begin();
    const end = performance.now() + 200;
    while (performance.now() < end);
    budget.end();
    assert.ok(budget.left() > 9_900, `${budget.left()}`);
  });

  it('does not count places in a line that gets ahead', async () => {
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

  it('refuses what comes after its end, as a database that is away', async () => {
    const budget = new Budget(5);
    budget.begin();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.throws(() => budget.left(), DatabaseUnavailable);
    budget.end();
    assert.throws(() => budget.left(), isUnavailable);
  });

  it('belongs to what is asked within it, and not to jobs', () => {
    assert.equal(currentBudget(), undefined);
    withBudget(() => assert.equal(currentBudget()?.isPatient, false));
    patiently(() => assert.equal(currentBudget()?.isPatient, true));
  });
});

describe('The line of changes', () => {
  it('lets so many in, the next when one leaves, and nobody wait for ever', async () => {
    const turns = new Semaphore(1);
    await turns.acquireWithin(1000);
    await assert.rejects(turns.acquireWithin(5), DatabaseUnavailable);
    const next = turns.acquireWithin(10_000);
    turns.release();
    await next;
    turns.release();
    await turns.acquireWithin(5);
  });

  it('that gets ahead is waited in however long it is; one that stands still is left', async () => {
    const turns = new Semaphore(1, 100);
    await turns.acquireWithin(1000);
    let done = 0;
    // Ten who take 20 ms each: the last ones wait longer than the line may stand still.
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

  it('does not take what the database refused for getting ahead', async () => {
    const turns = new Semaphore(1, 50);
    await turns.acquireWithin(1000);
    const refused = turns.run(() => Promise.reject(new DatabaseUnavailable('away')));
    const behind = Array.from({ length: 3 }, () => turns.run(() => new Promise<void>(() => {})));
    turns.release(false);
    await assert.rejects(refused, DatabaseUnavailable);
    // The first of them has its turn, and keeps it.
    await Promise.all(behind.slice(1).map((one) => assert.rejects(one, DatabaseUnavailable)));
  });
});

describe('Lines by name', () => {
  it('let one at a time through each, and others past', async () => {
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
  it('is told apart: away, storing nothing, busy, or something else', () => {
    const of = (fields: object) => Object.assign(new Error('x'), fields);
    for (const code of ['ECONNREFUSED', '57P01', '08006', '53300']) assert.ok(isUnreachable(of({ code })), code);
    for (const code of ['25006', '53100', 'ENOSPC']) assert.ok(isUnwritable(of({ code })) && !isUnreachable(of({ code })), code);
    for (const errcode of [8, 10, 13, 778]) assert.ok(isUnwritable(of({ errcode })), String(errcode));
    for (const code of ['57014', '55P03', '53200', '25006']) assert.ok(isUnavailable(of({ code })), code);
    for (const fields of [{ code: '23505' }, { code: '42P01' }, { errcode: 1 }, { errcode: 2067 }, {}])
      assert.ok(!isUnavailable(of(fields)), JSON.stringify(fields));
  });
});
