import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { compactVerify, importJWK, type JWK } from 'jose';
import { newEcKey } from '../../../test/support/certificates.ts';
import { deepJson, newJwt, newSigner, rawJwt } from '../../../test/support/issuers.ts';
import { publicJwkOf } from './index.ts';
import { decodeJws, JwsError, signJws, verifyJws } from './jws.ts';

const signer = newSigner();
const codeOf = (code: string) => (error: unknown) => error instanceof JwsError && error.code === code;

describe('Reading a JWS', () => {
  it('gives header and payload', async () => {
    const { header, payload } = decodeJws(await newJwt(signer, { a: { b: [1] } }));
    assert.equal(header.alg, 'ES256');
    assert.deepEqual(payload, { a: { b: [1] } });
  });

  it('refuses what is none', async () => {
    const good = await newJwt(signer, {});
    const [h, p, s] = good.split('.');
    const wrong = [
      undefined,
      {},
      '',
      'a.b',
      `${good}.x`,
      `${h}.${p}.`,
      `.${p}.${s}`,
      `${h}.${p}.${s}=`,
      ` ${good}`,
      `${h}.!.${s}`,
    ];
    for (const text of wrong) assert.throws(() => decodeJws(text), codeOf('malformed'), String(text));
    for (const [header, payload] of [
      ['{', '{}'],
      ['{}', '[]'],
      ['{}', 'null'],
      ['"a"', '{}'],
      ['{}', '{"a":'],
    ]) {
      const text = await rawJwt(header, payload);
      assert.throws(() => decodeJws(text), codeOf('malformed'), `${header} ${payload}`);
    }
  });

  it('refuses extensions it does not know', async () => {
    const text = await rawJwt({ alg: 'ES256', crit: ['b64'], b64: false }, {});
    assert.throws(() => decodeJws(text), /extensions/);
  });

  it('refuses what is too long, too deep, or would be a prototype', async () => {
    const long = await rawJwt({ alg: 'ES256' }, { a: 'x'.repeat(256 * 1024) });
    const deep = await rawJwt({ alg: 'ES256' }, `{"a":${deepJson(50_000)}}`);
    const prototype = await rawJwt({ alg: 'ES256' }, '{"a":{"__proto__":{"admin":true}}}');
    for (const text of [long, deep, prototype]) assert.throws(() => decodeJws(text), codeOf('malformed'));
    assert.ok(decodeJws(await rawJwt({ alg: 'ES256' }, `{"a":${deepJson(30)}}`)));
  });
});

describe('Verifying a JWS', () => {
  const keys = {
    ES256: newEcKey(),
    ES384: newEcKey('P-384'),
    ES512: newEcKey('P-521'),
    EdDSA: generateKeyPairSync('ed25519').privateKey,
  };

  for (const [algorithm, key] of Object.entries(keys)) {
    it(`takes ${algorithm}, and nothing changed`, async () => {
      const one = newSigner(key);
      const text = await newJwt(one, { a: 1 });
      await verifyJws(text, one.jwk);
      const [h, p, s] = text.split('.') as [string, string, string];
      const other = Buffer.from(JSON.stringify({ a: 2 })).toString('base64url');
      await assert.rejects(verifyJws(`${h}.${other}.${s}`, one.jwk), codeOf('invalid-signature'));
      const flipped = Buffer.from(s, 'base64url');
      flipped[3]! ^= 1;
      await assert.rejects(verifyJws(`${h}.${p}.${flipped.toString('base64url')}`, one.jwk), codeOf('invalid-signature'));
      await assert.rejects(verifyJws(text, newSigner(newEcKey()).jwk), codeOf('invalid-signature'));
    });
  }

  it('takes RS256 and PS256', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsa = { ...signer, key: privateKey };
    for (const alg of ['RS256', 'PS256']) await verifyJws(await newJwt(rsa, {}, { alg }), publicJwkOf(privateKey));
  });

  it('takes ES256K, which jose has not', async () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    const bySecp = async (data: Buffer) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
    const text = await signJws({ alg: 'ES256K' }, { a: 1 }, bySecp);
    await verifyJws(text, publicJwkOf(key));
    await assert.rejects(verifyJws(text, signer.jwk), codeOf('invalid-signature'));
    await assert.rejects(verifyJws(`${text.slice(0, -4)}AAAA`, publicJwkOf(key)), codeOf('invalid-signature'));
  });

  it('refuses none, HMAC with the public key, and an algorithm of another key', async () => {
    for (const alg of ['none', 'None', 'HS256', 'RS1', '', undefined, 7])
      await assert.rejects(
        rawJwt({ alg }, {}, signer).then((text) => verifyJws(text, signer.jwk)),
        JwsError,
        String(alg),
      );
    const input = (await rawJwt({ alg: 'HS256' }, {})).split('.').slice(0, 2).join('.');
    const mac = createHmac('sha256', JSON.stringify(signer.jwk)).update(input).digest('base64url');
    await assert.rejects(verifyJws(`${input}.${mac}`, signer.jwk), /not one that is accepted/);
    await assert.rejects(verifyJws(await rawJwt({ alg: 'ES384' }, {}, signer), signer.jwk), codeOf('invalid-signature'));
    await assert.rejects(verifyJws(await rawJwt({ alg: 'ES256K' }, {}, signer), signer.jwk), codeOf('invalid-signature'));
  });
});

describe('Signing a JWS', () => {
  it('makes what jose verifies', async () => {
    const text = await signJws({ alg: 'ES256', typ: 'x' }, { ü: 'ß' }, signer.sign);
    const { payload } = await compactVerify(text, await importJWK(signer.jwk as JWK, 'ES256'));
    assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), { ü: 'ß' });
  });
});
