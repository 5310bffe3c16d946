import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dummyHash, hashPassword, isOutdated, verifyPassword } from './argon2.ts';

const COST = { memory: 64, passes: 2 };

describe('The dummy hash', () => {
  it('costs as much as that of a user, and has the same length', async () => {
    const [nobody, somebody] = [dummyHash(COST), await hashPassword('a password', COST)];
    assert.ok(!isOutdated(nobody, COST), nobody);
    assert.deepEqual(
      nobody.split('$').map(({ length }) => length),
      somebody.split('$').map(({ length }) => length),
    );
  });

  it('is checked by hashing, and fits no password', async () => {
    for (const password of ['', 'a password']) assert.equal(await verifyPassword(password, dummyHash(COST)), false);
    assert.notEqual(dummyHash(COST), dummyHash(COST));
  });
});

describe('A hash', () => {
  it('fits its password, however its letters are spelled, and no other', async () => {
    const hash = await hashPassword('Jos\u00e9', COST);
    assert.equal(await verifyPassword('Jose\u0301', hash), true);
    assert.equal(await verifyPassword('Jose', hash), false);
  });

  it('is outdated when it cost something else', async () => {
    const hash = await hashPassword('a password', COST);
    for (const other of [
      { ...COST, memory: 128 },
      { ...COST, passes: 1 },
    ])
      assert.ok(isOutdated(hash, other));
  });
});
