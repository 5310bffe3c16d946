import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { issuerWorld, NOW, newJwt, newSigner, rawJwt } from '../../../test/support/issuers.ts';
import { createFormats, listVerifier } from '../formats/index.ts';
import { createStatus, referenceOf, type StatusReference } from './index.ts';

const LIST = 'https://issuer.example/list';
const SECONDS = NOW / 1000;
const issuer = newSigner();

const setUp = () => {
  const { trust, clock, world, outbound } = issuerWorld();
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

  it('is, of several, the one that revokes', () => {
    const suspension = { ...entry, statusPurpose: 'suspension' };
    const message = { ...entry, statusPurpose: 'message' };
    const purposeOf = (...all: object[]) => (referenceOf({ credentialStatus: all }) as { purpose?: string } | undefined)?.purpose;
    assert.equal(purposeOf(suspension, entry), 'revocation');
    assert.equal(purposeOf(message, suspension), 'suspension');
    assert.equal(purposeOf(message), undefined);
  });

  it('is nowhere when it is not said properly', () => {
    const lists = [{}, { idx: -1, uri: LIST }, { idx: '5', uri: LIST }, { idx: 1.5, uri: LIST }, { idx: 1 }, null, 'x'];
    for (const list of lists) assert.equal(referenceOf({ status: { status_list: list } }), undefined, JSON.stringify(list));
    for (const status of [null, 'x', 7, []]) assert.equal(referenceOf({ status }), undefined);
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
      { type: 'Other' },
    ];
    for (const change of wrong)
      assert.equal(referenceOf({ credentialStatus: { ...entry, ...change } }), undefined, JSON.stringify(change));
    for (const credentialStatus of [null, 'x', [null]]) assert.equal(referenceOf({ credentialStatus }), undefined);
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

  it('is unknown when it cannot be had, and asked for again', async () => {
    const { status, world } = setUp();
    assert.equal(await status.of(token(0)), 'unknown');
    world.answers.set(LIST, 404);
    assert.equal(await status.of(token(0)), 'unknown');
    world.answers.set(LIST, await list());
    assert.equal(await status.of(token(0)), 'revoked');
    assert.equal(await status.of(token(99)), 'unknown');
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

  it('is not mistaken for a token list at the same address', async () => {
    const { status, world } = setUp();
    const claims = { iss: issuer.did, sub: LIST, status_list: { bits: 2, lst: 'eNo76fITAAPfAgc' } };
    world.answers.set(LIST, await newJwt(issuer, claims, { typ: 'statuslist+jwt' }));
    assert.equal(await status.of({ kind: 'token', uri: LIST, index: 0 }), 'revoked');
    assert.equal(await status.of(bit(0)), 'unknown');
  });
});
