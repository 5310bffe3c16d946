import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromBase58, toBase58 } from './base58.ts';
import { didKeyOf, documentOfDidKey, jwkOfMultibase, multibaseOf } from './did-key.ts';
import { InvalidKeyError } from './errors.ts';

/** From the test vectors of the did:key specification: https://github.com/w3c-ccg/did-key-spec */
const VECTORS: [did: string, jwk: object][] = [
  [
    'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    { kty: 'OKP', crv: 'Ed25519', x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik' },
  ],
  [
    'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
    {
      kty: 'EC',
      crv: 'secp256k1',
      x: 'h0wVx_2iDlOcblulc8E5iEw1EYh5n1RYtLQfeSTyNc0',
      y: 'O2EATIGbu6DezKFptj5scAIRntgfecanVNXxat1rnwE',
    },
  ],
  [
    'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
      y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    },
  ],
  [
    'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI',
      y: 'hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU',
    },
  ],
  [
    'did:key:z82Lm1MpAkeJcix9K8TMiLd5NMAhnwkjjCBeWHXyu3U4oT2MVJJKXkcVBgjGhnLBn2Kaau9',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'lInTxl8fjLKp_UCrxI0WDklahi-7-_6JbtiHjiRvMvhedhKVdHBfi2HCY8t_QJyc',
      y: 'y6N1IC-2mXxHreETBW7K3mBcw0qGr3CWHCs-yl09yCQRLcyfGv7XhqAngHOu51Zv',
    },
  ],
  [
    'did:key:z82LkvCwHNreneWpsgPEbV3gu1C6NFJEBg4srfJ5gdxEsMGRJUz2sG9FE42shbn2xkZJh54',
    {
      kty: 'EC',
      crv: 'P-384',
      x: 'CA-iNoHDg1lL8pvX3d1uvExzVfCz7Rn6tW781Ub8K5MrDf2IMPyL0RTDiaLHC1JT',
      y: 'Kpnrn8DkXUD3ge4mFxi-DKr0DYO2KuJdwNBrhzLRtfMa3WFMZBiPKUPfJj8dYNl_',
    },
  ],
  [
    'did:key:z2J9gaYxrKVpdoG9A4gRnmpnRCcxU6agDtFVVBVdn1JedouoZN7SzcyREXXzWgt3gGiwpoHq7K68X4m32D8HgzG8wv3sY5j7',
    {
      kty: 'EC',
      crv: 'P-521',
      x: 'ASUHPMyichQ0QbHZ9ofNx_l4y7luncn5feKLo3OpJ2nSbZoC7mffolj5uy7s6KSKXFmnNWxGJ42IOrjZ47qqwqyS',
      y: 'AW9ziIC4ZQQVSNmLlp59yYKrjRY0_VqO-GOIYQ9tYpPraBKUloEId6cI_vynCzlZWZtWpgOM3HPhYEgawQ703RjC',
    },
  ],
  [
    'did:key:z4MXj1wBzi9jUstyPMS4jQqB6KdJaiatPkAtVtGc6bQEQEEsKTic4G7Rou3iBf9vPmT5dbkm9qsZsuVNjq8HCuW1w24nhBFGkRE4cd2Uf2tfrB3N7h4mnyPp1BF3ZttHTYv3DLUPi1zMdkULiow3M1GfXkoC6DoxDUm1jmN6GBj22SjVsr6dxezRVQc7aj9TxE7JLbMH1wh5X3kA58H3DFW8rnYMakFGbca5CB2Jf6CnGQZmL7o5uJAdTwXfy2iiiyPxXEGerMhHwhjTA1mKYobyk2CpeEcmvynADfNZ5MBvcCS7m3XkFCMNUYBS9NQ3fze6vMSUPsNa6GVYmKx2x6JrdEjCk3qRMMmyjnjCMfR4pXbRMZa3i',
    {
      kty: 'RSA',
      n: 'sbX82NTV6IylxCh7MfV4hlyvaniCajuP97GyOqSvTmoEdBOflFvZ06kR_9D6ctt45Fk6hskfnag2GG69NALVH2o4RCR6tQiLRpKcMRtDYE_thEmfBvDzm_VVkOIYfxu-Ipuo9J_S5XDNDjczx2v-3oDh5-CIHkU46hvFeCvpUS-L8TJSbgX0kjVk_m4eIb9wh63rtmD6Uz_KBtCo5mmR4TEtcLZKYdqMp3wCjN-TlgHiz_4oVXWbHUefCEe8rFnX1iQnpDHU49_SaXQoud1jCaexFn25n-Aa8f8bc5Vm-5SeRwidHa6ErvEhTvf1dz6GoNPp2iRvm-wJ1gxwWJEYPQ',
      e: 'AQAB',
    },
  ],
];

const jwkOf = (did: string): unknown => documentOfDidKey(did).verificationMethod?.[0]?.publicKeyJwk;
const invalidDid = { name: 'ResolutionError', code: 'invalidDid' };
const multibase = (...parts: (number[] | Buffer)[]): string =>
  `z${toBase58(Buffer.concat(parts.map((part) => Buffer.from(part))))}`;
const p256 = [0x80, 0x24];
const ed25519 = [0xed, 0x01];
const rsa = [0x85, 0x24];

describe('base58btc', () => {
  it('is that of the multiformats examples', () => {
    const vectors = {
      'yes mani !': '7paNL19xttacUY',
      '\0yes mani !': '17paNL19xttacUY',
      '\0\0yes mani !': '117paNL19xttacUY',
      '': '',
    };
    for (const [text, base58] of Object.entries(vectors)) {
      assert.equal(toBase58(Buffer.from(text)), base58);
      assert.equal(fromBase58(base58)?.toString(), text);
    }
  });

  it('gives any bytes back', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => fromBase58(toBase58(bytes))?.equals(bytes) === true));
  });

  it('refuses other letters, and more than a key may have', () => {
    for (const text of ['0', 'O', 'I', 'l', ' 1', '+', 'é', '😀', '1'.repeat(1025)])
      assert.equal(fromBase58(text), undefined, text);
  });
});

describe('did:key', () => {
  for (const [did, jwk] of VECTORS) {
    it(`reads and writes ${did.slice(0, 16)}… of the specification`, () => {
      assert.deepEqual(jwkOf(did), jwk);
      assert.equal(didKeyOf(jwk as never), did);
    });
  }

  it('has the document the method says, with one key for everything but agreeing on keys', () => {
    const [did, jwk] = VECTORS[2]!;
    const id = `${did}#${did.slice('did:key:'.length)}`;
    assert.deepEqual(documentOfDidKey(did), {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'],
      id: did,
      verificationMethod: [{ id, type: 'JsonWebKey', controller: did, publicKeyJwk: jwk }],
      authentication: [id],
      assertionMethod: [id],
      capabilityInvocation: [id],
      capabilityDelegation: [id],
    });
  });

  it('reads X25519, for agreeing on keys only, and makes no such DID', () => {
    const did = 'did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F';
    const document = documentOfDidKey(did);
    const x = fromBase58('4Dy8E9UaZscuPUf2GLxV44RCNL7oxmEXXkgWXaug1WKV')?.toString('base64url');
    assert.deepEqual(jwkOf(did), { kty: 'OKP', crv: 'X25519', x });
    assert.deepEqual(Object.keys(document), ['@context', 'id', 'verificationMethod', 'keyAgreement']);
    assert.throws(() => didKeyOf({ kty: 'OKP', crv: 'X25519', x: x! }), InvalidKeyError);
  });

  it('gives any key back', () => {
    const make = {
      'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
      secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      Ed25519: () => generateKeyPairSync('ed25519'),
      X25519: () => generateKeyPairSync('x25519'),
    };
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(make)), (generate) => {
        const { kty, crv, x, y } = generate().publicKey.export({ format: 'jwk' });
        const jwk = (kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }) as never;
        assert.deepEqual(jwkOfMultibase(multibaseOf(jwk)), jwk);
      }),
      { numRuns: 200 },
    );
  });

  it('gives RSA keys from 2048 to 4096 bits back', () => {
    for (const modulusLength of [2048, 3072, 4096]) {
      const { kty, n, e } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
      assert.deepEqual(jwkOf(didKeyOf({ kty, n, e } as never)), { kty, n, e });
    }
  });

  it('never fails in another way than by refusing, whatever it is given', () => {
    const prefixed = fc.tuple(
      fc.constantFrom(p256, ed25519, rsa, [0xe7, 1], [0x81, 0x24], [0x82, 0x24]),
      fc.uint8Array({ maxLength: 70 }),
    );
    const text = fc.oneof(
      fc.string(),
      fc.base64String(),
      prefixed.map(([prefix, bytes]) => multibase(prefix, Buffer.from(bytes))),
    );
    fc.assert(
      fc.property(text, (id) => {
        try {
          documentOfDidKey(`did:key:${id}`);
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'invalidDid');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what is no did:key of ours', () => {
    const [did] = VECTORS[2]!;
    const point = fromBase58(did.slice('did:key:z'.length))!.subarray(2);
    const off = Buffer.from(point).fill(0xff, 1);
    const uncompressed = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]);
    const der = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'der', type: 'pkcs1' });
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'der', type: 'pkcs1' });
    const spki = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'der', type: 'spki' });
    const hostile: Record<string, string> = {
      'no text': '',
      'another method': 'did:web:example.com',
      'no key': 'did:key:z',
      'a fragment': `${did}#key`,
      'a path': `${did}/path`,
      'a query': `${did}?a=b`,
      'another multibase': `did:key:u${Buffer.concat([Buffer.from(p256), point]).toString('base64url')}`,
      'a letter that is not of base58': did.replace('zDn', 'z0n'),
      'an unknown codec': `did:key:${multibase([0x80, 0x01], Buffer.alloc(32))}`,
      'BLS 12-381':
        'did:key:zUC7K4ndUaGZgV7Cp2yJy6JtMoUHY6u7tkcSYUvPrEidqBmLCTLmi6d5WvwnUqejscAkERJ3bfjEiSYtdPkRSE8kSa11hFBr4sTgnbZ95SJj19PN2jdvJjyzpSZgxkyyxNnBNnY',
      'a codec in more bytes than it needs': `did:key:${multibase([0x80, 0xa4, 0x00], point)}`,
      'a short key': `did:key:${multibase(ed25519, Buffer.alloc(31, 1))}`,
      'a long key': `did:key:${multibase(ed25519, Buffer.alloc(33, 1))}`,
      'a short point': `did:key:${multibase(p256, point.subarray(0, 32))}`,
      'a point that is not on the curve': `did:key:${multibase(p256, off)}`,
      'a point that is not compressed': `did:key:${multibase(p256, uncompressed)}`,
      'the point at infinity': `did:key:${multibase(p256, [0])}`,
      'an RSA key with something behind it': `did:key:${multibase(rsa, der, [0])}`,
      'an RSA key of 1024 bits': `did:key:${multibase(rsa, weak)}`,
      'an RSA key that is not PKCS#1': `did:key:${multibase(rsa, spki)}`,
      'a very long one': `did:key:z${'1'.repeat(100_000)}`,
    };
    for (const [name, text] of Object.entries(hostile)) assert.throws(() => documentOfDidKey(text), invalidDid, name);
  });

  it('makes none of a key that is private, malformed or unknown', () => {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as Record<string, string>;
    const { d, ...key } = jwk;
    assert.ok(d && didKeyOf(key as never));
    for (const bad of [
      jwk,
      { ...key, y: key.x },
      { ...key, crv: 'P-384' },
      { ...key, crv: 'P-224' },
      { kty: 'oct', k: 'AQ' },
      {},
    ])
      assert.throws(() => didKeyOf(bad as never), InvalidKeyError);
  });
});
