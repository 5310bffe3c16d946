import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pauseAfter } from './pauses.ts';

describe('The pause after wrong passwords', () => {
  it('is zero for the first failures, then grows up to a limit', () => {
    const pauses = [0, 9, 10, 11, 12, 13, 14, 15, 16, 1000, 1_000_000].map(pauseAfter);
    assert.deepEqual(pauses, [0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });
});
