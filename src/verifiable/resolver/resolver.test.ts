import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outbound } from '../../platform/outbound/index.ts';
import { createResolver, documentOfDidKey, ResolutionError } from './index.ts';

const DID = 'did:web:example.com';
const KEY = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: '0-e2i2_Ua1S5HbTYnVB0lj2Z2ytXu2-tYmDFf8f5NjU' };
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: '38M1FDts7Oea7urmseiugGW7tWc3mLpJh6rKe7xINZ8',
  y: 'nDQW6XZ7b_u2Sy9slofYLlG03sOEoug3I0aAPQ0exs4',
};

/** A resolver on a host that answers as told, with a clock that is moved by hand. */
function setUp(options: { cacheSeconds?: number; insecureHosts?: string[] } = {}) {
  const world = {
    now: 1_000_000,
    asked: [] as string[],
    status: 200,
    headers: {} as Record<string, string>,
    document: undefined as unknown,
    broken: false,
    gate: undefined as Promise<void> | undefined,
  };
  const outbound: Outbound = async ({ url }) => {
    world.asked.push(url);
    const { status, broken, gate } = world;
    const host = new URL(url).host.replace(':', '%3A');
    const body = Buffer.from(JSON.stringify(world.document ?? { id: `did:web:${host}`, answer: world.asked.length }));
    const headers = { 'content-type': 'application/json', ...world.headers };
    await gate;
    if (broken) throw new Error('connect ECONNREFUSED 10.0.0.1');
    return { status, headers, body };
  };
  const resolver = createResolver({ outbound, clock: { now: () => world.now }, ...options });
  const answerOf = async (did = DID, fresh = false): Promise<unknown> => {
    const { didDocument, didResolutionMetadata } = await resolver.resolve(did, { fresh });
    return didResolutionMetadata.error ?? (didDocument as { answer?: unknown } | null)?.answer;
  };
  return { world, resolver, answerOf };
}

/** Serves `document`, with the id filled in, and asks for one of its keys. */
function keyFrom(document: object, didUrl: string, relationship?: 'authentication' | 'assertionMethod' | 'keyAgreement') {
  const { world, resolver } = setUp();
  world.document = { id: DID, ...document };
  return resolver.verificationMethod(didUrl, relationship);
}

const method = (id: string, more: object = { publicKeyJwk: ed25519 }): object => ({
  id,
  type: 'JsonWebKey',
  controller: DID,
  ...more,
});

describe('resolving', () => {
  it('knows did:key, did:jwk and did:web', async () => {
    const { resolver, world } = setUp();
    const jwk = `did:jwk:${Buffer.from(JSON.stringify(p256)).toString('base64url')}`;
    assert.deepEqual((await resolver.resolve(KEY)).didDocument, documentOfDidKey(KEY));
    assert.equal((await resolver.resolve(jwk)).didDocument?.id, jwk);
    assert.deepEqual(world.asked, []);
    const { didDocument, didResolutionMetadata } = await resolver.resolve(DID);
    assert.equal(didDocument?.id, DID);
    assert.equal(didResolutionMetadata.contentType, 'application/json');
    assert.deepEqual(world.asked, ['https://example.com/.well-known/did.json']);
  });

  it('reads over plain http from the hosts of the list', async () => {
    const { resolver, world } = setUp({ insecureHosts: ['localhost:8080'] });
    assert.equal((await resolver.resolve('did:web:localhost%3A8080')).didDocument?.id, 'did:web:localhost%3A8080');
    assert.deepEqual(world.asked, ['http://localhost:8080/.well-known/did.json']);
  });

  it('says what it does not support, whatever the method is called', async () => {
    const { resolver } = setUp();
    for (const did of ['did:example:123456789abcdefghi', 'did:ebsi:zabc', 'did:constructor:a', 'did:keyy:z', 'did:0:0'])
      assert.equal((await resolver.resolve(did)).didResolutionMetadata.error, 'methodNotSupported', did);
  });

  it('knows DIDs and DID URLs of DID Core from what only looks like them', async () => {
    const { resolver } = setUp();
    const errorOf = async (did: string) => (await resolver.resolve(did)).didResolutionMetadata.error;
    const valid = [
      'did:example:123456789abcdefghi',
      'did:example:123456/path',
      'did:example:123456?versionId=1',
      'did:example:123#public-key-0',
      'did:example:123#agent',
      'did:example:123?service=agent&relativeRef=/credentials#degree',
      'did:example:123?versionTime=2021-05-10T17:00:00Z',
      'did:example:123?service=files&relativeRef=/resume.pdf',
      'did:example:a:b:c',
      'did:example:a%20b._-',
    ];
    const invalid = [
      '',
      'did',
      'did:',
      'did::123',
      'did:example',
      'did:example:',
      'did:example:123:',
      'did:Example:123',
      'did:exa-mple:123',
      'DID:example:123',
      ' did:example:123',
      'did:example:123 ',
      'did:example:12 3',
      'did:example:123%2',
      'did:example:123%zz',
      'did:example:1/2#3#4',
      'did:example:é',
      'did:example:123\n',
      'urn:uuid:fe0cde11-59d2-4621-887f-23013499f905',
      'https://example.com/did:example:123',
      `did:example:${'a'.repeat(20_000)}`,
    ];
    for (const did of valid) assert.equal(await errorOf(did), 'methodNotSupported', did);
    for (const did of invalid) assert.equal(await errorOf(did), 'invalidDid', did.slice(0, 80));
  });

  it('gives errors as codes, and never asks a host for a DID that is invalid', async () => {
    const { world, answerOf } = setUp({ cacheSeconds: 0 });
    for (const did of ['did:web:127.0.0.1', 'did:web:example.com:..', 'did:key:z', 'did:jwk:e30'])
      assert.equal(await answerOf(did), 'invalidDid');
    assert.deepEqual(world.asked, []);
    world.document = { id: 'did:web:example.org' };
    assert.equal(await answerOf(), 'invalidDidDocument');
    world.status = 404;
    assert.equal(await answerOf(), 'notFound');
    world.status = 302;
    assert.equal(await answerOf(), 'failed');
    world.broken = true;
    assert.equal(await answerOf(), 'failed');
  });
});

describe('keeping what was resolved', () => {
  it('asks a host once in five minutes', async () => {
    const { world, answerOf } = setUp();
    assert.equal(await answerOf(), 1);
    world.now += 299_000;
    assert.equal(await answerOf(), 1);
    world.now += 1000;
    assert.equal(await answerOf(), 2);
    assert.equal(world.asked.length, 2);
  });

  it('asks again when that is wanted, and keeps the new answer', async () => {
    const { answerOf } = setUp();
    assert.deepEqual([await answerOf(), await answerOf(DID, true), await answerOf()], [1, 2, 2]);
  });

  it('keeps an answer no longer than the host says, and no longer than it is set to', async () => {
    const { world, answerOf } = setUp({ cacheSeconds: 100 });
    world.headers = { 'cache-control': 'max-age=60' };
    assert.equal(await answerOf(), 1);
    world.now += 59_000;
    assert.equal(await answerOf(), 1);
    world.now += 1000;
    world.headers = { 'cache-control': 'max-age=86400' };
    assert.equal(await answerOf(), 2);
    world.now += 100_000;
    assert.equal(await answerOf(), 3);
    world.headers = { 'cache-control': 'no-store' };
    assert.deepEqual([await answerOf(DID, true), await answerOf(), await answerOf()], [4, 5, 6]);
  });

  it('keeps errors for ten seconds', async () => {
    const { world, answerOf } = setUp();
    world.status = 404;
    assert.equal(await answerOf(), 'notFound');
    world.status = 200;
    world.now += 9000;
    assert.equal(await answerOf(), 'notFound');
    world.now += 1000;
    assert.equal(await answerOf(), 2);
  });

  it('forgets a document that is gone, but not because the host is out of reach', async () => {
    const { world, answerOf } = setUp();
    assert.equal(await answerOf(), 1);
    world.broken = true;
    assert.equal(await answerOf(DID, true), 'failed');
    assert.equal(await answerOf(), 1);
    world.broken = false;
    world.status = 410;
    assert.equal(await answerOf(DID, true), 'notFound');
    assert.equal(await answerOf(), 'notFound');
  });

  it('keeps a thousand, and forgets the oldest', async () => {
    const { world, answerOf } = setUp();
    const didOf = (n: number): string => `did:web:h${n}.example`;
    for (let n = 0; n <= 1000; n++) await answerOf(didOf(n));
    assert.equal(world.asked.length, 1001);
    await answerOf(didOf(1000));
    await answerOf(didOf(1));
    assert.equal(world.asked.length, 1001);
    await answerOf(didOf(0));
    assert.equal(world.asked.length, 1002);
  });

  it('asks once for those who ask at the same time', async () => {
    const { world, answerOf } = setUp();
    assert.deepEqual(await Promise.all([answerOf(), answerOf(), answerOf()]), [1, 1, 1]);
    assert.equal(world.asked.length, 1);
  });

  it('keeps what was asked last, though an earlier answer comes later', async () => {
    const { world, answerOf } = setUp();
    let open = (): void => {};
    world.gate = new Promise((done) => {
      open = done;
    });
    const slow = answerOf();
    world.gate = undefined;
    assert.equal(await answerOf(DID, true), 2);
    open();
    assert.equal(await slow, 1);
    assert.equal(await answerOf(), 2);
  });

  it('is not disturbed by what callers do to a document', async () => {
    const { resolver, answerOf } = setUp();
    for (let times = 0; times < 2; times++) {
      const { didDocument } = await resolver.resolve(DID);
      Object.assign(didDocument!, { answer: 'mine' });
    }
    assert.equal(await answerOf(), 1);
  });
});

describe('a verification method', () => {
  it('is found in did:key and did:jwk', async () => {
    const { resolver } = setUp();
    const jwk = `did:jwk:${Buffer.from(JSON.stringify({ ...p256, kid: 'a', use: 'sig' })).toString('base64url')}`;
    assert.equal((await resolver.verificationMethod(`${KEY}#${KEY.slice(8)}`, 'assertionMethod')).crv, 'P-256');
    assert.deepEqual(await resolver.verificationMethod(`${jwk}#0`, 'authentication'), p256);
    await assert.rejects(resolver.verificationMethod(`${jwk}#0`, 'keyAgreement'), { code: 'relationship' });
    await assert.rejects(resolver.verificationMethod(`${jwk}#a`), { code: 'notFound' });
  });

  // As in the examples of DID Core, section 5.3: by reference, embedded, and embedded for one purpose only.
  const example = {
    verificationMethod: [method(`${DID}#keys-1`), method('#keys-3', { publicKeyJwk: p256 })],
    authentication: [`${DID}#keys-1`, method(`${DID}#keys-2`, { publicKeyJwk: p256 })],
    assertionMethod: [`#keys-1`, `${DID}#keys-3`],
    keyAgreement: [`${DID}#nowhere`],
  };

  it('is found by reference and embedded, and only for what it is listed for', async () => {
    assert.deepEqual(await keyFrom(example, `${DID}#keys-1`, 'authentication'), ed25519);
    assert.deepEqual(await keyFrom(example, `${DID}#keys-1`, 'assertionMethod'), ed25519);
    assert.deepEqual(await keyFrom(example, `${DID}#keys-2`, 'authentication'), p256);
    assert.deepEqual(await keyFrom(example, `${DID}#keys-3`, 'assertionMethod'), p256);
    assert.deepEqual(await keyFrom(example, `${DID}#keys-2`), p256);
    for (const [id, relationship] of [
      ['keys-2', 'assertionMethod'],
      ['keys-3', 'authentication'],
      ['keys-1', 'keyAgreement'],
    ] as const)
      await assert.rejects(keyFrom(example, `${DID}#${id}`, relationship), { code: 'relationship' });
    await assert.rejects(keyFrom(example, `${DID}#nowhere`, 'keyAgreement'), { code: 'notFound' });
    await assert.rejects(keyFrom(example, `${DID}#keys`), { code: 'notFound' });
  });

  it('may be a Multikey, an Ed25519VerificationKey2020 or 2018', async () => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik' };
    const publicKeyMultibase = 'z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
    const publicKeyBase58 = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
    for (const more of [
      { type: 'Multikey', publicKeyMultibase },
      { type: 'Ed25519VerificationKey2020', publicKeyMultibase },
      { type: 'Ed25519VerificationKey2018', publicKeyBase58 },
    ])
      assert.deepEqual(await keyFrom({ verificationMethod: [method('#k', more)] }, `${DID}#k`), key);
    for (const more of [
      { type: 'Ed25519VerificationKey2020', publicKeyMultibase: KEY.slice(8) },
      { type: 'Ed25519VerificationKey2018', publicKeyBase58: '11' },
      { type: 'Ed25519VerificationKey2018', publicKeyBase58: 7 },
      { type: 'Multikey', publicKeyMultibase: 'u7QE' },
      { type: 'Multikey', publicKeyMultibase: null },
      { type: 'Multikey', publicKeyBase58 },
      { type: 'constructor', publicKeyMultibase },
      { type: 'X25519KeyAgreementKey2020', publicKeyMultibase },
    ])
      await assert.rejects(keyFrom({ verificationMethod: [method('#k', more)] }, `${DID}#k`), { code: 'invalidDidDocument' });
  });

  it('gives nothing of the JWK but the key', async () => {
    const document = { verificationMethod: [method('#k', { publicKeyJwk: { ...ed25519, kid: 'x', alg: 'EdDSA', use: 'sig' } })] };
    assert.deepEqual(await keyFrom(document, `${DID}#k`), ed25519);
  });

  it('verifies nothing when its owner says that it is for something else', async () => {
    const asserting = (more: object) => ({
      verificationMethod: [method(`${DID}#k`, { publicKeyJwk: { ...p256, ...more } })],
      assertionMethod: [`${DID}#k`],
      keyAgreement: [`${DID}#k`],
    });
    for (const more of [{ use: 'enc' }, { key_ops: ['deriveBits'] }, { alg: 'ECDH-ES+A128KW' }]) {
      await assert.rejects(keyFrom(asserting(more), `${DID}#k`, 'assertionMethod'), { code: 'invalidDidDocument' });
      assert.deepEqual(await keyFrom(asserting(more), `${DID}#k`, 'keyAgreement'), p256);
    }
    assert.deepEqual(await keyFrom(asserting({ use: 'sig', key_ops: ['verify'] }), `${DID}#k`, 'assertionMethod'), p256);
  });

  it('is refused when its document is not as it should be', async () => {
    const refused: Record<string, object> = {
      'a private JWK': { verificationMethod: [method('#k', { publicKeyJwk: { ...ed25519, d: 'AQ' } })] },
      'a published private key': { verificationMethod: [method('#k', { publicKeyJwk: ed25519, privateKeyMultibase: 'z1' })] },
      'a symmetric key': { verificationMethod: [method('#k', { publicKeyJwk: { kty: 'oct', k: 'AQ' } })] },
      'a JWK that is a text': { verificationMethod: [method('#k', { publicKeyJwk: 'x' })] },
      'no key': { verificationMethod: [method('#k', {})] },
      'two keys': {
        verificationMethod: [
          method('#k', { publicKeyJwk: ed25519, publicKeyMultibase: 'z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp' }),
        ],
      },
      'two methods of one id': { verificationMethod: [method('#k'), method('#k', { publicKeyJwk: p256 })] },
      'two methods of one id, one of them embedded': {
        verificationMethod: [method(`${DID}#k`)],
        assertionMethod: [method(`${DID}#k`, { publicKeyJwk: p256 })],
      },
      'methods that are no list': { verificationMethod: method('#k') },
      'a relationship that is no list': { verificationMethod: [method('#k')], assertionMethod: '#k' },
    };
    for (const [name, document] of Object.entries(refused))
      await assert.rejects(keyFrom(document, `${DID}#k`), { name: 'ResolutionError', code: 'invalidDidDocument' }, name);
  });

  it('is not found among entries that are none, or that belong to somebody else', async () => {
    const document = {
      verificationMethod: [null, 7, 'did:web:example.com#k', [], {}, { id: 7 }, method('did:web:example.org#k'), method('k')],
      assertionMethod: [null, `${DID}#k`],
    };
    await assert.rejects(keyFrom(document, `${DID}#k`, 'assertionMethod'), { code: 'notFound' });
    await assert.rejects(keyFrom({}, `${DID}#k`), { code: 'notFound' });
  });

  it('is named by a DID and a fragment, and nothing else', async () => {
    const { world, resolver } = setUp();
    for (const didUrl of [
      DID,
      `${DID}#`,
      `${DID}/path#k`,
      `${DID}?versionId=1#k`,
      `${DID}?#k`,
      '#k',
      'k',
      '',
      `${DID}#${'k'.repeat(20_000)}`,
    ])
      await assert.rejects(resolver.verificationMethod(didUrl), { code: 'invalidDid' }, didUrl.slice(0, 80));
    assert.deepEqual(world.asked, []);
  });

  it('fails with the code of its DID, and leaves the reason to the log', async () => {
    const { world, resolver } = setUp();
    await assert.rejects(resolver.verificationMethod('did:example:123#k'), { code: 'methodNotSupported' });
    await assert.rejects(resolver.verificationMethod('did:web:127.0.0.1#k'), { code: 'invalidDid' });
    world.status = 404;
    await assert.rejects(resolver.verificationMethod(`${DID}#k`), { code: 'notFound' });
    world.broken = true;
    await assert.rejects(resolver.verificationMethod('did:web:other.example#k'), (error: unknown) => {
      assert.ok(error instanceof ResolutionError);
      assert.equal(error.code, 'failed');
      assert.doesNotMatch(error.message, /10\.0\.0\.1/);
      assert.match(String(error.cause), /10\.0\.0\.1/);
      return true;
    });
  });

  it('is looked for again when that is wanted: keys are rotated', async () => {
    const { world, resolver } = setUp();
    world.document = { id: DID, verificationMethod: [method('#old')] };
    assert.deepEqual(await resolver.verificationMethod(`${DID}#old`), ed25519);
    world.document = { id: DID, verificationMethod: [method('#new')] };
    await assert.rejects(resolver.verificationMethod(`${DID}#new`), { code: 'notFound' });
    assert.deepEqual(await resolver.verificationMethod(`${DID}#new`, undefined, { fresh: true }), ed25519);
  });
});
