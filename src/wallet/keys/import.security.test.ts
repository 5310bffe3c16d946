// Imported RSA keys must be consistent.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Fault } from '../../platform/faults/index.ts';
import { importKey } from './import.ts';

const jwkOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const refusalOf = (jwk: object): Promise<string> =>
  importKey({ jwk: jwk as Record<string, unknown> }, undefined).then(
    () => 'taken',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );
/** Another number of the same length. */
const changed = (text: string): string => {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length - 3]! ^= 2;
  return bytes.toString('base64url');
};

describe('An RSA key whose numbers do not belong together', () => {
  const [jwk, other] = [jwkOf(), jwkOf()];

  it('is not imported, whichever of them is wrong', async () => {
    assert.equal(await refusalOf(jwk), 'taken');
    for (const name of ['n', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      assert.equal(await refusalOf({ ...jwk, [name]: changed(jwk[name]!) }), 'invalid-key', name);
      assert.equal(await refusalOf({ ...jwk, [name]: other[name] }), 'invalid-key', `${name} of another key`);
    }
    assert.equal(await refusalOf({ ...jwk, p: jwk.q, q: jwk.p }), 'invalid-key', 'the factors change places');
    assert.equal(await refusalOf({ ...jwk, e: 'AQAD' }), 'invalid-key', 'another public exponent');
  });
});
