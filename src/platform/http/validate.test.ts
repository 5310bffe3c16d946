import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../faults/index.ts';
import * as t from './schema.ts';
import { serialize, validate, violation } from './validate.ts';

describe('A schema', () => {
  it('with an unknown keyword, or one that does not fit its type, is a programming error', () => {
    const slips: t.Schema[] = [
      { type: 'string', maxLenght: 5 },
      { type: 'object', properties: { a: { type: 'string', maximum: 5 } } },
      { type: 'object', required: ['a'], properties: { b: {} } },
      { type: 'string', format: 'date-tiem' },
    ];
    for (const slip of slips)
      assert.throws(
        () => validate(slip, 'x'),
        (error: Error) => !(error instanceof Fault),
        JSON.stringify(slip),
      );
  });

  it('checks the format of strings', () => {
    const Time = t.object({ at: t.string({ format: 'date-time' }) });
    for (const at of ['2026-11-16T09:30:00Z', '2026-11-16T09:30:00.123+01:00']) assert.deepEqual(validate(Time, { at }), { at });
    for (const at of ['', 'today', '2026-11-16', '2026-13-16T09:30:00Z', '2026-11-16T09:30:00', '1763285400'])
      assert.throws(
        () => validate(Time, { at }),
        (error: Error) => error instanceof Fault && error.message.startsWith("Invalid input for field 'at': must match format"),
        at,
      );
    assert.match(violation(Time, { at: 'today' })!, /format/);
  });

  it('serializes only the properties it names', () => {
    const Time = t.object({ at: t.string({ format: 'date-time' }) }, { ended: t.nullable(t.string({ format: 'date-time' })) });
    const at = '2026-11-16T09:30:00.000Z';
    assert.equal(serialize(Time, { at, ended: null, secret: 1 }), `{"at":"${at}","ended":null}`);
  });
});
