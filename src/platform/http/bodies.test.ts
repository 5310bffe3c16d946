// Bodies that the framework does not read.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentDeadline, withDeadline } from '../deadline.ts';
import { readBody } from './bodies.ts';

const LONG_MS = 60_000;

describe('A body that arrives slowly', () => {
  it('uses up nothing of the time that its request may wait for the service', async () => {
    await withDeadline(async () => {
      const left = (): number => currentDeadline()!.left();
      const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage & PassThrough;
      const before = left();
      const reading = readBody(request, 1000);
      request.write('slow');
      await sleep(500);
      request.end('ly');
      assert.equal((await reading).toString(), 'slowly');
      assert.ok(before - left() < 250, `${before - left()} ms`);
    }, LONG_MS);
  });
});
