import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importJWK, jwtVerify } from 'jose';
import { issuerWorld, NOW, newSigner } from '../../../test/support/issuers.ts';
import { createFormats } from '../formats/index.ts';
import { signJws } from '../jose/index.ts';
import { type JwtVcDraft, jwtVcOf } from './index.ts';

const SECONDS = NOW / 1000;
const issuer = newSigner();
const holder = newSigner();
const entry = (statusPurpose: string) => ({
  id: `https://issuer.example/lists/1/bitstring#7`,
  type: 'BitstringStatusListEntry',
  statusPurpose,
  statusListIndex: '7',
  statusListCredential: 'https://issuer.example/lists/1/bitstring',
});
const DRAFT: JwtVcDraft = {
  dataModel: '2.0',
  id: 'urn:uuid:0191a3a0-0000-7000-8000-000000000000',
  issuer: issuer.did,
  subject: 'https://issuer.example/v3/users/ada',
  types: ['Manager'],
  vocabulary: 'https://issuer.example/types/manager#',
  claims: { roles: [{ target: 'shop', names: ['manager'] }] },
  holder: holder.jwk,
  issuedAt: SECONDS,
  expiresAt: SECONDS + 3600,
  status: [entry('revocation')],
};

async function made(dataModel: JwtVcDraft['dataModel']): Promise<string> {
  const { typ, payload } = jwtVcOf({ ...DRAFT, dataModel });
  return signJws({ alg: issuer.algorithm, typ, kid: issuer.didUrl }, payload, issuer.sign);
}

describe('A W3C credential that we make', () => {
  for (const dataModel of ['2.0', '1.1'] as const)
    it(`is accepted by our own reader (VCDM ${dataModel})`, async () => {
      const { trust, clock } = issuerWorld();
      const read = await createFormats({ trust, clock }).jwt_vc_json.verify(await made(dataModel));
      assert.deepEqual(read.types, ['VerifiableCredential', 'Manager']);
      assert.equal(read.issuer.id, issuer.did);
      assert.equal(read.subject, DRAFT.subject);
      assert.deepEqual((read.claims.credentialSubject as { roles: unknown }).roles, DRAFT.claims.roles);
      assert.deepEqual(read.binding, { kind: 'jwk', jwk: holder.jwk });
      assert.equal(read.validUntil, NOW + 3_600_000);
      assert.deepEqual(read.status, {
        kind: 'bitstring',
        uri: 'https://issuer.example/lists/1/bitstring',
        index: 7,
        size: 1,
        purpose: 'revocation',
      });
    });

  it('has the media type and the shape of its data model', async () => {
    const key = await importJWK(issuer.jwk as never, issuer.algorithm);
    const current = { currentDate: new Date(NOW) };
    const second = await jwtVerify(await made('2.0'), key, { typ: 'vc+jwt', ...current });
    assert.equal(second.payload.vc, undefined, 'VC-JOSE-COSE forbids it');
    assert.deepEqual((second.payload['@context'] as unknown[])[0], 'https://www.w3.org/ns/credentials/v2');
    assert.equal(typeof second.payload.validFrom, 'string');
    const first = await jwtVerify(await made('1.1'), key, { typ: 'JWT', ...current });
    assert.equal((first.payload.vc as { issuanceDate: unknown }).issuanceDate, new Date(NOW).toISOString().replace('.000Z', 'Z'));
    assert.equal(first.payload.type, undefined);
  });
});
