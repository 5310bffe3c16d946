import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  CoseKey,
  Curve,
  cborDecode,
  cborEncode,
  DataItem,
  DateOnly,
  DeviceKey,
  DeviceResponse,
  Issuer,
  KeyType,
  type MdocContext,
  SessionTranscript,
  SignatureAlgorithm,
  Verifier,
} from '@owf/mdoc';
import { certify, newEcKey } from '../../../test/support/certificates.ts';
import { issuerWorld, NOW, newSigner, type TestSigner } from '../../../test/support/issuers.ts';
import { type Algorithm, type PublicJwk, publicJwkOf, verifyWith } from '../jose/index.ts';
import { TrustError } from '../trust/index.ts';
import { CredentialRejectedError, type PresentationContext } from './format.ts';
import { createMdoc } from './mdoc.ts';

const DOCTYPE = 'org.iso.18013.5.1.mDL';
const NS = 'org.iso.18013.5.1';
const DAY_MS = 24 * 3600 * 1000;
const [from, until] = [new Date(NOW - 10 * DAY_MS), new Date(NOW + 10 * DAY_MS)];

const root = certify({ name: 'C=DE, CN=IACA', ca: true, from, until });
const certified = (key: KeyObject = newEcKey()) => {
  const { certificate, der } = certify({ name: 'C=DE, CN=Signer', by: root, from, until, key });
  return { ...newSigner(key), der: Buffer.from(der, 'base64'), certificate };
};
const issuer = certified();
const holder = newSigner();

/** Not by the library's fromJwk, which knows neither P-384 nor P-521. */
const coseKeyOf = ({ kty, crv, x, y }: PublicJwk, kind: typeof CoseKey = CoseKey): CoseKey =>
  kind.create({
    keyType: kty === 'EC' ? KeyType.Ec : KeyType.Okp,
    curve: Curve[crv as keyof typeof Curve],
    x: Buffer.from(x!, 'base64url'),
    ...(y ? { y: Buffer.from(y, 'base64url') } : {}),
  });

/** Everything the library wants of an issuer and of a verifier. */
function contextOf(signer?: TestSigner): MdocContext {
  const never = (): never => assert.fail('not expected');
  return {
    crypto: {
      random: (length) => randomBytes(length),
      digest: ({ digestAlgorithm, bytes }) => createHash(digestAlgorithm.replace('-', '')).update(bytes).digest(),
      calculateEphemeralMacKey: never,
    },
    cose: {
      sign1: {
        sign: ({ toBeSigned }) => signer!.sign(Buffer.from(toBeSigned)),
        verify: ({ key, sign1 }) => {
          const crv = Curve[key.curve!]!;
          const [x, y] = [key.x, key.y].map((bytes) => bytes && Buffer.from(bytes).toString('base64url'));
          const jwk = (crv === 'Ed25519' ? { kty: 'OKP', crv, x } : { kty: 'EC', crv, x, y }) as PublicJwk;
          return verifyWith(
            jwk,
            sign1.signatureAlgorithmName as Algorithm,
            Buffer.from(sign1.toBeSigned),
            Buffer.from(sign1.signature),
          );
        },
      },
      mac0: { sign: never, verify: never },
    },
    x509: {
      getIssuerNameField: ({ certificate, field }) =>
        new X509Certificate(certificate).issuer
          .split('\n')
          .flatMap((line) => (line.startsWith(`${field}=`) ? [line.slice(2)] : [])),
      getPublicKey: ({ certificate }) => coseKeyOf(publicJwkOf(new X509Certificate(certificate).publicKey)),
      verifyCertificateChain: ({ x5chain, trustedCertificates }) =>
        assert.ok(new X509Certificate(x5chain[0]!).verify(new X509Certificate(trustedCertificates[0]!).publicKey)),
      getCertificateData: ({ certificate }) => {
        const {
          issuer: issuerName,
          subject,
          serialNumber,
          fingerprint,
          validFromDate,
          validToDate,
        } = new X509Certificate(certificate);
        return {
          issuerName,
          subjectName: subject,
          serialNumber,
          thumbprint: fingerprint,
          notBefore: validFromDate,
          notAfter: validToDate,
          pem: '',
        };
      },
    },
  };
}

const VALIDITY = { signed: new Date(NOW), validFrom: new Date(NOW), validUntil: new Date(NOW + DAY_MS) };
const ELEMENTS = {
  family_name: 'Lovelace',
  birth_date: new DateOnly('1815-12-10'),
  issue_date: new Date(NOW),
  portrait: Buffer.from([1, 2, 255]),
  age_over_18: true,
  age_over_21: true,
  driving_privileges: [
    new Map<string, unknown>([
      ['vehicle_category_code', 'B'],
      ['issue_date', new DateOnly('2020-01-02')],
    ]),
  ],
};

async function issue(signer = issuer, algorithm = SignatureAlgorithm.ES256, device: TestSigner = holder): Promise<string> {
  const signed = await new Issuer(DOCTYPE, contextOf(signer))
    .addIssuerNamespace(NS, ELEMENTS)
    .addIssuerNamespace('org.example', { points: 7 })
    .sign({
      signingKey: coseKeyOf(signer.jwk),
      algorithm,
      digestAlgorithm: 'SHA-256',
      validityInfo: VALIDITY,
      deviceKeyInfo: { deviceKey: coseKeyOf(device.jwk, DeviceKey) },
      certificates: [signer.der],
    });
  return signed.encodedForOid4Vci;
}

type Value = Map<unknown, unknown>;
const map = (object: object): Value => new Map(Object.entries(object));

interface MdocDraft {
  /** Bytes of the items, by namespace; their digests are made of them. */
  readonly items: Map<string, Uint8Array[]>;
  readonly mso: Value;
  readonly protectedHeaders: Value;
  readonly unprotectedHeaders: Value;
}

const itemOf = (digestID: number, elementIdentifier: string, elementValue: unknown): Uint8Array =>
  cborEncode(map({ digestID, random: randomBytes(16), elementIdentifier, elementValue }));

const digestOf = (item: Uint8Array): Buffer =>
  createHash('sha256')
    .update(cborEncode(DataItem.fromBuffer(item)))
    .digest();

/** Builds and signs an mdoc directly in CBOR, valid or not. */
async function craft(change: (draft: MdocDraft) => void = () => {}, after: (signed: Value) => void = () => {}): Promise<string> {
  const draft: MdocDraft = {
    items: new Map([[NS, [itemOf(0, 'family_name', 'Lovelace'), itemOf(1, 'age_over_18', true)]]]),
    mso: map({
      version: '1.0',
      digestAlgorithm: 'SHA-256',
      docType: DOCTYPE,
      deviceKeyInfo: map({ deviceKey: coseKeyOf(holder.jwk).encodedStructure }),
      validityInfo: map(VALIDITY),
    }),
    protectedHeaders: new Map([[1, -7]]),
    unprotectedHeaders: new Map<unknown, unknown>([[33, issuer.der]]),
  };
  const digests = (): Value =>
    new Map(
      [...draft.items].map(([namespace, items]) => [namespace, new Map(items.map((item) => [idOf(item), digestOf(item)]))]),
    );
  draft.mso.set('valueDigests', digests());
  const before = draft.mso.get('valueDigests');
  change(draft);
  if (draft.mso.get('valueDigests') === before) draft.mso.set('valueDigests', digests());
  const [header, payload] = [cborEncode(draft.protectedHeaders), cborEncode(DataItem.fromData(draft.mso))];
  const signature = await issuer.sign(Buffer.from(cborEncode(['Signature1', header, new Uint8Array(), payload])));
  const signed = map({
    nameSpaces: new Map(
      [...draft.items].map(([namespace, items]) => [namespace, items.map((item) => DataItem.fromBuffer(item))]),
    ),
    issuerAuth: [header, draft.unprotectedHeaders, payload, signature],
  });
  after(signed);
  return Buffer.from(cborEncode(signed)).toString('base64url');
}

const replace = (signed: Value, at: number, value: unknown): void => {
  (signed.get('issuerAuth') as unknown[])[at] = value;
};

const idOf = (item: Uint8Array): unknown => (cborDecode(item) as Value).get('digestID');

const setUp = (anchors = [root]) => {
  const { trust, clock, world } = issuerWorld();
  world.anchors.push(...anchors);
  return createMdoc({ trust, clock });
};

const refused = async (raw: unknown, code: string, format = setUp()): Promise<void> => {
  await assert.rejects(format.verify(raw), (error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
};

describe('Verifying an mdoc', () => {
  it('gives what the library issued, as JSON', async () => {
    const { authorityKeyIds, rootKeyId, ...verified } = await setUp().verify(await issue());
    assert.equal(authorityKeyIds?.length, 2);
    assert.equal(
      rootKeyId,
      createHash('sha256')
        .update(root.certificate.publicKey.export({ type: 'spki', format: 'der' }))
        .digest('base64url'),
    );
    assert.deepEqual(verified, {
      format: 'mso_mdoc',
      type: DOCTYPE,
      types: [DOCTYPE],
      issuer: { id: 'C=DE, CN=Signer', trust: 'anchor' },
      claims: {
        [NS]: {
          family_name: 'Lovelace',
          birth_date: '1815-12-10',
          issue_date: '2026-01-01T00:00:00Z',
          portrait: 'AQL_',
          age_over_18: true,
          age_over_21: true,
          driving_privileges: [{ vehicle_category_code: 'B', issue_date: '2020-01-02' }],
        },
        'org.example': { points: 7 },
      },
      issuedAt: NOW,
      validFrom: NOW,
      validUntil: NOW + DAY_MS,
      binding: { kind: 'jwk', jwk: holder.jwk },
    });
  });

  it('takes every algorithm of issuers and of devices', async () => {
    const keys = [
      [newEcKey('P-384'), SignatureAlgorithm.ES384],
      [newEcKey('P-521'), SignatureAlgorithm.ES512],
      [generateKeyPairSync('ed25519').privateKey, SignatureAlgorithm.EdDSA],
    ] as const;
    for (const [key, algorithm] of keys) {
      const { binding } = await setUp().verify(await issue(certified(key), algorithm, newSigner(key)));
      assert.deepEqual(binding, { kind: 'jwk', jwk: newSigner(key).jwk });
    }
  });

  it('takes other spellings of CBOR, as long as the digests are of the bytes that came', async () => {
    const raw = await craft(({ items }) => {
      const [first] = items.get(NS)!;
      assert.equal(first![0], 0xa4);
      // A map without a length, and a number in more bytes than it needs.
      const loose = Buffer.concat([Buffer.of(0xbf), Buffer.from(first!.subarray(1)), Buffer.of(0xff)]);
      const at = loose.indexOf('digestID') + 'digestID'.length;
      items.get(NS)![0] = Buffer.concat([loose.subarray(0, at), Buffer.of(0x19, 0, 0), loose.subarray(at + 1)]);
    });
    assert.deepEqual((await setUp().verify(raw)).claims, { [NS]: { family_name: 'Lovelace', age_over_18: true } });
  });

  it('finds its status', async () => {
    const status = map({ status_list: map({ idx: 412, uri: 'https://issuer.example/list' }) });
    const raw = await craft(({ mso }) => mso.set('status', status));
    assert.deepEqual((await setUp().verify(raw)).status, { kind: 'token', uri: 'https://issuer.example/list', index: 412 });
  });

  it('refuses certificates that lead nowhere, or none', async () => {
    await refused(await issue(), 'untrusted', setUp([]));
    await refused(await craft(({ unprotectedHeaders }) => unprotectedHeaders.delete(33)), 'untrusted');
    for (const chain of ['x', [], Buffer.of(1, 2), Array(9).fill(issuer.der)])
      await refused(await craft(({ unprotectedHeaders }) => unprotectedHeaders.set(33, chain)), 'untrusted');
  });

  it('refuses a broken signature, and a foreign key', async () => {
    const spoil = (at: number) => (signed: Value) => {
      const auth = signed.get('issuerAuth') as Uint8Array[];
      const bytes = Buffer.from(auth[at]!);
      bytes[bytes.length - 1]! ^= 1;
      auth[at] = bytes;
    };
    await refused(await craft(undefined, spoil(3)), 'invalid-signature');
    await refused(await craft(({ unprotectedHeaders }) => unprotectedHeaders.set(33, certified().der)), 'invalid-signature');
    await refused(await issue({ ...issuer, sign: newSigner().sign }), 'invalid-signature');
  });

  it('refuses an algorithm that is none, symmetric, of another key, or not protected', async () => {
    for (const algorithm of [undefined, 0, 5, -257, -35, -8, 'ES256'])
      await refused(await craft(({ protectedHeaders }) => protectedHeaders.set(1, algorithm)), 'invalid-signature');
    const moved = await craft(({ protectedHeaders, unprotectedHeaders }) => {
      protectedHeaders.delete(1);
      unprotectedHeaders.set(1, -7);
    });
    await refused(moved, 'invalid-signature');
    await refused(await craft(({ protectedHeaders }) => protectedHeaders.set(2, [99])), 'malformed');
  });

  it('refuses elements that were not signed, changed, doubled or moved', async () => {
    const nameSpaces = (signed: Value) => signed.get('nameSpaces') as Map<string, DataItem[]>;
    const add = (item: Uint8Array) => (signed: Value) => void nameSpaces(signed).get(NS)!.push(DataItem.fromBuffer(item));
    await refused(await craft(undefined, add(itemOf(9, 'admin', true))), 'malformed');
    const other = [DataItem.fromBuffer(itemOf(1, 'age_over_18', false))];
    await refused(await craft(undefined, (signed) => void nameSpaces(signed).set(NS, other)), 'malformed');
    const doubled = await craft(undefined, (signed) => void nameSpaces(signed).get(NS)!.push(nameSpaces(signed).get(NS)![0]!));
    await refused(doubled, 'malformed');
    const moved = await craft(undefined, (signed) => {
      nameSpaces(signed).set('org.other', nameSpaces(signed).get(NS)!);
      nameSpaces(signed).delete(NS);
    });
    await refused(moved, 'malformed');
    await refused(await craft(({ items }) => void items.get(NS)!.push(itemOf(2, 'family_name', 'Byron'))), 'malformed');
  });

  it('refuses too many elements before it decodes and hashes them', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => DataItem.fromBuffer(itemOf(at + 2, `element ${at}`, at)));
    const raw = await craft(undefined, (signed) => void (signed.get('nameSpaces') as Value).set('org.other', many));
    await assert.rejects(setUp().verify(raw), /too many elements/);
  });

  it('refuses what has expired, comes from the future, or was signed when its certificate did not hold', async () => {
    const at = (change: object) => craft(({ mso }) => mso.set('validityInfo', map({ ...VALIDITY, ...change })));
    await refused(await at({ validUntil: new Date(NOW - 60_000) }), 'expired');
    await refused(await at({ signed: new Date(NOW + 61_000) }), 'invalid-times');
    await refused(await at({ signed: new Date(NOW - 11 * DAY_MS) }), 'invalid-times');
    assert.ok(await setUp().verify(await at({ validFrom: new Date(NOW + DAY_MS / 2) })));
    const ending = certify({ name: 'CN=Ending', by: root, from, until: new Date(NOW + 1000), key: issuer.key });
    const late = await craft(({ mso, unprotectedHeaders }) => {
      mso.set('validityInfo', map({ ...VALIDITY, signed: new Date(NOW + 30_000) }));
      unprotectedHeaders.set(33, Buffer.from(ending.der, 'base64'));
    });
    await refused(late, 'invalid-times');
    // Signed, then valid, then no longer.
    await refused(await at({ validFrom: new Date(NOW + 2 * DAY_MS) }), 'invalid-times');
    await refused(await at({ validFrom: new Date(NOW + DAY_MS) }), 'invalid-times');
    await refused(await at({ validFrom: new Date(NOW - 1000) }), 'invalid-times');
    for (const validUntil of ['2030-01-01', 7, undefined]) await refused(await at({ validUntil }), 'malformed');
  });

  it('refuses a security object that is not whole', async () => {
    for (const name of ['version', 'digestAlgorithm', 'docType', 'valueDigests', 'deviceKeyInfo', 'validityInfo'])
      await refused(await craft(({ mso }) => void mso.set(name, undefined)), 'malformed');
    await refused(await craft(({ mso }) => void mso.set('docType', '')), 'malformed');
    await refused(await craft(({ mso }) => void mso.set('digestAlgorithm', 'SHA-1')), 'malformed');
    await refused(await craft(undefined, (signed) => replace(signed, 2, null)), 'malformed');
  });

  it('refuses a device key that is private, off its curve, or none', async () => {
    const key = (change: (key: Value) => void) =>
      craft(({ mso }) => {
        const deviceKey = new Map(coseKeyOf(holder.jwk).encodedStructure);
        change(deviceKey);
        mso.set('deviceKeyInfo', map({ deviceKey }));
      });
    await refused(await key((one) => one.set(-4, Buffer.alloc(32, 1))), 'malformed');
    await refused(await key((one) => one.set(-2, Buffer.alloc(32, 1))), 'malformed');
    await refused(await key((one) => one.set(-1, 8)), 'malformed');
    await refused(await key((one) => one.delete(-3)), 'malformed');
  });

  it('refuses a device key whose curve is not one of its type, or whose algorithm is not one of its curve', async () => {
    const key = (jwk: typeof holder.jwk, change: (key: Value) => void = () => {}) =>
      craft(({ mso }) => {
        const deviceKey = new Map(coseKeyOf(jwk).encodedStructure);
        change(deviceKey);
        mso.set('deviceKeyInfo', map({ deviceKey }));
      });
    const edwards = newSigner(generateKeyPairSync('ed25519').privateKey).jwk;
    const y = Buffer.from(holder.jwk.y!, 'base64url');
    assert.ok(await setUp().verify(await key(edwards)));
    assert.ok(await setUp().verify(await key(holder.jwk, (one) => one.set(3, -7))));
    await refused(await key(holder.jwk, (one) => one.set(1, 1)), 'malformed');
    await refused(await key(edwards, (one) => one.set(1, 2)), 'malformed');
    await refused(await key(edwards, (one) => one.set(1, 2).set(-3, y)), 'malformed');
    await refused(await key(edwards, (one) => one.set(-3, y)), 'malformed');
    for (const algorithm of [-35, -8, 'ES256']) await refused(await key(holder.jwk, (one) => one.set(3, algorithm)), 'malformed');
  });

  it('refuses names that would be prototypes, and values of kinds that have no place in it', async () => {
    const adding = (name: string, value: unknown) => craft(({ items }) => void items.get(NS)!.push(itemOf(2, name, value)));
    await refused(await adding('__proto__', map({ admin: true })), 'malformed');
    await refused(await adding('a', map({ ['__proto__']: 1 })), 'malformed');
    await refused(await adding('a', new Set([1])), 'malformed');
    await refused(await adding('a', /x/), 'malformed');
    await refused(await adding('a', 2n ** 70n), 'malformed');
    assert.deepEqual((await setUp().verify(await adding('a', [2n ** 60n, null, Number.NaN, 1.5]))).claims[NS], {
      family_name: 'Lovelace',
      age_over_18: true,
      a: [String(2n ** 60n), null, null, 1.5],
    });
  });

  it('refuses what is not one, at once', async () => {
    const deep = Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.of(0)]);
    // Lists that promise millions of elements, one in the other.
    const greedy = Buffer.concat(Array(2000).fill(Buffer.from('9a01e00000', 'hex')));
    const bytes = [
      deep,
      greedy,
      Buffer.of(0xa0),
      Buffer.of(0xf6),
      Buffer.from('a26a6e616d65537061636573a06a697373756572417574680', 'hex'),
    ];
    const texts = [
      undefined,
      7,
      {},
      '',
      '!',
      'A'.repeat(600_000),
      `${await issue()}AA`,
      ...bytes.map((one) => one.toString('base64url')),
    ];
    for (const raw of texts) await refused(raw, 'malformed');
  });

  it('refuses hostile CBOR where it is hidden in bytes', async () => {
    const deep = Buffer.concat([Buffer.alloc(10_000, 0x81), Buffer.of(0)]);
    const hide = (at: number) => craft(undefined, (signed) => replace(signed, at, deep));
    await refused(await hide(0), 'malformed');
    await refused(await hide(2), 'malformed');
    // The library makes a set of this, wherever it is.
    await refused(await craft(({ protectedHeaders }) => void protectedHeaders.set(99, new Set([1]))), 'malformed');
    await refused(await craft(({ mso }) => void mso.set('more', new Set([1]))), 'malformed');
    assert.ok(
      await setUp().verify(await craft(({ mso, protectedHeaders }) => void mso.set('more', protectedHeaders.set(99, [1])))),
    );
    await refused(
      await craft(undefined, (signed) => signed.set('nameSpaces', new Map([[NS, [DataItem.fromBuffer(deep)]]]))),
      'malformed',
    );
  });
});

describe('Showing an mdoc', () => {
  const showing: PresentationContext = {
    paths: [
      [NS, 'family_name'],
      [NS, 'age_over_21'],
      [NS, 'nothing'],
      ['org.example'],
      ['org.example', 'age_over_18'],
      [NS, 'birth_date', 'year'],
    ],
    nonce: 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA',
    audience: 'x509_san_dns:example.com',
    now: NOW,
    handover: {
      responseUri: 'https://example.com/response',
      encryptionThumbprint: Buffer.from('4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047', 'hex'),
    },
  };
  const { responseUri, encryptionThumbprint } = showing.handover!;
  const session = { clientId: showing.audience, nonce: showing.nonce, responseUri };

  const verifyShown = async (presented: unknown, sessionTranscript: SessionTranscript): Promise<string[]> => {
    const failed: string[] = [];
    await Verifier.verifyDeviceResponse(
      {
        deviceResponse: DeviceResponse.fromEncodedForOid4Vp(String(presented)),
        sessionTranscript,
        trustedCertificates: [Buffer.from(root.der, 'base64')],
        now: new Date(NOW),
        onCheck: ({ status, check }) => void (status === 'FAILED' && failed.push(check)),
      },
      contextOf(),
    );
    return failed;
  };

  it('shows the elements asked for and no other, in a session that a verifier of the library accepts', async () => {
    const presented = await setUp().present(await issue(), showing, holder);
    const transcript = await SessionTranscript.forOid4Vp({ ...session, jwkThumbprint: encryptionThumbprint! }, contextOf());
    assert.deepEqual(await verifyShown(presented, transcript), []);
    const [document] = DeviceResponse.fromEncodedForOid4Vp(String(presented)).documents!;
    const shown = [...document!.issuerSigned.issuerNamespaces.issuerNamespaces].map(([namespace, items]) => [
      namespace,
      items.map(({ elementIdentifier }) => elementIdentifier),
    ]);
    assert.deepEqual(shown, [[NS, ['family_name', 'age_over_21']]]);
  });

  it('is bound to its session', async () => {
    const presented = await setUp().present(await issue(), showing, holder);
    const others = [
      {},
      { jwkThumbprint: Buffer.alloc(32) },
      { jwkThumbprint: encryptionThumbprint!, nonce: 'other' },
      { jwkThumbprint: encryptionThumbprint!, clientId: 'x' },
    ];
    for (const other of others) {
      const transcript = await SessionTranscript.forOid4Vp({ ...session, ...other }, contextOf());
      assert.deepEqual(await verifyShown(presented, transcript), ['Device signature must be valid']);
    }
  });

  it('signs the transcript of the example in OpenID4VP', async () => {
    const signed: Buffer[] = [];
    const watching = { ...holder, sign: (data: Buffer) => holder.sign(signed[signed.push(data) - 1]!) };
    await setUp().present(await issue(), showing, watching);
    const example =
      '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac';
    assert.ok(signed[0]!.toString('hex').includes(example));
  });

  it('has no thumbprint when the answer is not encrypted', async () => {
    const plain = await setUp().present(await issue(), { ...showing, handover: { responseUri } }, holder);
    assert.deepEqual(await verifyShown(plain, await SessionTranscript.forOid4Vp(session, contextOf())), []);
  });

  it('signs with every key a device may have', async () => {
    const transcript = await SessionTranscript.forOid4Vp({ ...session, jwkThumbprint: encryptionThumbprint! }, contextOf());
    for (const key of [newEcKey('P-384'), newEcKey('P-521'), generateKeyPairSync('ed25519').privateKey]) {
      const device = newSigner(key);
      const raw = await issue(issuer, SignatureAlgorithm.ES256, device);
      assert.deepEqual(await verifyShown(await setUp().present(raw, showing, device), transcript), [], device.algorithm);
    }
    await assert.rejects(setUp().present(await issue(), showing, { ...holder, algorithm: 'ES256K' }), CredentialRejectedError);
    await assert.rejects(setUp().present(await issue(), showing, undefined), CredentialRejectedError);
  });

  it('shows the bytes the issuer signed, also when they are spelled otherwise', async () => {
    const raw = await craft(({ items }) => {
      const [first] = items.get(NS)!;
      items.get(NS)![0] = Buffer.concat([Buffer.of(0xbf), Buffer.from(first!.subarray(1)), Buffer.of(0xff)]);
    });
    const presented = Buffer.from(String(await setUp().present(raw, showing, holder)), 'base64url');
    const [item] = (cborDecode(Buffer.from(raw, 'base64url')) as Map<string, Map<string, DataItem[]>>)
      .get('nameSpaces')!
      .get(NS)!;
    assert.ok(presented.includes(Buffer.from(cborEncode(item))));
  });

  it('shows nothing but the doctype when nothing is asked for', async () => {
    const presented = await setUp().present(await issue(), { ...showing, paths: [] }, holder);
    // By hand: the library cannot read what has no namespaces, but an empty map of them is none (ISO/IEC 18013-5, 8.3.2.1.2.2).
    const response = cborDecode(Buffer.from(String(presented), 'base64url')) as Map<string, Map<string, unknown>[]>;
    const [document] = response.get('documents')!;
    assert.equal(document!.get('docType'), DOCTYPE);
    assert.deepEqual([...(document!.get('issuerSigned') as Map<string, unknown>).keys()], ['issuerAuth']);
  });
});
