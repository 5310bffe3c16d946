// What we make is read by our own reader, which knows nothing of this code, and by a library.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { SDJwtInstance } from '@sd-jwt/core';
import { issuerWorld, NOW, newSigner } from '../../../test/support/issuers.ts';
import { createFormats } from '../formats/index.ts';
import { decodeJws, signJws, verifyJws } from '../jose/index.ts';
import { SdJwtError, sdJwtOf } from './index.ts';

const SECONDS = NOW / 1000;
const issuer = newSigner();
const holder = newSigner();
const header = { alg: issuer.algorithm, typ: 'dc+sd-jwt', kid: issuer.didUrl };
const sign = (payload: Readonly<Record<string, unknown>>) => signJws(header, payload, issuer.sign);

const OPEN = {
  iss: issuer.did,
  vct: 'https://issuer.example/types/manager',
  iat: SECONDS,
  exp: SECONDS + 3600,
  sub: 'ada',
  cnf: { jwk: holder.jwk },
  status: { status_list: { idx: 7, uri: 'https://issuer.example/lists/1' } },
  roles: [{ target: 'shop', names: ['manager'] }],
};
const HIDDEN = { name: 'Ada Lovelace', email: 'ada@example.org', 'a.b': { c: [1, 'ü'] } };

const library = new SDJwtInstance({
  hasher: (data: string | ArrayBuffer, algorithm: string) =>
    createHash(algorithm.replace('-', ''))
      .update(typeof data === 'string' ? data : Buffer.from(data))
      .digest(),
  verifier: async (data: string, signature: string) => verifyJws(`${data}.${signature}`, issuer.jwk).then(() => true),
});

describe('An SD-JWT that we make', () => {
  it('is accepted by our own reader, with all its claims, its binding and its status', async () => {
    const { trust, clock } = issuerWorld();
    const raw = await sdJwtOf({ open: OPEN, disclosable: HIDDEN }, sign);
    const read = await createFormats({ trust, clock })['dc+sd-jwt'].verify(raw);
    assert.deepEqual(read.claims, { ...OPEN, ...HIDDEN });
    assert.equal(read.subject, 'ada');
    assert.deepEqual(read.binding, { kind: 'jwk', jwk: holder.jwk });
    assert.deepEqual(read.status, { kind: 'token', uri: 'https://issuer.example/lists/1', index: 7 });
  });

  it('is accepted by a library', async () => {
    const { payload } = await library.verify(await sdJwtOf({ open: OPEN, disclosable: HIDDEN }, sign), { currentDate: SECONDS });
    assert.deepEqual(payload, { ...OPEN, ...HIDDEN });
  });

  it('says nothing of hidden claims in what is signed, and has another salt for each', async () => {
    const [one = '', ...disclosures] = (await sdJwtOf({ open: OPEN, disclosable: HIDDEN }, sign)).split('~');
    const { payload } = decodeJws(one);
    for (const name of Object.keys(HIDDEN)) assert.equal(payload[name], undefined);
    assert.ok(!JSON.stringify(payload).includes('Ada'));
    const salts = disclosures.filter(Boolean).map((text) => JSON.parse(Buffer.from(text, 'base64url').toString())[0] as string);
    assert.equal(new Set(salts).size, 3);
    for (const salt of salts) assert.equal(Buffer.from(salt, 'base64url').length, 16);
    const digests = payload._sd as string[];
    assert.deepEqual(digests, [...digests].sort(), 'their order says nothing');
  });

  it('has no digests without hidden claims, and leaves out those without a value', async () => {
    const raw = await sdJwtOf({ open: OPEN, disclosable: { email: undefined } }, sign);
    assert.equal(raw.split('~').length, 2);
    assert.equal(decodeJws(raw.split('~')[0]).payload._sd, undefined);
  });

  it('refuses to hide what every verifier must see, a claim that is open too, and names of the format', async () => {
    for (const disclosable of [{ exp: 1 }, { status: {} }, { cnf: {} }, { sub: 'x' }, { _sd: [] }, { '...': 'x' }])
      await assert.rejects(sdJwtOf({ open: OPEN, disclosable }, sign), SdJwtError);
    await assert.rejects(sdJwtOf({ open: { ...OPEN, _sd: ['x'] }, disclosable: {} }, sign), SdJwtError);
  });
});
