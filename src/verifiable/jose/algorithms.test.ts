import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CompactSign, calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import {
  ALGORITHMS,
  type Algorithm,
  algorithmOf,
  curveOf,
  generatePair,
  hashOf,
  type PublicJwk,
  publicJwkOf,
  signWith,
  thumbprintOf,
  verifyWith,
} from './algorithms.ts';

const pairs = new Map<Algorithm, Promise<KeyObject>>();
/** One key per algorithm, because RSA keys take long to generate. */
const pairOf = (algorithm: Algorithm): Promise<KeyObject> =>
  pairs.get(algorithm) ?? pairs.set(algorithm, generatePair(algorithm)).get(algorithm)!;

const inJose = ALGORITHMS.filter((algorithm) => algorithm !== 'ES256K');

describe('thumbprints', () => {
  it('are those of RFC 7638 section 3.1', () => {
    const jwk = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    } as PublicJwk;
    assert.equal(thumbprintOf(jwk), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  it('are those of RFC 8037 appendix A.3', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;
    assert.equal(thumbprintOf(jwk), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  for (const algorithm of ALGORITHMS) {
    it(`are those that jose gives, of ${algorithm}`, async () => {
      const jwk = publicJwkOf(await pairOf(algorithm));
      assert.equal(thumbprintOf(jwk), await calculateJwkThumbprint(jwk as never, 'sha256'));
    });
  }
});

describe('signatures', () => {
  const lengths: Record<Algorithm, number> = { ES256: 64, EdDSA: 64, ES384: 96, ES512: 132, ES256K: 64, RS256: 384, PS256: 384 };

  it('verify with EdDSA as RFC 8037 appendix A.4 and A.5 say', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;
    const signed = Buffer.from('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc');
    const signature = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';
    assert.equal(verifyWith(jwk, 'EdDSA', signed, Buffer.from(signature, 'base64url')), true);
  });

  for (const algorithm of ALGORITHMS) {
    it(`of ${algorithm} verify, have the length of JOSE, and fit nothing else`, async () => {
      const key = await pairOf(algorithm);
      const jwk = publicJwkOf(key);
      const data = Buffer.from('what is signed');
      const signature = await signWith(key, algorithm, data);
      assert.equal(signature.length, lengths[algorithm]);
      assert.equal(verifyWith(jwk, algorithm, data, signature), true);
      assert.equal(verifyWith(jwk, algorithm, Buffer.from('what is not'), signature), false);
      const other = publicJwkOf(await generatePair(algorithm));
      assert.equal(verifyWith(other, algorithm, data, signature), false);
      for (const bad of [Buffer.alloc(0), signature.subarray(1), Buffer.concat([signature, Buffer.from([0])]), Buffer.alloc(64)])
        assert.equal(verifyWith(jwk, algorithm, data, bad), false);
    });

    it(`of ${algorithm} are undone by any flipped bit`, async () => {
      const key = await pairOf(algorithm);
      const data = Buffer.from('what is signed');
      const signature = await signWith(key, algorithm, data);
      const jwk = publicJwkOf(key);
      fc.assert(
        fc.property(fc.nat(signature.length * 8 - 1), (bit) => {
          const flipped = Buffer.from(signature);
          flipped[bit >> 3]! ^= 1 << (bit & 7);
          return !verifyWith(jwk, algorithm, data, flipped);
        }),
        { numRuns: 50 },
      );
    });
  }

  for (const algorithm of inJose) {
    it(`of ${algorithm} are taken by jose, and those of jose here`, async () => {
      const key = await pairOf(algorithm);
      const jwk = publicJwkOf(key);
      const input = `${Buffer.from(JSON.stringify({ alg: algorithm })).toString('base64url')}.${Buffer.from('{}').toString('base64url')}`;
      const signature = await signWith(key, algorithm, Buffer.from(input));
      await compactVerify(`${input}.${signature.toString('base64url')}`, await importJWK(jwk as never, algorithm), {
        algorithms: [algorithm],
      });

      const theirs = await new CompactSign(Buffer.from('{}')).setProtectedHeader({ alg: algorithm }).sign(key);
      const [header, payload, text] = theirs.split('.');
      assert.equal(verifyWith(jwk, algorithm, Buffer.from(`${header}.${payload}`), Buffer.from(text!, 'base64url')), true);
    });
  }

  it('of RS256 are not taken for those of PS256, though the key is the same', async () => {
    const key = await pairOf('RS256');
    const data = Buffer.from('what is signed');
    assert.equal(verifyWith(publicJwkOf(key), 'PS256', data, await signWith(key, 'RS256', data)), false);
    assert.equal(verifyWith(publicJwkOf(key), 'RS256', data, await signWith(key, 'PS256', data)), false);
  });
});

describe('keys', () => {
  it('have nothing private in their public JWK', async () => {
    for (const algorithm of ALGORITHMS) {
      const key = await pairOf(algorithm);
      const jwk = publicJwkOf(key);
      const members = { EC: ['kty', 'crv', 'x', 'y'], OKP: ['kty', 'crv', 'x'], RSA: ['kty', 'n', 'e'] }[jwk.kty];
      assert.deepEqual(Object.keys(jwk), members);
      assert.deepEqual(publicJwkOf(createPublicKey(key)), jwk);
    }
  });

  it('are of the algorithm they were made for', async () => {
    for (const algorithm of ALGORITHMS) assert.equal(algorithmOf(await pairOf(algorithm), algorithm), algorithm);
  });

  it('of RSA are for RS256 unless PS256 is wanted; of others what is wanted changes nothing', async () => {
    assert.equal(algorithmOf(await pairOf('PS256')), 'RS256');
    assert.equal(algorithmOf(await pairOf('PS256'), 'ES256'), 'RS256');
    assert.equal(algorithmOf(await pairOf('ES256'), 'PS256'), 'ES256');
  });

  it('that no algorithm of ours uses are refused', () => {
    const keys = {
      'RSA of 1024 bits': generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
      Ed448: generateKeyPairSync('ed448').privateKey,
      X25519: generateKeyPairSync('x25519').privateKey,
      X448: generateKeyPairSync('x448').privateKey,
      'P-224': generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).privateKey,
      brainpool: generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }).privateKey,
      'RSA only for PSS': generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey,
    };
    for (const [name, key] of Object.entries(keys)) assert.equal(algorithmOf(key), undefined, name);
  });

  it('of RSA are refused when too large to verify at a fair price', () => {
    // No key is needed for this: any odd number of 4104 bits will do.
    const n = Buffer.alloc(513, 0xff).toString('base64url');
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    assert.equal(algorithmOf(key), undefined);
  });

  it('that are malformed do not verify but throw', () => {
    const data = Buffer.from('');
    for (const jwk of [
      { kty: 'EC', crv: 'P-256', x: 'AQ', y: 'AQ' },
      { kty: 'OKP', crv: 'Ed25519', x: 'AQ' },
      { kty: 'oct', k: 'AQ' },
      {},
    ])
      assert.throws(() => verifyWith(jwk as never, 'ES256', data, Buffer.alloc(64)));
  });
});

describe('algorithms', () => {
  it('know their curve and their hash', () => {
    assert.deepEqual(ALGORITHMS.map(curveOf), ['P-256', undefined, 'P-384', 'P-521', 'secp256k1', undefined, undefined]);
    assert.deepEqual(ALGORITHMS.map(hashOf), ['sha256', null, 'sha384', 'sha512', 'sha256', 'sha256', 'sha256']);
  });
});
