// Slow key generation: many requests of one owner block neither logins nor the keys of others.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Fault } from '../../platform/faults/index.ts';
import { generateRsa } from '../../verifiable/jose/index.ts';
import { createSlowKeys } from './generation.ts';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'made',
    (error: unknown) => (error instanceof Fault ? `${error.status}` : String(error)),
  );

describe('Keys that take long to make', () => {
  it('take no thread that hashes passwords: they are made while every one of those is taken', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-threads-'));
    try {
      // The thread that makes keys is there.
      await generateRsa(1024);
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      // Whoever opens a pipe to read waits for somebody who writes, and holds a thread of the pool meanwhile.
      const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
      const taken = Array.from({ length: threads }, () => open(pipe, 'r'));
      const key = await generateRsa(2048);
      assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
      const writer = openSync(pipe, 'w');
      for (const reader of await Promise.all(taken)) await reader.close();
      closeSync(writer);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are made one at a time, by turns, so that nobody fills the line for others', async () => {
    const slowKeys = createSlowKeys();
    const order: string[] = [];
    let [running, most] = [0, 0];
    const make = (owner: string) =>
      slowKeys.make('PS256', { owner }, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        order.push(owner);
      });
    await Promise.all(['greedy', 'greedy', 'greedy', 'other', 'third'].map(make));
    assert.equal(most, 1);
    assert.deepEqual(order, ['greedy', 'greedy', 'other', 'third', 'greedy']);
  });

  it('are few for one owner at a time; the rest are told to come again', async () => {
    const slowKeys = createSlowKeys();
    const release = Promise.withResolvers<void>();
    const asked = Array.from({ length: 12 }, () => codeOf(slowKeys.make('RS256', { owner: 'one' }, () => release.promise)));
    const other = codeOf(slowKeys.make('RS256', { owner: 'two' }, async () => {}));
    release.resolve();
    const answers = await Promise.all(asked);
    assert.deepEqual(answers.sort(), [...Array(9).fill('429'), ...Array(3).fill('made')]);
    assert.equal(await other, 'made');
    assert.equal(await codeOf(slowKeys.make('RS256', { owner: 'one' }, async () => {})), 'made', 'later there is room again');
  });

  it('have a line with an end, however many owners there are', async () => {
    const slowKeys = createSlowKeys();
    const release = Promise.withResolvers<void>();
    const asked = Array.from({ length: 100 }, (_, owner) =>
      codeOf(slowKeys.make('RS256', { owner: `${owner}` }, () => release.promise)),
    );
    assert.ok(slowKeys.waiting <= 20, `${slowKeys.waiting}`);
    release.resolve();
    const answers = await Promise.all(asked);
    assert.deepEqual([...new Set(answers)].sort(), ['503', 'made']);
  });

  it('are not made for somebody who is gone', async () => {
    const slowKeys = createSlowKeys();
    const release = Promise.withResolvers<void>();
    const gone = new AbortController();
    let begun = 0;
    const first = slowKeys.make('RS256', { owner: 'one' }, () => release.promise);
    const dropped = codeOf(
      slowKeys.make('RS256', { owner: 'two', signal: gone.signal }, async () => {
        begun++;
      }),
    );
    gone.abort();
    assert.equal(await dropped, '499');
    release.resolve();
    await first;
    assert.deepEqual([begun, slowKeys.waiting], [0, 0]);
  });

  it('do not make quick ones wait', async () => {
    const slowKeys = createSlowKeys();
    const release = Promise.withResolvers<void>();
    const slow = slowKeys.make('RS256', { owner: 'one' }, () => release.promise);
    for (let turn = 0; turn < 50; turn++)
      assert.equal(await slowKeys.make('ES256', { owner: 'one' }, async () => 'made'), 'made');
    release.resolve();
    await slow;
  });
});
