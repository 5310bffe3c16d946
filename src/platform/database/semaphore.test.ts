// The queue for connections and of writers, and the kinds of errors of a database.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutOfTime, withDeadline } from '../deadline.ts';
import { isUnavailable, isUnreachable, isUnwritable } from './errors.ts';
import { KeyedLocks, Semaphore } from './semaphore.ts';

describe('A semaphore', () => {
  it('admits a limited number, the next when one is released, and lets no request wait past its deadline', async () => {
    const turns = new Semaphore(1);
    await turns.acquire();
    await assert.rejects(
      withDeadline(() => turns.acquire(), 5),
      OutOfTime,
    );
    assert.equal(turns.waiting, 0);
    const next = withDeadline(() => turns.acquire());
    turns.release();
    await next;
    turns.release();
    await withDeadline(() => turns.acquire(), 5);
  });

  it('lets nobody wait longer because the queue moves', async () => {
    const turns = new Semaphore(1);
    await turns.acquire();
    const older = Array.from({ length: 40 }, () => withDeadline(() => turns.run(() => sleep(20)), 600_000));
    const late = withDeadline(() => turns.acquire(), 100);
    turns.release();
    await assert.rejects(late, OutOfTime);
    await Promise.all(older);
  });

  it('admits those first whose request came first, although they came to the queue later', async () => {
    const turns = new Semaphore(1);
    await turns.acquire();
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      await turns.acquire();
      order.push(name);
      turns.release();
    };
    const [go, begin] = [Promise.withResolvers<void>(), performance.now()];
    const first = withDeadline(() => go.promise.then(() => take('first')));
    while (performance.now() === begin);
    const second = withDeadline(() => take('second'));
    go.resolve();
    await sleep(1);
    turns.release();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
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
    assert.ok(isUnavailable(new OutOfTime()) && !isUnreachable(new OutOfTime()), 'a deadline says nothing about the database');
    for (const fields of [{ code: '23505' }, { code: '42P01' }, { errcode: 1 }, { errcode: 2067 }, {}])
      assert.ok(!isUnavailable(of(fields)), JSON.stringify(fields));
  });
});
