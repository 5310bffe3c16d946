// Presentations of a hostile holder, one thing wrong at a time.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { issuerWorld, NOW, newSigner, type TestSigner } from '../../../test/support/issuers.ts';
import { CredentialRejectedError, createFormats } from '../formats/index.ts';
import { jwtVcOf, sdJwtOf } from '../issuing/index.ts';
import { signJws } from '../jose/index.ts';
import { createResolver } from '../resolver/index.ts';
import { TrustError } from '../trust/index.ts';
import { createPresentationVerifier } from './index.ts';

const SECONDS = NOW / 1000;
const issuer = newSigner();
const holder = newSigner();
const thief = newSigner();
const EXPECTED = { nonce: 'the nonce', audience: 'x509_hash:verifier', since: NOW };

const OPEN = {
  iss: issuer.did,
  vct: 'https://issuer.example/types/manager',
  iat: SECONDS,
  exp: SECONDS + 3600,
  sub: 'ada',
  cnf: { jwk: holder.jwk },
};

const sign = (payload: object, header: object, by: TestSigner): Promise<string> =>
  signJws({ alg: by.algorithm, ...header }, payload as Record<string, unknown>, by.sign);

interface Twist {
  readonly open?: object;
  readonly issuedBy?: TestSigner;
  readonly binding?: object;
  readonly header?: object;
  readonly by?: TestSigner;
  readonly after?: (text: string) => string;
  readonly expected?: object;
  readonly documents?: Readonly<Record<string, object>>;
}

/** `documents`: of DIDs, by address. */
function verifier(documents: Readonly<Record<string, object>> = {}) {
  const { world, trust, clock, outbound } = issuerWorld({ policy: { mode: 'listed', dids: [issuer.did] } });
  for (const [url, document] of Object.entries(documents)) world.answers.set(url, document);
  const resolver = createResolver({ outbound, clock });
  return createPresentationVerifier({ formats: createFormats({ trust, clock }), clock, resolver });
}

async function sdJwt({ open, issuedBy = issuer, binding, header, by = holder, after, expected, documents }: Twist = {}) {
  const issue = (payload: Readonly<Record<string, unknown>>) =>
    sign(payload, { typ: 'dc+sd-jwt', kid: issuedBy.didUrl }, issuedBy);
  const disclosable = { name: 'Ada Lovelace', email: 'ada@example.org' };
  const shown = await sdJwtOf({ open: { ...OPEN, iss: issuedBy.did, ...open }, disclosable }, issue);
  const claims = {
    iat: SECONDS,
    aud: EXPECTED.audience,
    nonce: EXPECTED.nonce,
    sd_hash: createHash('sha256').update(shown).digest('base64url'),
    ...binding,
  };
  const text = shown + (await sign(claims, { typ: 'kb+jwt', ...header }, by));
  return verifier(documents)('dc+sd-jwt', after?.(text) ?? text, { ...EXPECTED, ...expected });
}

async function w3c({ issuedBy = issuer, binding, header, by = holder, after, expected }: Twist = {}) {
  const { typ, payload } = jwtVcOf({
    dataModel: '2.0',
    id: 'urn:x',
    issuer: issuedBy.did,
    subject: 'https://issuer.example/v3/users/ada',
    types: ['Manager'],
    vocabulary: 'https://issuer.example/#',
    claims: { roles: [] },
    holder: holder.jwk,
    issuedAt: SECONDS,
    expiresAt: SECONDS + 3600,
    status: [],
  });
  const credential = await sign(payload, { typ, kid: issuedBy.didUrl }, issuedBy);
  const claims = {
    iat: SECONDS,
    aud: EXPECTED.audience,
    nonce: EXPECTED.nonce,
    vp: { type: ['VerifiablePresentation'], verifiableCredential: [credential] },
    ...binding,
  };
  const text = await sign(claims, { typ: 'JWT', ...header }, by);
  return verifier()('jwt_vc_json', after?.(text) ?? text, { ...EXPECTED, ...expected });
}

const refused = (work: Promise<unknown>, code: string): Promise<void> =>
  assert.rejects(work, (error: Error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, error.stack);
    assert.equal(error.code, code);
    return true;
  });

/** Removes the key binding. */
const unbound = (text: string): string => text.slice(0, text.lastIndexOf('~') + 1);

describe('A presentation', () => {
  it('of an SD-JWT VC is accepted when everything is right', async () => {
    const { subject, claims } = await sdJwt();
    assert.deepEqual([subject, claims.name], ['ada', 'Ada Lovelace']);
  });

  it('of a W3C credential is accepted when everything is right', async () => {
    assert.equal((await w3c()).subject, 'https://issuer.example/v3/users/ada');
  });

  for (const [name, present] of [
    ['SD-JWT VC', sdJwt],
    ['W3C credential', w3c],
  ] as const) {
    describe(`of an ${name} is refused`, () => {
      it('with another nonce', () => refused(present({ binding: { nonce: 'another' } }), 'wrong-nonce'));
      it('without a nonce', () => refused(present({ binding: { nonce: undefined } }), 'wrong-nonce'));
      it('for another verifier', () => refused(present({ binding: { aud: 'x509_hash:other' } }), 'wrong-audience'));
      it('for several verifiers', () =>
        refused(present({ binding: { aud: [EXPECTED.audience, 'x509_hash:other'] } }), 'wrong-audience'));
      it('made before the request', () => refused(present({ binding: { iat: SECONDS - 120 } }), 'wrong-time'));
      it('made in the future', () => refused(present({ binding: { iat: SECONDS + 120 } }), 'wrong-time'));
      it('without a time', () => refused(present({ binding: { iat: undefined } }), 'wrong-time'));
      it('signed by another key', () => refused(present({ by: thief }), 'wrong-holder'));
      it('signed by another key that its header names', () =>
        refused(present({ by: thief, header: { jwk: thief.jwk } }), 'wrong-holder'));
      it('of an issuer that is not trusted', () => refused(present({ issuedBy: thief }), 'untrusted'));
      it('that is no text', () => refused(verifier()('dc+sd-jwt', { a: 1 }, EXPECTED), 'malformed'));
    });
  }

  describe('of an SD-JWT VC is refused', () => {
    /** Bound to a DID, whose document lists its key under these names. */
    const boundToDid = (relationships: readonly string[], kid = `${DID}#key`): Twist => {
      const verificationMethod = { id: `${DID}#key`, type: 'JsonWebKey', controller: DID, publicKeyJwk: holder.jwk };
      const listed = Object.fromEntries(relationships.map((name) => [name, [`${DID}#key`]]));
      const document = { id: DID, verificationMethod: [verificationMethod], ...listed };
      const documents = { 'https://holder.example/.well-known/did.json': document };
      return { open: { cnf: { kid: `${DID}#key` } }, header: { kid }, documents };
    };
    const DID = 'did:web:holder.example';
    it('by a key of a DID that is not for authentication', async () => {
      for (const names of [[], ['assertionMethod'], ['keyAgreement'], ['capabilityInvocation', 'capabilityDelegation']])
        await refused(sdJwt(boundToDid(names)), 'wrong-holder');
      assert.equal((await sdJwt(boundToDid(['assertionMethod', 'authentication']))).subject, 'ada');
      assert.equal((await sdJwt(boundToDid(['authentication'], '#key'))).subject, 'ada');
    });
    it('by a key of another DID than it is bound to', async () => {
      for (const kid of [thief.didUrl, `${DID}.evil#key`, `${DID}:evil#key`, DID, undefined])
        await refused(sdJwt({ ...boundToDid(['authentication']), by: thief, header: { kid } }), 'wrong-holder');
    });
    it('without a key binding', () => refused(sdJwt({ after: unbound }), 'no-key-binding'));
    it('whose key binding is another kind of JWT', () => refused(sdJwt({ header: { typ: 'JWT' } }), 'no-key-binding'));
    it('of a credential that is bound to nobody', () => refused(sdJwt({ open: { cnf: undefined } }), 'no-key-binding'));
    it('with a disclosure less than was signed', () =>
      refused(sdJwt({ after: (text) => text.split('~').toSpliced(1, 1).join('~') }), 'wrong-disclosures'));
    it('with an altered disclosure', async () => {
      const altered = Buffer.from(JSON.stringify(['salt', 'name', 'Somebody else'])).toString('base64url');
      await refused(sdJwt({ after: (text) => text.split('~').toSpliced(1, 1, altered).join('~') }), 'malformed');
    });
    it('over something else', () => refused(sdJwt({ binding: { sd_hash: 'AAAA' } }), 'wrong-disclosures'));
    it('of a credential that is not valid yet', () => refused(sdJwt({ open: { nbf: SECONDS + 600 } }), 'not-yet-valid'));
    it('of a credential that has expired', () => refused(sdJwt({ open: { exp: SECONDS - 600 } }), 'expired'));
  });

  describe('of a W3C credential is refused', () => {
    it('with several credentials', () =>
      refused(w3c({ binding: { vp: { type: ['VerifiablePresentation'], verifiableCredential: ['a', 'b'] } } }), 'malformed'));
    it('with none', () => refused(w3c({ binding: { vp: { type: ['VerifiablePresentation'] } } }), 'malformed'));
    it('that does not say that it is one', () => refused(w3c({ binding: { vp: { verifiableCredential: ['a'] } } }), 'malformed'));
    it('that has expired', () => refused(w3c({ binding: { exp: SECONDS - 600 } }), 'wrong-time'));
  });
});
