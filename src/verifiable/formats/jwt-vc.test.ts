import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importJWK, type JWK, jwtVerify } from 'jose';
import { certify } from '../../../test/support/certificates.ts';
import { deepJson, issuerWorld, NOW, newJwt, newSigner, rawJwt } from '../../../test/support/issuers.ts';
import { TrustError } from '../trust/index.ts';
import { CredentialRejectedError, type PresentationContext } from './format.ts';
import { createJwtVc } from './jwt-vc.ts';

const SECONDS = NOW / 1000;
const issuer = newSigner();
const holder = newSigner();

const at = (seconds: number): string => new Date((SECONDS + seconds) * 1000).toISOString();

const V1 = {
  '@context': ['https://www.w3.org/2018/credentials/v1'],
  type: ['VerifiableCredential', 'Degree'],
  issuer: { id: issuer.did, name: 'University' },
  issuanceDate: at(-10),
  credentialSubject: { id: holder.did, degree: 'Doctor' },
};
const V1_JWT = { iss: issuer.did, sub: holder.did, nbf: SECONDS - 10, exp: SECONDS + 100, vc: V1 };
const V2 = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential', 'Degree'],
  issuer: issuer.did,
  validFrom: at(-10),
  validUntil: at(100),
  credentialSubject: { id: holder.did, degree: 'Doctor' },
  credentialStatus: {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://issuer.example/list',
  },
};

const setUp = () => {
  const { trust, clock, world } = issuerWorld();
  return { ...createJwtVc({ trust, clock }), world };
};

const refused = async (raw: unknown, code: string): Promise<void> => {
  await assert.rejects(setUp().verify(raw), (error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
};

describe('Verifying a W3C credential as JWT', () => {
  it('reads the status in the credential and that of the JWT: neither hides the other', async () => {
    const suspension = { ...V2.credentialStatus, statusPurpose: 'suspension' };
    const status = { status_list: { idx: 3, uri: 'https://issuer.example/tokens' } };
    const both = { ...V1_JWT, vc: { ...V1, credentialStatus: suspension }, status };
    const { uri, purpose, index, size } = {
      uri: 'https://issuer.example/list',
      purpose: 'suspension',
      index: 7,
      size: 1,
    } as const;
    assert.deepEqual((await setUp().verify(await newJwt(issuer, both))).status, {
      kind: 'token',
      uri: 'https://issuer.example/tokens',
      index: 3,
      also: [{ kind: 'bitstring', uri, purpose, index, size }],
    });
    const unknown = { ...both, status: { status_list: { idx: 'x' } } };
    assert.equal((await setUp().verify(await newJwt(issuer, unknown))).status?.kind, 'unreadable');
    const other = { ...both, status: 'active' };
    assert.equal((await setUp().verify(await newJwt(issuer, other))).status?.kind, 'bitstring', 'another claim of this name');
  });

  it('takes VCDM 1.1 in a claim', async () => {
    assert.deepEqual(await setUp().verify(await newJwt(issuer, V1_JWT)), {
      format: 'jwt_vc_json',
      type: 'Degree',
      types: ['VerifiableCredential', 'Degree'],
      issuer: { id: issuer.did, trust: 'did' },
      subject: holder.did,
      claims: V1,
      validFrom: NOW - 10_000,
      validUntil: NOW + 100_000,
      binding: { kind: 'did', did: holder.did },
    });
  });

  it('takes VCDM 2.0 as the payload itself', async () => {
    const verified = await setUp().verify(await newJwt(issuer, V2, { typ: 'vc+jwt' }));
    assert.deepEqual(verified.claims, V2);
    assert.deepEqual([verified.validFrom, verified.validUntil], [NOW - 10_000, NOW + 100_000]);
    assert.deepEqual(verified.status, {
      kind: 'bitstring',
      uri: 'https://issuer.example/list',
      index: 7,
      size: 1,
      purpose: 'revocation',
    });
  });

  it('takes a binding to a key, and none', async () => {
    const bound = await newJwt(issuer, { ...V2, cnf: { jwk: holder.jwk } });
    assert.deepEqual((await setUp().verify(bound)).binding, { kind: 'jwk', jwk: holder.jwk });
    const unbound = await newJwt(issuer, { ...V2, credentialSubject: { degree: 'Doctor' } });
    assert.deepEqual((await setUp().verify(unbound)).binding, { kind: 'none' });
  });

  it('takes one by certificate', async () => {
    const format = setUp();
    const [from, until] = [new Date(NOW - 1000), new Date(NOW + 1000)];
    const root = certify({ name: 'CN=Root', ca: true, from, until });
    const leaf = certify({ name: 'CN=Signer', by: root, from, until, uris: ['https://issuer.example'] });
    format.world.anchors.push(root);
    const raw = await newJwt(newSigner(leaf.key), { ...V2, issuer: 'https://issuer.example' }, { x5c: [leaf.der] });
    assert.deepEqual((await format.verify(raw)).issuer, { id: 'https://issuer.example', trust: 'anchor' });
  });

  it('refuses a broken signature, a foreign key, and a swapped issuer', async () => {
    const raw = await newJwt(issuer, V1_JWT);
    await refused(`${raw.slice(0, -6)}AAAAAA`, 'invalid-signature');
    const other = newSigner();
    await refused(await newJwt(other, V1_JWT, { kid: issuer.didUrl }), 'invalid-signature');
    await refused(await newJwt(other, V1_JWT), 'mismatch');
    await refused(await newJwt(other, { ...V1_JWT, iss: other.did }), 'malformed');
    await refused(await newJwt(issuer, { ...V1_JWT, iss: other.did }), 'malformed');
  });

  it('refuses two subjects', async () => {
    await refused(await newJwt(issuer, { ...V1_JWT, sub: newSigner().did }), 'malformed');
  });

  it('refuses none and HMAC', async () => {
    for (const alg of ['none', 'HS256'])
      await refused(await rawJwt({ alg, kid: issuer.didUrl }, V2, issuer), 'invalid-signature');
  });

  it('refuses a JWT for another purpose', async () => {
    for (const typ of ['dc+sd-jwt', 'kb+jwt', 'vp+jwt', 'at+jwt', 'statuslist+jwt', 7])
      await refused(await rawJwt({ alg: 'ES256', kid: issuer.didUrl, typ }, V2, issuer), 'wrong-type');
    for (const typ of [undefined, 'jwt', 'application/vc+jwt'])
      assert.ok(await setUp().verify(await rawJwt({ alg: 'ES256', kid: issuer.didUrl, typ }, V2, issuer)));
  });

  it('refuses what has expired by either of its times, or comes from the future', async () => {
    await refused(await newJwt(issuer, { ...V2, validUntil: at(-61) }), 'expired');
    await refused(await newJwt(issuer, { ...V2, exp: SECONDS - 61 }), 'expired');
    await refused(await newJwt(issuer, { ...V2, validUntil: at(-61), exp: SECONDS + 999 }), 'expired');
    await refused(await newJwt(issuer, { ...V2, iat: SECONDS + 61 }), 'invalid-times');
    assert.ok(await setUp().verify(await newJwt(issuer, { ...V2, validFrom: at(9999) })));
  });

  it('refuses times that are none', async () => {
    for (const time of ['tomorrow', '2026', '2026-01-01', '2026-13-01T00:00:00Z', 7, null, '01/02/2026'])
      await refused(await newJwt(issuer, { ...V2, validUntil: time }), 'invalid-times');
  });

  it('refuses what is no credential, or nobody’s', async () => {
    for (const type of ['Degree', [], ['VerifiableCredential', 7], undefined, 'VerifiablePresentation'])
      await refused(await newJwt(issuer, { ...V2, type }), 'malformed');
    for (const issuerOf of [undefined, 7, {}, { id: 7 }])
      await refused(await newJwt(issuer, { ...V2, issuer: issuerOf }), 'malformed');
    for (const raw of [undefined, {}, '', 'a.b.c']) await refused(raw, 'malformed');
  });

  it('refuses a private key, prototypes, deep JSON, and what is too long', async () => {
    await refused(await newJwt(issuer, { ...V2, cnf: { jwk: holder.key.export({ format: 'jwk' }) } }), 'malformed');
    const header = { alg: 'ES256', kid: issuer.didUrl };
    const text = JSON.stringify(V2).slice(0, -1);
    await refused(await rawJwt(header, `${text},"__proto__":{"x":1}}`, issuer), 'malformed');
    await refused(await rawJwt(header, `${text},"a":${deepJson(20_000)}}`, issuer), 'malformed');
    await refused(await rawJwt(header, { ...V2, a: 'x'.repeat(256 * 1024) }, issuer), 'malformed');
  });
});

describe('Showing a W3C credential as JWT', () => {
  const showing: PresentationContext = { paths: [], nonce: 'n', audience: 'decentralized_identifier:did:web:v', now: NOW };

  it('makes a presentation that jose verifies', async () => {
    const raw = await newJwt(issuer, V1_JWT);
    const text = String(await setUp().present(raw, showing, holder));
    const { payload, protectedHeader } = await jwtVerify(text, await importJWK(holder.jwk as JWK, 'ES256'), {
      audience: showing.audience,
      issuer: holder.did,
      currentDate: new Date(NOW),
    });
    assert.equal(protectedHeader.kid, holder.didUrl);
    assert.equal(payload.nonce, 'n');
    assert.equal(payload.exp, SECONDS + 300);
    const { holder: named, verifiableCredential, type } = payload.vp as Record<string, unknown>;
    assert.deepEqual([named, verifiableCredential, type], [holder.did, [raw], ['VerifiablePresentation']]);
  });

  it('carries the key where there is no DID, and needs a holder', async () => {
    const { didUrl: _, ...byKey } = holder;
    const text = String(await setUp().present('raw', showing, byKey));
    assert.deepEqual(JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString()).jwk, holder.jwk);
    await assert.rejects(setUp().present('raw', showing, undefined), /bound to nobody/);
  });
});
