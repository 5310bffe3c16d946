import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { bitstringStatus, StatusListError, tokenStatus } from './bits.ts';

const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

describe('Token Status List', () => {
  const read = (bits: unknown, lst: unknown, length: number): number[] =>
    range(length).map((index) => tokenStatus({ bits, lst }, index));

  it('reads the example of the draft with one bit', () => {
    assert.deepEqual(read(1, 'eNrbuRgAAhcBXQ', 16), [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]);
  });

  it('reads the example of the draft with two bits', () => {
    assert.deepEqual(read(2, 'eNo76fITAAPfAgc', 12), [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3]);
  });

  it('reads four and eight bits', () => {
    const lst = deflateSync(Buffer.of(0x21, 0xf3)).toString('base64url');
    assert.deepEqual(read(4, lst, 4), [1, 2, 3, 15]);
    assert.deepEqual(read(8, lst, 2), [0x21, 0xf3]);
  });

  it('has no entry beyond its end', () => {
    for (const index of [16, 2 ** 40, Number.MAX_SAFE_INTEGER])
      assert.throws(() => tokenStatus({ bits: 1, lst: 'eNrbuRgAAhcBXQ' }, index), /no such entry/);
  });

  it('has entries of certain sizes, in base64url', () => {
    for (const bits of [0, 3, 16, '1', undefined]) assert.throws(() => read(bits, 'eNrbuRgAAhcBXQ', 1), /1, 2, 4 or 8/);
    for (const lst of [undefined, 7, '', '!', 'AAAA', 'eNrb uRgAAhcBXQ', 'eNrbuRgAAhcB'])
      assert.throws(() => read(1, lst, 1), StatusListError, String(lst));
  });

  it('is not inflated beyond a bound', () => {
    const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024)).toString('base64url');
    const before = process.memoryUsage.rss();
    assert.throws(() => tokenStatus({ bits: 1, lst: bomb }, 0), /too large/);
    assert.ok(process.memoryUsage.rss() - before < 64 * 1024 * 1024);
    const fits = deflateSync(Buffer.alloc(2 * 1024 * 1024)).toString('base64url');
    assert.equal(tokenStatus({ bits: 1, lst: fits }, 16 * 1024 * 1024 - 1), 0);
  });
});

describe('Bitstring Status List', () => {
  const encoded = gzipSync(Buffer.of(0b0100_0001, 0b1000_0000)).toString('base64url');

  it('counts from the most significant bit, with and without multibase', () => {
    for (const text of [encoded, `u${encoded}`])
      assert.deepEqual(
        range(16).filter((index) => bitstringStatus(text, index, 1) === 1),
        [1, 7, 8],
      );
  });

  it('reads entries of several bits, also across bytes', () => {
    assert.deepEqual(
      range(8).map((index) => bitstringStatus(encoded, index, 2)),
      [1, 0, 0, 1, 2, 0, 0, 0],
    );
    assert.deepEqual(
      range(5).map((index) => bitstringStatus(encoded, index, 3)),
      [2, 0, 3, 0, 0],
    );
    assert.throws(() => bitstringStatus(encoded, 5, 3), /no such entry/);
  });

  it('is gzip, and not inflated beyond a bound', () => {
    for (const text of [undefined, '', 'u', deflateSync(Buffer.of(1)).toString('base64url'), `z${encoded}`])
      assert.throws(() => bitstringStatus(text, 0, 1), StatusListError, String(text));
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024)).toString('base64url');
    assert.throws(() => bitstringStatus(`u${bomb}`, 0, 1), /too large/);
  });
});
