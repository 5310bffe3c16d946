import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Fault } from '../faults/index.ts';
import { Throttle } from './throttle.ts';

function clock() {
  let now = 0;
  return {
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const refused = (error: unknown): boolean =>
  error instanceof Fault && error.status === 429 && Number(error.headers['Retry-After']) > 0;

describe('Throttle', () => {
  it('allows a number of attempts, then refuses, then allows again', () => {
    const time = clock();
    const throttle = new Throttle({ attempts: 3, perSeconds: 60 }, time);
    for (let i = 0; i < 3; i++) throttle.take('key');
    assert.throws(() => throttle.take('key'), refused);
    throttle.take('another key');
    time.advance(19_000);
    assert.throws(() => throttle.take('key'), refused);
    time.advance(1_000);
    throttle.take('key');
    assert.throws(() => throttle.take('key'), refused);
  });

  it('refunds successful attempts, up to the limit', () => {
    const throttle = new Throttle({ attempts: 1, perSeconds: 60 }, clock());
    for (let i = 0; i < 5; i++) {
      throttle.take('key');
      throttle.refund('key');
      throttle.refund('key');
    }
    throttle.take('key');
    assert.throws(() => throttle.take('key'), refused);
    assert.throws(() => throttle.check('key'), refused);
    assert.ok(!throttle.has('key'));
    throttle.forget('key');
    throttle.take('key');
  });

  it('does not stay locked when the clock is set back', () => {
    const time = clock();
    time.advance(86_400_000);
    const throttle = new Throttle({ attempts: 2, perSeconds: 60 }, time);
    for (let i = 0; i < 2; i++) throttle.take('key');
    time.advance(-3_600_000);
    assert.throws(() => throttle.take('key'), refused);
    time.advance(30_000);
    throttle.take('key');
    assert.throws(() => throttle.take('key'), refused);
  });

  it('stores long keys with a fixed length', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const throttle = new Throttle({ attempts: 1, perSeconds: 60 }, clock());
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 2000; i++) throttle.take(Buffer.alloc(30_600, `stranger ${i} `).toString('latin1'));
    collect();
    assert.equal(throttle.size, 2000);
    assert.ok(process.memoryUsage().heapUsed - before < 20_000_000, 'of 61 MB that were typed');
  });

  it('limits nothing without a rule', () => {
    const throttle = new Throttle(undefined, clock());
    for (let i = 0; i < 1000; i++) throttle.take('key');
  });
});
