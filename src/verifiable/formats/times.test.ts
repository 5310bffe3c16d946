import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CredentialRejectedError } from './format.ts';
import { checkTimes, intersectTimes, timeOf, timesOfJwt, timesOfW3c } from './times.ts';

const refused = (work: () => unknown, code = 'invalid-times'): void => {
  assert.throws(work, (error) => error instanceof CredentialRejectedError && error.code === code);
};

describe('Times', () => {
  it('of a JWT are seconds, and only those that are there', () => {
    assert.deepEqual(timesOfJwt({ iat: 1, nbf: 2.5, exp: 3 }), { issuedAt: 1000, validFrom: 2500, validUntil: 3000 });
    assert.deepEqual(timesOfJwt({}), {});
    for (const exp of ['1', null, Number.NaN, Number.POSITIVE_INFINITY, 1e14, -1e14, []]) refused(() => timesOfJwt({ exp }));
  });

  it('of a W3C credential are those of either version', () => {
    const [start, end] = ['1970-01-01T00:00:01Z', '1970-01-01T00:00:02Z'];
    assert.deepEqual(timesOfW3c({ validFrom: start, validUntil: end }), { validFrom: 1000, validUntil: 2000 });
    assert.deepEqual(timesOfW3c({ issuanceDate: start, expirationDate: end }), { validFrom: 1000, validUntil: 2000 });
    refused(() => timesOfW3c({ validUntil: null, expirationDate: end }));
  });

  it('of a W3C credential may begin later, in either version', () => {
    const clock = { now: () => 0 };
    for (const name of ['validFrom', 'issuanceDate']) checkTimes(timesOfW3c({ [name]: '2099-01-01T00:00:00Z' }), clock);
  });

  it('are written as RFC 3339 has them, in UTC where no zone is named', () => {
    assert.equal(timeOf('1970-01-01T01:00:00.5+01:00', 'it'), 500);
    assert.equal(timeOf('1970-01-01T00:00:01', 'it'), 1000);
    assert.equal(timeOf(undefined, 'it'), undefined);
    for (const text of [
      '',
      '1970',
      '1970-01-01',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      '1970-01-01T25:00:00Z',
      '1970-01-01 00:00:00Z',
      0,
    ])
      refused(() => timeOf(text, 'it'));
  });

  it('said twice are the narrower', () => {
    assert.deepEqual(intersectTimes({ issuedAt: 1, validFrom: 5, validUntil: 9 }, { issuedAt: 2, validFrom: 4, validUntil: 8 }), {
      issuedAt: 2,
      validFrom: 5,
      validUntil: 8,
    });
    assert.deepEqual(intersectTimes({ validUntil: 9 }, { validFrom: 4 }), { validFrom: 4, validUntil: 9 });
  });

  it('allow for a minute between clocks', () => {
    const clock = { now: () => 1_000_000 };
    checkTimes({ issuedAt: 1_060_000, validUntil: 940_001, validFrom: 9_000_000 }, clock);
    refused(() => checkTimes({ validUntil: 940_000 }, clock), 'expired');
    refused(() => checkTimes({ issuedAt: 1_060_001 }, clock));
  });
});
