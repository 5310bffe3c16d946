import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fault } from './index.ts';

describe('A fault', () => {
  const values = { field: "it's", why: "of {seconds}, '$&' and ': x." };

  it('keeps the values of its text, as they were given', () => {
    const { message, values: kept } = fault('request.invalid_field', values);
    assert.equal(message, "Invalid input for field 'it's': of {seconds}, '$&' and ': x..");
    assert.deepEqual(kept, values);
    assert.deepEqual(fault('server.busy').values, {});
  });

  it('with more details is otherwise the same', () => {
    const extras = { headers: { 'Retry-After': '5' }, detail: { a: 1, b: 1 }, reason: 'a guess' };
    const base = fault('request.invalid_field', values, extras);
    const more = base.with({ b: 2, c: 3 });
    assert.deepEqual(
      [more.code, more.status, more.message, more.values, more.headers, more.reason],
      [base.code, 400, base.message, values, extras.headers, 'a guess'],
    );
    assert.deepEqual(more.detail, { a: 1, b: 2, c: 3 });
    assert.deepEqual(base.detail, { a: 1, b: 1 });
    assert.equal(more.cause, base);
  });
});
