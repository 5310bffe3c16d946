import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { didJwkOf, documentOfDidJwk } from './did-jwk.ts';
import { InvalidKeyError } from './errors.ts';

const P256 =
  'did:jwk:eyJjcnYiOiJQLTI1NiIsImt0eSI6IkVDIiwieCI6ImFjYklRaXVNczNpOF91c3pFakoydHBUdFJNNEVVM3l6OTFQSDZDZEgyVjAiLCJ5IjoiX0tjeUxqOXZXTXB0bm1LdG00NkdxRHo4d2Y3NEk1TEtncmwyR3pIM25TRSJ9';
const X25519 =
  'did:jwk:eyJrdHkiOiJPS1AiLCJjcnYiOiJYMjU1MTkiLCJ1c2UiOiJlbmMiLCJ4IjoiM3A3YmZYdDl3YlRUVzJIQzdPUTFOei1EUThoYmVHZE5yZngtRkctSUswOCJ9';
const p256 = {
  crv: 'P-256',
  kty: 'EC',
  x: 'acbIQiuMs3i8_uszEjJ2tpTtRM4EU3yz91PH6CdH2V0',
  y: '_KcyLj9vWMptnmKtm46GqDz8wf74I5LKgrl2GzH3nSE',
} as const;
const CONTEXT = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'];
const SIGNING = ['assertionMethod', 'authentication', 'capabilityInvocation', 'capabilityDelegation'];

const didOf = (value: unknown): string =>
  `did:jwk:${Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')}`;
const relationshipsOf = (jwk: object): string[] => Object.keys(documentOfDidJwk(didOf(jwk))).slice(3);
const rsaOf = (bytes: number, e = 'AQAB'): object => ({ kty: 'RSA', n: Buffer.alloc(bytes, 0xff).toString('base64url'), e });

describe('did:jwk', () => {
  it('has the document of the P-256 example of the specification', () => {
    const id = `${P256}#0`;
    assert.deepEqual(documentOfDidJwk(P256), {
      '@context': CONTEXT,
      id: P256,
      verificationMethod: [{ id, type: 'JsonWebKey2020', controller: P256, publicKeyJwk: p256 }],
      assertionMethod: [id],
      authentication: [id],
      capabilityInvocation: [id],
      capabilityDelegation: [id],
      keyAgreement: [id],
    });
    assert.equal(didJwkOf(p256), P256);
  });

  it('has the document of the X25519 example of the specification', () => {
    const publicKeyJwk = { kty: 'OKP', crv: 'X25519', use: 'enc', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' };
    assert.deepEqual(documentOfDidJwk(X25519), {
      '@context': CONTEXT,
      id: X25519,
      verificationMethod: [{ id: `${X25519}#0`, type: 'JsonWebKey2020', controller: X25519, publicKeyJwk }],
      keyAgreement: [`${X25519}#0`],
    });
  });

  it('lets a key do what its use and its kind allow', () => {
    const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    assert.deepEqual(relationshipsOf(p256), [...SIGNING, 'keyAgreement']);
    assert.deepEqual(relationshipsOf({ ...p256, use: 'sig' }), SIGNING);
    assert.deepEqual(relationshipsOf({ ...p256, use: 'enc' }), ['keyAgreement']);
    assert.deepEqual(relationshipsOf(ed25519), SIGNING);
    assert.deepEqual(relationshipsOf({ kty: 'OKP', crv: 'X25519', x: ed25519.x }), ['keyAgreement']);
    assert.deepEqual(relationshipsOf(rsaOf(256)), SIGNING);
  });

  it('keeps further members of the JWK, and its order', () => {
    const jwk = { kid: 'mine', y: p256.y, x: p256.x, kty: 'EC', crv: 'P-256', alg: 'ES256', note: { any: ['thing'] } };
    assert.deepEqual(documentOfDidJwk(didOf(jwk)).verificationMethod?.[0]?.publicKeyJwk, jwk);
  });

  it('gives any key back, and writes one key in one way', () => {
    const make = [
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
      () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      () => generateKeyPairSync('ed25519'),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...make), (generate) => {
        const jwk = generate().publicKey.export({ format: 'jwk' }) as Record<string, string>;
        const did = didJwkOf(jwk as never);
        assert.deepEqual({ ...documentOfDidJwk(did).verificationMethod?.[0]?.publicKeyJwk }, { ...jwk });
        assert.equal(didJwkOf(Object.fromEntries(Object.entries(jwk).reverse()) as never), did);
        assert.equal(didJwkOf({ ...jwk, kid: 'mine', use: 'sig' } as never), did);
      }),
      { numRuns: 100 },
    );
  });

  it('takes RSA keys from 2048 to 4096 bits', () => {
    for (const bytes of [256, 384, 512]) assert.ok(documentOfDidJwk(didOf(rsaOf(bytes))));
  });

  it('refuses what is no did:jwk of ours', () => {
    const text = P256.slice('did:jwk:'.length);
    const hostile: Record<string, string> = {
      'another method': P256.replace('jwk', 'key'),
      'a fragment': `${P256}#0`,
      'a query': `${P256}?a=b`,
      padding: `${didOf({ ...p256, a: 1 })}=`,
      'letters that are not base64url': `did:jwk:${text.slice(0, 4)}.${text.slice(4)}`,
      'bits to spare': `did:jwk:${text.slice(0, -1)}${text.endsWith('9') ? '-' : '9'}`,
      'no JSON': didOf('{'),
      'no UTF-8': `did:jwk:${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}`,
      null: didOf(null),
      'a list': didOf([p256]),
      'a text': didOf('"x"'),
      'no member': didOf({}),
      'a private key': didOf({ ...p256, d: 'AQ' }),
      'a private RSA key': didOf({ ...rsaOf(256), p: 'AQ' }),
      'a private member without a value': didOf({ ...p256, d: null }),
      'a symmetric key': didOf({ kty: 'oct', k: 'c2VjcmV0' }),
      'a symmetric key in disguise': didOf({ ...p256, k: 'c2VjcmV0' }),
      'an unknown kind': didOf({ ...p256, kty: 'AKP' }),
      'an unknown curve': didOf({ ...p256, crv: 'P-224' }),
      'a curve of another kind': didOf({ kty: 'OKP', crv: 'P-256', x: p256.x }),
      Ed448: didOf(generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' })),
      'a point that is not on the curve': didOf({ ...p256, y: p256.x }),
      'a missing coordinate': didOf({ kty: 'EC', crv: 'P-256', x: p256.x }),
      'a coordinate that is a number': didOf({ ...p256, x: 1 }),
      'a coordinate with a zero in front': didOf({
        ...p256,
        x: Buffer.concat([Buffer.alloc(3), Buffer.from(p256.x, 'base64url')]).toString('base64url'),
      }),
      'a padded coordinate': didOf({ ...p256, x: `${p256.x}=` }),
      'RSA of 1024 bits': didOf(rsaOf(128)),
      'RSA of 4104 bits': didOf(rsaOf(513)),
      'RSA of 16384 bits': didOf(rsaOf(2048)),
      'RSA with the exponent 1': didOf(rsaOf(256, 'AQ')),
      'RSA with an even exponent': didOf(rsaOf(256, 'Ag')),
      'RSA with an exponent of 64 bits': didOf(rsaOf(256, '__________8')),
      'more than 8 KiB': didOf({ ...p256, note: 'x'.repeat(8192) }),
      'a thousand levels': didOf(`{"a":${'['.repeat(1000)}${']'.repeat(1000)},${JSON.stringify(p256).slice(1)}`),
    };
    for (const [name, did] of Object.entries(hostile))
      assert.throws(() => documentOfDidJwk(did), { name: 'ResolutionError', code: 'invalidDid' }, name);
  });

  it('makes none of a private key', () => {
    assert.throws(() => didJwkOf({ ...p256, d: 'AQ' } as never), InvalidKeyError);
    assert.throws(() => didJwkOf({ kty: 'oct', k: 'AQ' } as never), InvalidKeyError);
  });
});
