import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { certify, keyIdentifierOf, type TestCertificate } from '../../../test/support/certificates.ts';
import { issuerWorld, NOW, newJwt, newSigner, rawJwt, type TestSigner } from '../../../test/support/issuers.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { createFormats, listVerifier } from '../formats/index.ts';
import { createStatus, referenceOf, type StatusReference } from './index.ts';

const LIST = 'https://issuer.example/list';
const SECONDS = NOW / 1000;
const issuer = newSigner();

/** `hold` answers instead of the world, where it does. */
const setUp = (hold: (request: { url: string }) => ReturnType<Outbound> | undefined = () => undefined) => {
  const { trust, clock, world, outbound: answer } = issuerWorld();
  const outbound: Outbound = (request) => hold(request) ?? answer(request);
  const status = createStatus({ outbound, trust, clock, verifyList: listVerifier(createFormats({ trust, clock })) });
  return { status, world };
};

describe('Where a status is', () => {
  const entry = {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '94567',
    statusListCredential: LIST,
  };

  it('is in status_list, or in credentialStatus', () => {
    assert.deepEqual(referenceOf({ status: { status_list: { idx: 0, uri: LIST } } }), { kind: 'token', uri: LIST, index: 0 });
    const expected = { kind: 'bitstring', uri: LIST, index: 94567, size: 1, purpose: 'revocation' };
    assert.deepEqual(referenceOf({ credentialStatus: entry }), expected);
    assert.deepEqual(referenceOf({ credentialStatus: [{ ...entry, statusListIndex: 94567, statusSize: 1 }] }), expected);
    assert.deepEqual(referenceOf({ credentialStatus: { ...entry, type: 'StatusList2021Entry' } }), expected);
  });

  it('is in several entries, up to a limit, with revocation first', () => {
    const suspension = { ...entry, statusPurpose: 'suspension' };
    const message = { ...entry, statusPurpose: 'message' };
    const bitstring = { kind: 'bitstring', uri: LIST, index: 94567, size: 1 };
    const [revokes, suspends] = [
      { ...bitstring, purpose: 'revocation' },
      { ...bitstring, purpose: 'suspension' },
    ];
    assert.deepEqual(referenceOf({ credentialStatus: [suspension, message, entry] }), { ...revokes, also: [suspends] });
    assert.deepEqual(referenceOf({ credentialStatus: [message, suspension] }), suspends);
    assert.equal(referenceOf({ credentialStatus: [message] }), undefined);
    const both = { status: { status_list: { idx: 0, uri: LIST } }, credentialStatus: entry };
    assert.deepEqual(referenceOf(both), { kind: 'token', uri: LIST, index: 0, also: [revokes] });
    const many = referenceOf({ credentialStatus: [...Array(50).fill(suspension), entry] });
    assert.deepEqual([(many as { purpose?: string }).purpose, many!.also!.length], ['revocation', 10]);
    // Those that are not looked at may say anything.
    assert.deepEqual(many!.also!.at(-1), { kind: 'unreadable' });
  });

  it('is absent without an entry, and unreadable if the entry is malformed', () => {
    for (const claims of [{}, { status: undefined }, { credentialStatus: [] }]) assert.equal(referenceOf(claims), undefined);
    const unreadable = { kind: 'unreadable' };
    const lists = [
      {},
      { idx: -1, uri: LIST },
      { idx: '5', uri: LIST },
      { idx: 1.5, uri: LIST },
      { idx: 1 },
      { idx: 1, uri: 'no address' },
      null,
      'x',
    ];
    for (const list of lists) assert.deepEqual(referenceOf({ status: { status_list: list } }), unreadable, JSON.stringify(list));
    for (const status of [null, 'x', 7, [], {}, { another_mechanism: {} }]) assert.deepEqual(referenceOf({ status }), unreadable);
    const wrong = [
      { statusListIndex: '' },
      { statusListIndex: null },
      { statusListIndex: '0x10' },
      { statusListIndex: '-1' },
      { statusListIndex: [5] },
      { statusSize: 0 },
      { statusSize: 9 },
      { statusSize: '1' },
      { statusListCredential: 7 },
      { statusListCredential: 'no address' },
      { statusPurpose: undefined },
      { statusPurpose: 7 },
      { type: 'Other' },
    ];
    for (const change of wrong)
      assert.deepEqual(referenceOf({ credentialStatus: { ...entry, ...change } }), unreadable, JSON.stringify(change));
    for (const credentialStatus of [null, 'x', [null]]) assert.deepEqual(referenceOf({ credentialStatus }), unreadable);
  });
});

describe('A Token Status List', () => {
  const claims = {
    iss: issuer.did,
    sub: LIST,
    iat: SECONDS,
    exp: SECONDS + 3600,
    ttl: 60,
    status_list: { bits: 2, lst: 'eNo76fITAAPfAgc' },
  };
  const token = (index: number): StatusReference => ({ kind: 'token', uri: LIST, index });
  const list = (change: object = {}, header: object = {}, signer = issuer): Promise<string> =>
    newJwt(signer, { ...claims, ...change }, { typ: 'statuslist+jwt', ...header });

  it('says valid, revoked and suspended; what it says otherwise is not valid', async () => {
    const { status, world } = setUp();
    world.answers.set(LIST, await list());
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map((index) => status.of(token(index)))), [
      'revoked',
      'suspended',
      'valid',
      'revoked',
    ]);
    assert.deepEqual(world.asked, [LIST]);
  });

  it('is kept as long as it says, asked again when it must be fresh, and never beyond its end', async () => {
    const { status, world } = setUp();
    world.answers.set(LIST, await list({ exp: SECONDS + 90 }));
    await status.of(token(0));
    world.now = NOW + 59_000;
    await status.of(token(0));
    assert.equal(world.asked.length, 1);
    await status.of(token(0), { fresh: true });
    assert.equal(world.asked.length, 2);
    world.now = NOW + 89_000;
    await status.of(token(0));
    assert.equal(world.asked.length, 2);
    world.now = NOW + 90_000;
    assert.equal(await status.of(token(0)), 'unknown');
    assert.equal(world.asked.length, 3);
  });

  it('is unknown when it cannot be had, and asked for again after a minute', async () => {
    const { status, world } = setUp();
    for (let look = 0; look < 5; look++) assert.equal(await status.of(token(0)), 'unknown');
    assert.equal(world.asked.length, 1);
    world.answers.set(LIST, 404);
    world.now += 60_000;
    assert.equal(await status.of(token(0)), 'unknown');
    world.answers.set(LIST, await list());
    world.now += 59_000;
    assert.equal(await status.of(token(0)), 'unknown');
    assert.equal(world.asked.length, 2);
    world.now += 1_000;
    assert.equal(await status.of(token(0)), 'revoked');
    assert.equal(await status.of(token(99)), 'unknown');
    assert.equal(world.asked.length, 3);
  });

  it('is asked for again sooner when it must be fresh, but not in one breath', async () => {
    const { status, world } = setUp();
    for (let look = 0; look < 5; look++) assert.equal(await status.of(token(0), { fresh: true }), 'unknown');
    assert.equal(world.asked.length, 1);
    world.answers.set(LIST, await list());
    world.now += 5_000;
    assert.equal(await status.of(token(0), { fresh: true }), 'revoked');
    world.answers.set(LIST, 404);
    assert.equal(await status.of(token(0), { fresh: true }), 'unknown');
    // What was known before is as good as it was.
    assert.equal(await status.of(token(0)), 'revoked');
  });

  it('is asked for once by all who look at the same time, whoever issued what they look at', async () => {
    const { status, world } = setUp();
    world.answers.set(LIST, await list());
    const looks = [undefined, issuer.did, newSigner().did].map((by) => status.of(token(0), by ? { issuer: by } : {}));
    assert.deepEqual(await Promise.all(looks), ['revoked', 'revoked', 'unknown']);
    assert.deepEqual(world.asked, [LIST]);
  });

  it('is unknown when it is not what it should be', async () => {
    const other = newSigner();
    const good = await list();
    const wrong: Record<string, string> = {
      'another type': await list({}, { typ: 'JWT' }),
      'another address': await list({ sub: `${LIST}2` }),
      expired: await list({ exp: SECONDS }),
      'a foreign key': await list({}, { kid: issuer.didUrl }, other),
      'a broken signature': `${good.slice(0, -6)}AAAAAA`,
      unsigned: await rawJwt({ alg: 'none', typ: 'statuslist+jwt', kid: issuer.didUrl }, claims),
      'no list': await list({ status_list: undefined }),
      garbage: 'x',
    };
    for (const [what, text] of Object.entries(wrong)) {
      const { status, world } = setUp();
      world.answers.set(LIST, text);
      assert.equal(await status.of(token(2)), 'unknown', what);
    }
  });

  it('belongs to whoever serves it when it names no issuer', async () => {
    const { status, world } = setUp();
    world.answers.set(LIST, await list({ iss: undefined }, { kid: 'k' }));
    world.answers.set('https://issuer.example/.well-known/jwt-vc-issuer', {
      issuer: 'https://issuer.example',
      jwks: { keys: [{ ...issuer.jwk, kid: 'k' }] },
    });
    assert.equal(await status.of(token(0)), 'revoked');
    assert.equal(await status.of(token(0), { issuer: newSigner().did }), 'revoked');
  });
});

describe('Who may sign a Token Status List', () => {
  const token: StatusReference = { kind: 'token', uri: LIST, index: 0 };
  const claims = { sub: LIST, iat: SECONDS, status_list: { bits: 2, lst: 'eNo76fITAAPfAgc' } };
  const look = async (
    header: object,
    by: { issuer?: string; authorityKeyIds?: readonly string[] },
    { iss, signer = issuer, anchors = [], answers = {} }: Served = {},
  ) => {
    const { status, world } = setUp();
    world.anchors.push(...anchors);
    world.answers.set(LIST, await newJwt(signer, { ...claims, ...(iss ? { iss } : {}) }, { typ: 'statuslist+jwt', ...header }));
    for (const [url, answer] of Object.entries(answers)) world.answers.set(url, answer);
    return status.of(token, by);
  };
  interface Served {
    iss?: string;
    signer?: TestSigner;
    anchors?: TestCertificate[];
    answers?: Record<string, unknown>;
  }

  const webDid = (did: string) => ({
    id: did,
    verificationMethod: [{ id: `${did}#k`, type: 'JsonWebKey', controller: did, publicKeyJwk: issuer.jwk }],
    assertionMethod: [`${did}#k`],
  });
  const answers = {
    'https://elsewhere.example/.well-known/did.json': webDid('did:web:elsewhere.example'),
    'https://issuer.example/.well-known/did.json': webDid('did:web:issuer.example'),
  };

  it('is the issuer of the credential, by DID or by metadata, when the list names nobody', async () => {
    const did = 'did:web:elsewhere.example';
    assert.equal(await look({ kid: `${did}#k` }, { issuer: did }, { answers }), 'revoked');
    assert.equal(await look({ kid: '#k' }, { issuer: did }, { answers }), 'revoked');
    const keys = { issuer: 'https://elsewhere.example', jwks: { keys: [{ ...issuer.jwk, kid: 'k' }] } };
    const metadata = { 'https://elsewhere.example/.well-known/jwt-vc-issuer': keys };
    assert.equal(await look({ kid: 'k' }, { issuer: keys.issuer }, { answers: metadata }), 'revoked');
  });

  it('is the host that serves it, by DID too', async () => {
    assert.equal(await look({ kid: 'did:web:issuer.example#k' }, { issuer: 'https://a.example' }, { answers }), 'revoked');
    const iss = 'did:web:issuer.example';
    assert.equal(await look({ kid: `${iss}#k` }, { issuer: 'https://a.example' }, { iss, answers }), 'revoked');
  });

  it('is never anybody else, whatever the list or its header says', async () => {
    const other = newSigner();
    const by = { issuer: issuer.did };
    assert.equal(await look({ kid: other.didUrl }, by, { signer: other }), 'unknown');
    assert.equal(await look({ kid: other.didUrl }, by, { signer: other, iss: other.did }), 'unknown');
    assert.equal(await look({ kid: issuer.didUrl }, by, { signer: other }), 'unknown');
    assert.equal(await look({ kid: issuer.didUrl }, by, { signer: other, iss: issuer.did }), 'unknown');
    assert.equal(await look({ kid: issuer.didUrl }, by), 'revoked');
    const did = 'did:web:elsewhere.example';
    assert.equal(await look({ kid: `${did}#k` }, { issuer: 'https://a.example' }, { answers }), 'unknown');
    assert.equal(await look({ kid: `${did}#k` }, { issuer: 'https://a.example' }, { iss: did, answers }), 'unknown');
    assert.equal(await look({ kid: other.didUrl }, {}, { signer: other }), 'unknown');
  });

  it('is, for an issuer known by its certificate, one of that name under the same authority', async () => {
    const times = { from: new Date(NOW - 1000), until: new Date(NOW + 1000) };
    const [root, foreign] = [certify({ name: 'CN=Root', ca: true, ...times }), certify({ name: 'CN=Other', ca: true, ...times })];
    const leaf = (authority: TestCertificate, name = 'C=DE, CN=Signer') =>
      certify({ name, by: authority, key: issuer.key, ...times }).der;
    const by = { issuer: 'C=DE, CN=Signer', authorityKeyIds: [keyIdentifierOf(root)] };
    const anchors = [root, foreign];
    assert.equal(await look({ x5c: [leaf(root)] }, by, { anchors }), 'revoked');
    assert.equal(await look({ x5c: [leaf(root)] }, by, { anchors, iss: 'https://elsewhere.example' }), 'unknown');
    assert.equal(await look({ x5c: [leaf(foreign)] }, by, { anchors }), 'unknown');
    assert.equal(await look({ x5c: [leaf(root, 'C=DE, CN=Other')] }, by, { anchors }), 'unknown');
    assert.equal(await look({ x5c: [leaf(root)] }, by, { anchors: [foreign] }), 'unknown');
    assert.equal(await look({ x5c: [leaf(root)] }, { issuer: by.issuer }, { anchors }), 'unknown');
    const host = certify({ name: 'CN=Host', by: foreign, key: issuer.key, dns: ['issuer.example'], ...times });
    assert.equal(await look({ x5c: [host.der] }, by, { anchors }), 'revoked');
  });
});

describe('A Bitstring Status List', () => {
  const subject = {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: `u${gzipSync(Buffer.of(0b0100_0000)).toString('base64url')}`,
  };
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: issuer.did,
    validUntil: new Date(NOW + 3600_000).toISOString(),
    credentialSubject: subject,
  };
  const bit = (index: number, purpose: 'revocation' | 'suspension' = 'revocation'): StatusReference => ({
    kind: 'bitstring',
    uri: LIST,
    index,
    size: 1,
    purpose,
  });
  const serve = async (change: object = {}, signer = issuer) => {
    const made = setUp();
    made.world.answers.set(LIST, await newJwt(signer, { ...credential, ...change }, { typ: 'vc+jwt', kid: issuer.didUrl }));
    return made;
  };

  it('says valid or revoked', async () => {
    const { status, world } = await serve();
    assert.deepEqual(await Promise.all([0, 1].map((index) => status.of(bit(index)))), ['valid', 'revoked']);
    assert.equal(world.asked.length, 1);
  });

  it('says suspended where that is its purpose, and nothing for another purpose', async () => {
    const both = await serve({ credentialSubject: { ...subject, statusPurpose: ['revocation', 'suspension'] } });
    assert.equal(await both.status.of(bit(1, 'suspension')), 'suspended');
    assert.equal(await (await serve()).status.of(bit(1, 'suspension')), 'unknown');
    assert.equal(await (await serve()).status.of(bit(0, 'suspension')), 'unknown');
  });

  it('is unknown when it is not its issuer’s, has ended, or is none', async () => {
    assert.equal(await (await serve({}, newSigner())).status.of(bit(0)), 'unknown');
    assert.equal(await (await serve({ validUntil: new Date(NOW - 1).toISOString() })).status.of(bit(0)), 'unknown');
    assert.equal(await (await serve({ credentialSubject: 'x' })).status.of(bit(0)), 'unknown');
    const { status, world } = setUp();
    world.answers.set(LIST, { ...credential });
    assert.equal(await status.of(bit(0)), 'unknown');
  });

  it('is that of the issuer of the credential, or of the host that serves it', async () => {
    assert.equal(await (await serve()).status.of(bit(1), { issuer: issuer.did }), 'revoked');
    assert.equal(await (await serve()).status.of(bit(1), { issuer: newSigner().did }), 'unknown');
  });

  it('of several the worst counts, and not knowing is worse than valid', async () => {
    const { status, world } = await serve({ credentialSubject: { ...subject, statusPurpose: ['revocation', 'suspension'] } });
    const away = { ...bit(0), uri: `${LIST}/away` } as StatusReference;
    const of = (first: StatusReference, ...also: StatusReference[]) => status.of({ ...first, also });
    assert.equal(await of(bit(0), bit(1, 'suspension')), 'suspended');
    assert.equal(await of(bit(1), bit(1, 'suspension')), 'revoked');
    assert.equal(await of(bit(1, 'suspension'), bit(1)), 'revoked');
    assert.equal(await of(bit(0), bit(0, 'suspension')), 'valid');
    assert.equal(await of(bit(0), away), 'unknown');
    assert.equal(await of(away, bit(1, 'suspension')), 'suspended');
    assert.equal(await of(bit(0), { kind: 'unreadable' }), 'unknown');
    assert.equal(await of({ kind: 'unreadable' }, bit(1)), 'revoked');
    assert.deepEqual(world.asked, [LIST, `${LIST}/away`]);
  });

  it('is not mistaken for a token list at the same address', async () => {
    const { status, world } = setUp();
    const claims = { iss: issuer.did, sub: LIST, status_list: { bits: 2, lst: 'eNo76fITAAPfAgc' } };
    world.answers.set(LIST, await newJwt(issuer, claims, { typ: 'statuslist+jwt' }));
    assert.equal(await status.of({ kind: 'token', uri: LIST, index: 0 }), 'revoked');
    assert.equal(await status.of(bit(0)), 'unknown');
  });
});

describe('The statuses of many', () => {
  const at = (name: string, index: number): StatusReference => ({ kind: 'token', uri: `${LIST}/${name}`, index });
  const serve = async (world: ReturnType<typeof setUp>['world'], name: string) =>
    world.answers.set(
      `${LIST}/${name}`,
      await newJwt(
        issuer,
        { iss: issuer.did, sub: `${LIST}/${name}`, status_list: { bits: 2, lst: 'eNo76fITAAPfAgc' } },
        { typ: 'statuslist+jwt' },
      ),
    );

  it('are those of each, in order, with every list asked for once, also when they must be fresh', async () => {
    const { status, world } = setUp();
    for (const name of ['a', 'b']) await serve(world, name);
    const looks = [at('a', 0), at('b', 1), at('a', 2), at('away', 0), at('away', 1)].map((reference) => ({ reference }));
    const expected = ['revoked', 'suspended', 'valid', 'unknown', 'unknown'];
    assert.deepEqual(await status.ofAll(looks), expected);
    world.now += 5_000;
    assert.deepEqual(await status.ofAll(looks, { fresh: true }), expected);
    assert.deepEqual(
      world.asked.toSorted(),
      ['a', 'a', 'away', 'away', 'b', 'b'].map((name) => `${LIST}/${name}`),
    );
    assert.deepEqual(await status.ofAll([]), []);
  });

  it('are unknown where a list does not come in time; the others are there', async () => {
    const { status, world } = setUp(({ url }) => (url.endsWith('slow') ? new Promise(() => {}) : undefined));
    await serve(world, 'a');
    const looks = [at('slow', 0), at('a', 0)].map((reference) => ({ reference }));
    assert.deepEqual(await status.ofAll(looks, { deadlineMs: 3000 }), ['unknown', 'revoked']);
  });

  it('are asked for a few at a time', async () => {
    let [running, most] = [0, 0];
    const { status } = setUp(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      throw new Error('away');
    });
    const looks = Array.from({ length: 40 }, (_, index) => ({ reference: at(`${index}`, 0) }));
    assert.deepEqual(new Set(await status.ofAll(looks)), new Set(['unknown']));
    assert.ok(most > 1 && most <= 8, `${most}`);
  });
});
