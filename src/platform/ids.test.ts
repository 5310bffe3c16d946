import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newId, newSecret, newUlid } from './ids.ts';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeOf = (ulid: string): number => [...ulid.slice(0, 10)].reduce((time, letter) => time * 32 + LETTERS.indexOf(letter), 0);

describe('ULIDs', () => {
  it('are those of the specification', () => {
    // The example of github.com/ulid/spec.
    assert.equal(newUlid(1_469_918_176_385).slice(0, 10), '01ARYZ6S41');
    assert.equal(newUlid(0).slice(0, 10), '0000000000');
    assert.equal(newUlid(2 ** 48 - 1).slice(0, 10), '7ZZZZZZZZZ');
  });

  it('have 26 letters and digits, and contain their time', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat().map((n) => n % 2 ** 48),
        (time) => {
          const ulid = newUlid(time);
          assert.match(ulid, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
          assert.equal(timeOf(ulid), time);
        },
      ),
    );
  });

  it('sort by age, as plain text', () => {
    const time = fc.nat({ max: 2 ** 31 - 1 }).map((n) => n * 1000);
    fc.assert(fc.property(time, time, (a, b) => a === b || assert.equal(newUlid(a) < newUlid(b), a < b)));
  });

  it('differ within the same millisecond, and use every letter', () => {
    const made = Array.from({ length: 5000 }, () => newUlid(1_700_000_000_000));
    assert.equal(new Set(made).size, made.length);
    for (let place = 10; place < 26; place++)
      assert.equal(new Set(made.map((ulid) => ulid[place])).size, 32, `not every letter at place ${place}`);
  });
});

describe('ids and secrets', () => {
  it('are 32 hex digits, and 43 characters that are safe in a URL', () => {
    assert.match(newId(), /^[0-9a-f]{32}$/);
    assert.match(newSecret(), /^[\w-]{43}$/);
    assert.notEqual(newId(), newId());
    assert.notEqual(newSecret(), newSecret());
  });
});
