// The plots of the bench.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { svgOf } from '../bench/plot.ts';

describe('A plot of the bench', () => {
  const line = (name: string, ...values: number[]) => ({
    name,
    points: values.map((value, n) => [1000 * 10 ** n, value] as const),
  });
  const text = svgOf({
    title: 'Cost & <size>',
    x: 'users',
    y: 'µs',
    lines: [line('one', 10, 20, 1000), line('none'), line('two', 1, 20, 1000)],
  });
  const numbers = (pattern: RegExp): number[] => [...text.matchAll(pattern)].map(([, found]) => Number(found));

  it('has its title, the names of both axes and of its lines, and both themes', () => {
    for (const part of [
      'Cost &#38; &#60;size&#62;',
      '>users</text>',
      '>µs</text>',
      '>one</text>',
      '>two</text>',
      'prefers-color-scheme: dark',
    ])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes('>none</text>'), 'nothing is said about a line without points');
    for (const tick of ['1,000', '10,000', '100,000', '1']) assert.ok(text.includes(`>${tick}</text>`), tick);
  });

  it('draws ten times as much as far as ten times more', () => {
    const heights = numbers(/<circle[^>]* cy="([\d.]+)"/g);
    assert.equal(heights.length, 3);
    const [low, , high] = heights as [number, number, number];
    const bottom = numbers(/<path class="line c2" d="M[\d.]+ ([\d.]+)L/g)[0]!;
    assert.ok(Math.abs((low - high) / 2 - (bottom - low)) < 0.2, `${bottom} ${heights}`);
  });

  it('keeps names apart whose lines end at the same place', () => {
    const places = numbers(/<text x="[\d.]+" y="([\d.]+)">(?:one|two)</g);
    assert.ok(Math.abs(places[0]! - places[1]!) >= 15, String(places));
  });
});
