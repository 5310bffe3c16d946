import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeal, DamagedSeal, keyIdOf, newMasterKey } from './index.ts';

describe('Sealing', () => {
  const plain = Buffer.from('a secret');

  it('opens what it sealed, in the same context', () => {
    const seal = createSeal([newMasterKey()]);
    assert.deepEqual(seal.open(seal.seal(plain, 'table/1'), 'table/1'), plain);
  });

  it('gives a different text each time, without the secret in it', () => {
    const seal = createSeal([newMasterKey()]);
    const [one, two] = [seal.seal(plain, 'here'), seal.seal(plain, 'here')];
    assert.notEqual(one, two);
    assert.ok(!Buffer.from(one.split('.')[2]!, 'base64url').includes(plain));
  });

  it('refuses a text that was moved, changed or cut', () => {
    const seal = createSeal([newMasterKey()]);
    const sealed = seal.seal(plain, 'table/1');
    assert.throws(() => seal.open(sealed, 'table/2'));
    const [version, id, text] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(text, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      assert.throws(() => seal.open(`${version}.${id}.${changed.toString('base64url')}`, 'table/1'), `byte ${at}`);
    }
    assert.throws(
      () => seal.open(`${version}.${id}.${bytes.subarray(0, 20).toString('base64url')}`, 'table/1'),
      /sealed as table\/1 is damaged/,
    );
    assert.throws(() => seal.open('not sealed', 'table/1'), DamagedSeal);
  });

  it('opens with a former key and seals with the newest, so that keys can be rotated', () => {
    const [old, fresh] = [newMasterKey(), newMasterKey()];
    const sealed = createSeal([old]).seal(plain, 'here');
    const both = createSeal([fresh, old]);
    assert.deepEqual(both.open(sealed, 'here'), plain);
    assert.equal(keyIdOf(both.seal(plain, 'here')), both.keyId);
    assert.throws(() => createSeal([fresh]).open(sealed, 'here'), /sealed under master key .*, which was not given/);
  });

  it('refuses a master key of another length', () => {
    assert.throws(() => createSeal(['c2hvcnQ']), /32 bytes in base64url/);
  });
});
