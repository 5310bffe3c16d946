import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
  it('lets so many attempts through, then asks to wait, then lets through again', () => {
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

  it('does not count what succeeds', async () => {
    const throttle = new Throttle({ attempts: 1, perSeconds: 60 }, clock());
    for (let i = 0; i < 5; i++) assert.equal(await throttle.guard('key', async () => i), i);
  });

  it('counts attempts that run at the same time', async () => {
    const throttle = new Throttle({ attempts: 2, perSeconds: 60 }, clock());
    const wrong = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('wrong');
    };
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => throttle.guard('key', wrong)));
    const messages = results.map((result) => (result as PromiseRejectedResult).reason.message);
    assert.equal(messages.filter((message) => message === 'wrong').length, 2);
  });

  it('limits nothing without a rule', () => {
    const throttle = new Throttle(undefined, clock());
    for (let i = 0; i < 1000; i++) throttle.take('key');
  });
});
