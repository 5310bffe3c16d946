import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { newEcKey } from '../../../test/support/certificates.ts';
import { faultsOfPresentation, issueCredential, newMultikeySigner } from '../../../test/support/data-integrity.ts';
import { deepJson, issuerWorld, newSigner, type TestSigner } from '../../../test/support/issuers.ts';
import { TrustError } from '../trust/index.ts';
import { addProof } from './data-integrity.ts';
import { CredentialRejectedError, type PresentationContext } from './format.ts';
import { createLdpVc } from './ldp-vc.ts';

// That implementation knows no other time than that of the machine.
const NOW = Math.floor(Date.now() / 1000) * 1000;
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString().replace('.000Z', 'Z');

const issuer = newMultikeySigner(generateKeyPairSync('ed25519').privateKey);
const holder = newMultikeySigner();

const V2 = 'https://www.w3.org/ns/credentials/v2';
const V1 = 'https://www.w3.org/2018/credentials/v1';
const EXAMPLES = 'https://www.w3.org/ns/credentials/examples/v2';

const CREDENTIAL = {
  '@context': [V2, EXAMPLES],
  type: ['VerifiableCredential', 'ExampleAlumniCredential'],
  issuer: { id: issuer.did, name: 'School' },
  validFrom: at(-10),
  validUntil: at(100),
  credentialSubject: { id: holder.did, alumniOf: { name: 'The School', places: [{ name: 'A' }, { name: 'B' }] } },
  credentialStatus: {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://issuer.example/list',
  },
};
const OLD = {
  '@context': [V1, 'https://w3id.org/security/data-integrity/v2'],
  type: ['VerifiableCredential'],
  issuer: issuer.did,
  issuanceDate: at(-10),
  expirationDate: at(100),
  credentialSubject: { id: holder.did },
};

const setUp = () => {
  const { trust, clock, world } = issuerWorld({ now: NOW });
  return { ...createLdpVc({ trust, clock }), world };
};

const refused = async (raw: unknown, code: string): Promise<void> => {
  await assert.rejects(setUp().verify(raw), (error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
};

/** By our own proofs, whatever it says. */
const by = (change: object = {}, options: object = {}, signer: TestSigner = issuer): Promise<object> =>
  addProof(
    { ...CREDENTIAL, ...change },
    { created: at(0), verificationMethod: issuer.didUrl, proofPurpose: 'assertionMethod', ...options },
    signer.algorithm,
    signer.sign,
  );

describe('Verifying a W3C credential with a Data Integrity proof', () => {
  it('gives what another implementation issued', async () => {
    assert.deepEqual(await setUp().verify(await issueCredential(issuer, CREDENTIAL, NOW)), {
      format: 'ldp_vc',
      type: 'ExampleAlumniCredential',
      types: CREDENTIAL.type,
      issuer: { id: issuer.did, trust: 'did' },
      subject: holder.did,
      claims: CREDENTIAL,
      validFrom: NOW - 10_000,
      validUntil: NOW + 100_000,
      binding: { kind: 'did', did: holder.did },
      status: { kind: 'bitstring', uri: 'https://issuer.example/list', index: 7, size: 1, purpose: 'revocation' },
    });
  });

  it('takes ECDSA on both curves, VCDM 1.1, and a credential as text', async () => {
    for (const key of [newEcKey(), newEcKey('P-384')]) {
      const signer = newMultikeySigner(key);
      const raw = await issueCredential(signer, { ...CREDENTIAL, issuer: signer.did }, NOW);
      assert.equal((await setUp().verify(raw)).issuer.id, signer.did);
      assert.equal((await setUp().verify(JSON.stringify(raw))).issuer.id, signer.did);
    }
    const { validFrom, validUntil } = await setUp().verify(await issueCredential(issuer, OLD, NOW));
    assert.deepEqual([validFrom, validUntil], [NOW - 10_000, NOW + 100_000]);
    const later = await setUp().verify(await issueCredential(issuer, { ...OLD, issuanceDate: at(90) }, NOW));
    assert.equal(later.validFrom, NOW + 90_000);
  });

  it('takes the first of several proofs that it knows', async () => {
    const raw = await by();
    const unknown = { type: 'Ed25519Signature2020', proofValue: 'z2' };
    assert.ok(await setUp().verify({ ...raw, proof: [unknown, (raw as { proof: object }).proof] }));
    await refused({ ...raw, proof: [unknown] }, 'unsupported');
    for (const proof of [undefined, [], 'x', null]) await refused({ ...raw, proof }, 'malformed');
  });

  it('refuses what was changed, and a foreign key', async () => {
    const raw = await by();
    await refused({ ...raw, name: 'Other' }, 'invalid-signature');
    await refused({ ...raw, credentialSubject: { id: newSigner().did } }, 'invalid-signature');
    await refused(await by({}, {}, newMultikeySigner(generateKeyPairSync('ed25519').privateKey)), 'invalid-signature');
  });

  it('refuses a swapped issuer, a key of somebody else, and one that is not for assertions', async () => {
    const other = newMultikeySigner();
    await refused(await by({ issuer: other.did }), 'mismatch');
    await refused(await by({}, { verificationMethod: other.didUrl }, other), 'mismatch');
    await refused(await by({ issuer: 'https://issuer.example' }), 'mismatch');
    for (const issuerOf of [undefined, 7, {}])
      await refused(await by().then((raw) => ({ ...raw, issuer: issuerOf })), 'malformed');
  });

  it('refuses a proof for another purpose', async () => {
    await refused(await by({}, { proofPurpose: 'authentication' }), 'malformed');
  });

  it('refuses what has expired, proof or credential, or comes from the future', async () => {
    await refused(await by({ validUntil: at(-61) }), 'expired');
    await refused(await by({}, { expires: at(-61) }), 'expired');
    await refused(await by({}, { created: at(61) }), 'invalid-times');
    await refused({ ...(await by()), validUntil: 'soon' }, 'invalid-signature');
    assert.ok(await setUp().verify(await by({ validFrom: at(9999) }, { expires: at(1) })));
  });

  it('ends with its proof, when that is sooner', async () => {
    const endOf = async (expires: string) => (await setUp().verify(await by({}, { expires }))).validUntil;
    assert.equal(await endOf(at(50)), NOW + 50_000);
    assert.equal(await endOf(at(500)), NOW + 100_000);
    const { validUntil: _, ...endless } = CREDENTIAL;
    const raw = await addProof(
      endless,
      { created: at(0), expires: at(50), verificationMethod: issuer.didUrl, proofPurpose: 'assertionMethod' },
      issuer.algorithm,
      issuer.sign,
    );
    assert.equal((await setUp().verify(raw)).validUntil, NOW + 50_000);
  });

  it('refuses contexts it does not know, wherever and however they are', async () => {
    const raw = await by();
    const inline = { isAdmin: 'https://www.w3.org/ns/credentials/examples#alumniOf' };
    for (const context of ['https://w3id.org/citizenship/v4rc1', inline, 'http://127.0.0.1/', null, `${EXAMPLES}#`])
      await refused({ ...raw, '@context': [V2, context] }, 'unknown-context');
    await refused({ ...raw, '@context': undefined }, 'unknown-context');
    await refused({ ...raw, '@context': [EXAMPLES, V2] }, 'unknown-context');
    await refused({ ...raw, credentialSubject: { '@context': inline, isAdmin: 'x' } }, 'unknown-context');
    await refused({ ...raw, credentialSubject: [{ a: [{ '@context': 'https://x.example' }] }] }, 'unknown-context');
  });

  it('fetches nothing', async (t) => {
    const fetched = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('no')));
    const format = setUp();
    await assert.rejects(format.verify({ ...(await by()), '@context': [V2, 'https://www.w3.org/ns/other'] }));
    assert.ok(await format.verify(await by()));
    assert.equal(fetched.mock.callCount(), 0);
    assert.deepEqual(format.world.asked, []);
  });

  it('refuses second spellings, by which claims look different under the same signature', async () => {
    const raw = (await by()) as typeof CREDENTIAL;
    const { type, ...untyped } = raw;
    await refused({ ...untyped, '@type': type }, 'malformed');
    const { id, ...subject } = raw.credentialSubject;
    await refused({ ...raw, credentialSubject: { '@id': id, ...subject } }, 'malformed');
    for (const keyword of ['@graph', '@included', '@reverse', '@nest', '@set'])
      await refused({ ...raw, [keyword]: [] }, 'malformed');
    assert.ok(await setUp().verify(await by({ name: { '@value': 'Alumni', '@language': 'en', '@direction': 'ltr' } })));
  });

  it('refuses words that have no meaning: they would not be signed', async () => {
    const { '@context': _, ...plain } = CREDENTIAL;
    const raw = await addProof(
      { '@context': [V2], ...plain, type: ['VerifiableCredential'], credentialSubject: { id: holder.did } },
      { created: at(0), verificationMethod: issuer.didUrl, proofPurpose: 'assertionMethod' },
      issuer.algorithm,
      issuer.sign,
    );
    assert.ok(await setUp().verify(raw));
    await refused({ ...raw, isAdmin: true }, 'malformed');
    await refused({ ...raw, credentialSubject: { id: holder.did, isAdmin: true } }, 'malformed');
    await refused({ ...raw, type: ['VerifiableCredential', 'Admin'] }, 'malformed');
  });

  it('refuses what takes too long to make canonical', async () => {
    const node = (at: number) => ({
      id: `_:n${at}`,
      knows: Array.from({ length: 12 }, (_, to) => ({ id: `_:n${to}` })).filter((_, to) => to !== at),
    });
    const clique = Array.from({ length: 12 }, (_, index) => node(index));
    const started = performance.now();
    await refused({ ...(await by()), credentialSubject: clique }, 'malformed');
    assert.ok(performance.now() - started < 20_000, 'it would take for ever');
  });

  it('refuses more than it could make canonical in a moment, proofs included, and does not show it either', async () => {
    const raw = (await by()) as { proof: object };
    const many = { ...raw, credentialSubject: { knows: Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}` })) } };
    const proofs = { ...raw, proof: [raw.proof, ...Array.from({ length: 400 }, () => ({ type: 'Other' }))] };
    const started = performance.now();
    for (const one of [many, proofs]) {
      await refused(one, 'malformed');
      await assert.rejects(
        setUp().present(one, { paths: [], nonce: 'n', audience: 'a', now: NOW }, holder),
        CredentialRejectedError,
      );
    }
    assert.ok(performance.now() - started < 20_000, 'it would take minutes');
  });

  it('refuses what is no credential, too long, too deep, or would be a prototype', async () => {
    const raw = await by();
    for (const one of [undefined, 7, '', 'x', '[]', null, [], {}])
      await assert.rejects(setUp().verify(one), CredentialRejectedError);
    await refused({ ...raw, type: ['VerifiablePresentation'] }, 'malformed');
    await refused({ ...raw, name: 'x'.repeat(256 * 1024) }, 'malformed');
    await refused(JSON.stringify({ ...raw, name: 'x'.repeat(256 * 1024) }), 'malformed');
    const text = JSON.stringify(raw).slice(0, -1);
    await refused(`${text},"a":${deepJson(20_000)}}`, 'malformed');
    await refused(JSON.parse(`${text},"a":${deepJson(20_000)}}`), 'malformed');
    await refused(`${text},"__proto__":{"a":1}}`, 'malformed');
  });
});

describe('Showing a W3C credential with a Data Integrity proof', () => {
  const showing: PresentationContext = { paths: [], nonce: 'n-1', audience: 'x509_hash:abc', now: NOW };

  const keys: Record<string, KeyObject> = {
    ES256: newEcKey(),
    ES384: newEcKey('P-384'),
    EdDSA: generateKeyPairSync('ed25519').privateKey,
  };
  for (const [algorithm, key] of Object.entries(keys)) {
    it(`makes a presentation with ${algorithm} that another implementation verifies`, async () => {
      const device = newMultikeySigner(key);
      for (const credential of [CREDENTIAL, OLD]) {
        const raw = await issueCredential(issuer, { ...credential, credentialSubject: { id: device.did } }, NOW);
        const shown = (await setUp().present(raw, showing, device)) as Record<string, unknown>;
        assert.equal(shown.holder, device.did);
        assert.deepEqual(shown.verifiableCredential, [raw]);
        assert.deepEqual(await faultsOfPresentation(shown, 'n-1', 'x509_hash:abc'), []);
        assert.notDeepEqual(await faultsOfPresentation(shown, 'n-2', 'x509_hash:abc'), []);
        assert.notDeepEqual(await faultsOfPresentation(shown, 'n-1', 'x509_hash:other'), []);
        assert.notDeepEqual(await faultsOfPresentation({ ...shown, holder: issuer.did }, 'n-1', 'x509_hash:abc'), []);
      }
    });
  }

  it('needs a DID and a key there is a proof for', async () => {
    const raw = await by();
    const { didUrl: _, ...byKey } = holder;
    for (const one of [undefined, byKey, { ...holder, algorithm: 'ES512' }, { ...holder, algorithm: 'RS256' }])
      await assert.rejects(
        setUp().present(raw, showing, one),
        (error) => (error as CredentialRejectedError).code === 'unsupported-binding',
      );
  });
});
