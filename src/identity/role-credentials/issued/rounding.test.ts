import assert from 'node:assert/strict';
import { it } from 'node:test';
import { roundedValidity } from './rounding.ts';

const DAY = 86_400;
const NOON = 20_000 * DAY + DAY / 2;

it('Times of a credential are whole days, hours or minutes, as long as that costs at most a tenth of them', () => {
  for (let lifetime = 1; lifetime < 4 * 366 * DAY; lifetime = Math.ceil(lifetime * 1.37)) {
    const { issuedAt, expiresAt } = roundedValidity(NOON + 1234, NOON + 1234 + lifetime, 0);
    assert.ok(issuedAt <= NOON + 1234 && expiresAt > NOON + 1234 && expiresAt <= NOON + 1234 + lifetime);
    assert.ok(NOON + 1234 + lifetime - expiresAt <= lifetime / 10, `${lifetime}`);
    const unit = lifetime >= 10 * DAY ? DAY : lifetime >= 36_000 ? 3600 : lifetime >= 600 ? 60 : 1;
    assert.deepEqual([issuedAt % unit, expiresAt % unit], [0, 0], `${lifetime}`);
  }
});

it('A credential does not seem to be older than the certificate that signs it, nor to come from the future', () => {
  assert.equal(roundedValidity(NOON, NOON + 30 * DAY, NOON - 100).issuedAt, NOON - 100);
  assert.equal(roundedValidity(NOON, NOON + 30 * DAY, NOON - 2 * DAY).issuedAt, NOON - DAY / 2);
  assert.equal(roundedValidity(NOON, NOON + 30 * DAY, NOON + 100).issuedAt, NOON);
});
