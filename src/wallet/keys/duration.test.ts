import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseDuration } from './duration.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

describe('spans of time', () => {
  for (const [text, milliseconds] of [
    ['P30D', 30 * DAY],
    ['PT12H', 12 * HOUR],
    ['P1DT1H1M1S', DAY + HOUR + 61 * SECOND],
    ['P2W', 14 * DAY],
    ['P1M', 30 * DAY],
    ['PT1M', 60 * SECOND],
    ['P1Y2M', 425 * DAY],
    ['P10Y', 3650 * DAY],
    ['PT0S', 0],
    ['P0D', 0],
    ['720h', 30 * DAY],
    ['720h0m0s', 30 * DAY],
    ['1h30m', 1.5 * HOUR],
    ['90s', 90 * SECOND],
    ['0s', 0],
  ] as const)
    it(`reads ${text}`, () => assert.equal(parseDuration(text), milliseconds));

  for (const text of [
    ...[
      '',
      'P',
      'PT',
      'P1',
      'P1DT',
      '1D',
      'p1d',
      'P-1D',
      '-P1D',
      'P1D ',
      'P1D\n',
      ' P1D',
      'PT1D',
      'P1H',
      'P1D1Y',
      'P1.5D',
      'P1,5D',
    ],
    ...['h', '1', '1d', '-1h', '1m1h', '1H', '1h ', '1ms', '٣h', 'Infinity', 'NaN', '1e3h', '0x1h'],
    ...['P11Y', 'P3661D', '87841h', `P${'9'.repeat(38)}D`, `P${'0'.repeat(40)}1D`],
  ])
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseDuration(text), undefined));

  it('reads in both spellings whatever hours, minutes and seconds there are', () => {
    const part = fc.nat({ max: 20_000 });
    fc.assert(
      fc.property(part, part, part, (hours, minutes, seconds) => {
        const expected = hours * HOUR + minutes * 60 * SECOND + seconds * SECOND;
        assert.equal(parseDuration(`${hours}h${minutes}m${seconds}s`), expected);
        assert.equal(parseDuration(`PT${hours}H${minutes}M${seconds}S`), expected);
      }),
    );
  });

  it('gives a whole number up to ten years, or nothing, of any text', () => {
    const likely = fc.string({ unit: fc.constantFrom(...'PTYMWDHS0123456789hms.-+ '), maxLength: 50 });
    fc.assert(
      fc.property(likely, (text) => {
        const found = parseDuration(text);
        assert.ok(found === undefined || (Number.isSafeInteger(found) && found >= 0 && found <= 3660 * DAY));
      }),
    );
  });
});
