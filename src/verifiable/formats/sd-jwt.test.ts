import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { SDJwtInstance } from '@sd-jwt/core';
import { certify, newEcKey } from '../../../test/support/certificates.ts';
import { deepJson, issuerWorld, NOW, newSigner, rawJwt, type TestSigner } from '../../../test/support/issuers.ts';
import * as rfc from '../../../test/support/rfc9901.ts';
import { decodeJws, verifyJws } from '../jose/index.ts';
import { TrustError } from '../trust/index.ts';
import { CredentialRejectedError, type PresentationContext } from './format.ts';
import { createSdJwt } from './sd-jwt.ts';

const SECONDS = NOW / 1000;
const issuer = newSigner();
const holder = newSigner();

const hasher = (data: string | ArrayBuffer, algorithm: string): Uint8Array =>
  createHash(algorithm.replace('-', ''))
    .update(typeof data === 'string' ? data : Buffer.from(data))
    .digest();

/** Another implementation, with our key. */
const library = (signer: TestSigner) =>
  new SDJwtInstance({
    hasher,
    hashAlg: 'sha-256',
    saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
    signer: async (data: string) => (await signer.sign(Buffer.from(data))).toString('base64url'),
    signAlg: signer.algorithm,
    verifier: async (data: string, signature: string) => verifyJws(`${data}.${signature}`, signer.jwk).then(() => true),
    kbVerifier: async (data: string, signature: string) => verifyJws(`${data}.${signature}`, holder.jwk).then(() => true),
  });

const CLAIMS = {
  vct: 'https://types.example/pid',
  iss: issuer.did,
  iat: SECONDS,
  exp: SECONDS + 3600,
  cnf: { jwk: holder.jwk },
  status: { status_list: { idx: 5, uri: 'https://issuer.example/list' } },
  given_name: 'Ada',
  family_name: 'Lovelace',
  address: { street: 'Main St', city: 'London' },
  nationalities: ['GB', 'FR'],
};
const FRAME = {
  _sd: ['given_name', 'family_name', 'address'],
  address: { _sd: ['street', 'city'] },
  nationalities: { _sd: [0, 1] },
};

const issue = (claims: object = CLAIMS, frame: object = FRAME, header: object = {}, signer = issuer): Promise<string> =>
  library(signer).issue(claims as never, frame as never, { header: { typ: 'dc+sd-jwt', kid: signer.didUrl, ...header } });

const setUp = (options?: Parameters<typeof issuerWorld>[0]) => {
  const { trust, clock, world } = issuerWorld(options);
  return { ...createSdJwt({ trust, clock }), world };
};

const refused = async (raw: unknown, code: string, format = setUp()): Promise<void> => {
  await assert.rejects(format.verify(raw), (error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
};

/** What no library would issue: payload and disclosures as they are. */
const by = async (payload: object | string, disclosures: string[] = [], header: object = {}): Promise<string> =>
  [await rawJwt({ alg: 'ES256', typ: 'dc+sd-jwt', kid: issuer.didUrl, ...header }, payload, issuer), ...disclosures, ''].join(
    '~',
  );

const disclosure = (...parts: unknown[]): { encoded: string; digest: string } => {
  const encoded = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return { encoded, digest: createHash('sha256').update(encoded).digest('base64url') };
};

const { given_name: _, family_name: __, address: ___, nationalities: ____, ...OPEN } = CLAIMS;

describe('Verifying an SD-JWT VC', () => {
  it('gives what another implementation issued', async () => {
    assert.deepEqual(await setUp().verify(await issue()), {
      format: 'dc+sd-jwt',
      type: CLAIMS.vct,
      types: [CLAIMS.vct],
      issuer: { id: issuer.did, trust: 'did' },
      claims: CLAIMS,
      issuedAt: NOW,
      validUntil: NOW + 3600_000,
      binding: { kind: 'jwk', jwk: holder.jwk },
      status: { kind: 'token', uri: 'https://issuer.example/list', index: 5 },
    });
  });

  it('takes the PID of RFC 9901, by the key its issuer publishes', async () => {
    const format = setUp({ now: 1_750_000_000_000 });
    format.world.answers.set('https://pid-issuer.bund.de.example/.well-known/jwt-vc-issuer', {
      issuer: 'https://pid-issuer.bund.de.example',
      jwks: { keys: [rfc.ISSUER_JWK] },
    });
    const { age_equal_or_over: age, 18: adult, nationalities, given_name: name } = rfc.PID_DISCLOSURES;
    const {
      type,
      claims,
      issuer: by,
      binding,
    } = await format.verify([rfc.PID_JWT, age, adult, nationalities, name, ''].join('~'));
    assert.equal(type, 'urn:eudi:pid:de:1');
    assert.equal(by.trust, 'issuer-metadata');
    assert.deepEqual(binding, { kind: 'jwk', jwk: rfc.HOLDER_JWK });
    assert.deepEqual(claims.age_equal_or_over, { 18: true });
    assert.deepEqual(claims.nationalities, ['DE']);
    assert.equal(claims.given_name, 'Erika');
  });

  it('takes the name it had before, other hashes, and credentials that are bound to a DID or to nobody', async () => {
    const format = setUp();
    assert.equal((await format.verify(await issue(CLAIMS, FRAME, { typ: 'vc+sd-jwt' }))).type, CLAIMS.vct);
    const { cnf: _, ...unbound } = OPEN;
    assert.deepEqual((await format.verify(await by(unbound))).binding, { kind: 'none' });
    const toDid = await by({ ...unbound, cnf: { kid: holder.didUrl } });
    assert.deepEqual((await format.verify(toDid)).binding, { kind: 'did', did: holder.did });
    const encoded = Buffer.from('["salt","a",1]').toString('base64url');
    const digest = createHash('sha512').update(encoded).digest('base64url');
    assert.equal((await format.verify(await by({ ...OPEN, _sd_alg: 'sha-512', _sd: [digest] }, [encoded]))).claims.a, 1);
  });

  it('takes one by certificate: its name is the issuer’s, or is the issuer', async () => {
    const format = setUp();
    const [from, until] = [new Date(NOW - 1000), new Date(NOW + 1000)];
    const root = certify({ name: 'CN=Root', ca: true, from, until });
    const leaf = certify({ name: 'C=DE, CN=Signer', by: root, from, until, dns: ['issuer.example'] });
    format.world.anchors.push(root);
    const signer = newSigner(leaf.key);
    const named = await issue({ ...CLAIMS, iss: 'https://issuer.example/a' }, FRAME, { x5c: [leaf.der] }, signer);
    const { issuer: found, authorityKeyIds } = await format.verify(named);
    assert.deepEqual(found, { id: 'https://issuer.example/a', trust: 'anchor' });
    assert.equal(authorityKeyIds?.length, 2);
    const { iss: _, ...nameless } = CLAIMS;
    const unnamed = await issue(nameless, FRAME, { x5c: [leaf.der] }, signer);
    assert.equal((await format.verify(unnamed)).issuer.id, 'C=DE, CN=Signer');
    const foreign = await issue({ ...CLAIMS, iss: 'https://other.example' }, FRAME, { x5c: [leaf.der] }, signer);
    await refused(foreign, 'mismatch', format);
  });

  it('takes every algorithm of issuers', async () => {
    for (const key of [newEcKey('P-384'), newEcKey('P-521'), generateKeyPairSync('ed25519').privateKey]) {
      const signer = newSigner(key);
      assert.ok(await setUp().verify(await issue({ ...CLAIMS, iss: signer.did }, FRAME, {}, signer)));
    }
  });

  it('refuses a broken signature, a foreign key, and a swapped issuer', async () => {
    const [jwt, ...rest] = (await issue()).split('~') as [string, ...string[]];
    await refused([`${jwt.slice(0, -6)}AAAAAA`, ...rest].join('~'), 'invalid-signature');
    const other = newSigner();
    await refused(
      [await rawJwt({ alg: 'ES256', typ: 'dc+sd-jwt', kid: issuer.didUrl }, OPEN, other), ''].join('~'),
      'invalid-signature',
    );
    await refused(await issue({ ...CLAIMS, iss: other.did }), 'mismatch');
    await refused(await issue(CLAIMS, FRAME, { kid: other.didUrl }), 'mismatch');
  });

  it('refuses none, HMAC, and what is not signed', async () => {
    for (const alg of ['none', 'HS256', undefined]) await refused(await by(OPEN, [], { alg }), 'invalid-signature');
    const [header, payload] = (await by(OPEN)).split('.');
    await refused(`${header}.${payload}.~`, 'malformed');
  });

  it('refuses another type of JWT', async () => {
    for (const typ of ['JWT', 'kb+jwt', 'statuslist+jwt', undefined, ['dc+sd-jwt']])
      await refused(await by(OPEN, [], { typ }), 'wrong-type');
  });

  it('refuses what has expired or comes from the future, but for a minute', async () => {
    await refused(await by({ ...OPEN, exp: SECONDS - 60 }), 'expired');
    await refused(await by({ ...OPEN, iat: SECONDS + 61 }), 'invalid-times');
    assert.ok(await setUp().verify(await by({ ...OPEN, exp: SECONDS - 59, iat: SECONDS + 60, nbf: SECONDS + 9999 })));
    for (const time of ['soon', 1e300, null, {}]) await refused(await by({ ...OPEN, exp: time }), 'invalid-times');
  });

  it('refuses what has no type, or an issuer that is none', async () => {
    const { vct: _, ...untyped } = OPEN;
    await refused(await by(untyped), 'malformed');
    for (const vct of ['', 7, null]) await refused(await by({ ...OPEN, vct }), 'malformed');
    for (const iss of [7, null, {}]) await refused(await by({ ...OPEN, iss }), 'malformed');
    const { iss: _iss, ...nobody } = OPEN;
    await refused(await by(nobody), 'mismatch');
  });

  it('refuses hidden claims that say what it is, wholly or in part', async () => {
    for (const name of ['iss', 'nbf', 'exp', 'cnf', 'vct', 'status'] as const) {
      const { [name as 'iss']: value = SECONDS, ...rest } = OPEN;
      const { encoded, digest } = disclosure('salt', name, value);
      await refused(await by({ ...rest, _sd: [digest] }, [encoded]), 'malformed');
    }
    const hidden = disclosure('salt', 'status_list', { idx: 5, uri: 'https://issuer.example/list' });
    await refused(await by({ ...OPEN, status: { _sd: [hidden.digest] } }, [hidden.encoded]), 'malformed');
  });

  it('refuses disclosures that are twice, nowhere, or in the place of others', async () => {
    const { encoded, digest } = disclosure('salt', 'a', 1);
    await refused(await by({ ...OPEN, _sd: [digest, digest] }, [encoded]), 'malformed');
    await refused(await by({ ...OPEN, _sd: [digest] }, [encoded, encoded]), 'malformed');
    await refused(await by(OPEN, [encoded]), 'malformed');
    await refused(await by({ ...OPEN, a: 0, _sd: [digest] }, [encoded]), 'malformed');
    const raw = await issue();
    await refused(raw.replace(/~$/, `~${encoded}~`), 'malformed');
  });

  it('refuses a hash that is none, by whatever name', async () => {
    for (const name of ['md5', 'sha-1', 'toString', '__proto__', 7, null])
      await refused(await by({ ...OPEN, _sd_alg: name }), 'unsupported');
  });

  it('refuses a binding it cannot use, and a private key', async () => {
    for (const cnf of [{}, { kid: 'key-1' }, { jku: 'https://x.example' }, null, 'x'])
      await refused(await by({ ...OPEN, cnf }), 'unsupported-binding');
    await refused(await by({ ...OPEN, cnf: { jwk: holder.key.export({ format: 'jwk' }) } }), 'malformed');
    await refused(await by({ ...OPEN, cnf: { jwk: { ...holder.jwk, y: holder.jwk.x } } }), 'malformed');
  });

  it('refuses what is not one as issuers send it', async () => {
    const raw = await issue();
    const wrong = [
      undefined,
      7,
      {},
      '',
      '~',
      '~~',
      raw.slice(0, -1),
      `${raw}${await rawJwt({ alg: 'ES256' }, {}, holder)}`,
      `${raw}~`,
    ];
    for (const one of wrong) await refused(one, 'malformed');
  });

  it('refuses prototypes, deep JSON, and what is too long', async () => {
    const text = JSON.stringify(OPEN).slice(0, -1);
    await refused(await by(`${text},"a":{"__proto__":{"x":1}}}`), 'malformed');
    await refused(await by(`${text},"a":${deepJson(20_000)}}`), 'malformed');
    await refused(await by({ ...OPEN, a: 'x'.repeat(200 * 1024) }), 'malformed');
    const { encoded } = disclosure('salt', 'a', 'x'.repeat(200 * 1024));
    await refused(await by(OPEN, [encoded]), 'malformed');
  });
});

describe('Showing an SD-JWT VC', () => {
  const showing: PresentationContext = {
    paths: [['given_name'], ['address', 'city'], ['nationalities', 1]],
    nonce: 'n',
    audience: 'x509_hash:v',
    now: NOW,
  };

  it('shows what was asked for, to whom it was, in a way another implementation verifies', async () => {
    const presented = String(await setUp().present(await issue(), showing, holder));
    const { payload, kb } = await library(issuer).verify(presented, { keyBindingNonce: 'n', currentDate: SECONDS } as never);
    const { given_name, family_name, address, nationalities } = payload as Record<string, unknown>;
    assert.deepEqual([given_name, family_name, address, nationalities], ['Ada', undefined, { city: 'London' }, ['FR']]);
    assert.equal(kb?.payload.aud, 'x509_hash:v');
    assert.equal(kb?.payload.iat, SECONDS);
  });

  it('binds the presentation as RFC 9901 does', async () => {
    const { age_equal_or_over: age, 18: adult, nationalities, given_name: name } = rfc.PID_DISCLOSURES;
    const raw = [rfc.PID_JWT, age, name, adult, nationalities, ''].join('~');
    const paths = [['age_equal_or_over', '18'], ['nationalities']];
    const presented = String(await setUp().present(raw, { ...showing, paths }, holder));
    const end = presented.lastIndexOf('~') + 1;
    assert.equal(presented.slice(0, end), [rfc.PID_JWT, age, adult, nationalities, ''].join('~'));
    const { header, payload } = decodeJws(presented.slice(end));
    assert.deepEqual(header, { typ: 'kb+jwt', alg: 'ES256' });
    assert.deepEqual(payload, { iat: SECONDS, aud: 'x509_hash:v', nonce: 'n', sd_hash: rfc.PID_SD_HASH });
    await verifyJws(presented.slice(end), holder.jwk);
  });

  it('shows nothing that can be held back when nothing is asked for, and no key binding without a holder', async () => {
    const raw = await issue();
    assert.equal(await setUp().present(raw, { ...showing, paths: [] }, undefined), `${raw.split('~', 1)[0]}~`);
  });

  it('confirms transaction data', async () => {
    const transactionData = { hashes: ['h1', 'h2'], algorithm: 'sha-256' };
    const presented = String(await setUp().present(await issue(), { ...showing, transactionData }, holder));
    const { payload } = decodeJws(presented.slice(presented.lastIndexOf('~') + 1));
    assert.deepEqual(payload.transaction_data_hashes, ['h1', 'h2']);
    assert.equal(payload.transaction_data_hashes_alg, 'sha-256');
  });
});
