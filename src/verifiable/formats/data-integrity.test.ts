import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jwkInDidKey } from '../../../test/support/data-integrity.ts';
import { newSigner } from '../../../test/support/issuers.ts';
import { documentOfDidKey } from '../resolver/index.ts';
import { addProof, checkSize, type DataIntegrityProof, isSupported, signedBytes, verifyProof } from './data-integrity.ts';
import { CredentialRejectedError } from './format.ts';

/** The credential of the test vectors of vc-di-eddsa and vc-di-ecdsa. */
const DOCUMENT = {
  '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential'],
  name: 'Alumni Credential',
  description: 'A minimum viable example of an Alumni Credential.',
  issuer: 'https://vc.example/issuers/5678',
  validFrom: '2023-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
};

const proofBy = (cryptosuite: string, key: string, proofValue: string): DataIntegrityProof => ({
  type: 'DataIntegrityProof',
  cryptosuite,
  created: '2023-02-24T23:36:38Z',
  verificationMethod: `did:key:${key}#${key}`,
  proofPurpose: 'assertionMethod',
  proofValue,
});

const VECTORS = {
  'eddsa-rdfc-2022': proofBy(
    'eddsa-rdfc-2022',
    'z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2',
    'z2YwC8z3ap7yx1nZYCg4L3j3ApHsF8kgPdSb5xoS1VR7vPG3F561B52hYnQF9iseabecm3ijx4K1FBTQsCZahKZme',
  ),
  'ecdsa-rdfc-2019 with P-256': proofBy(
    'ecdsa-rdfc-2019',
    'zDnaepBuvsQ8cpsWrVKw8fbpGpvPeNSjVPTWoq6cRqaYzBKVP',
    'zaHXrr7AQdydBk3ahpCDpWbxfLokDqmCToYm2dyWvpcFVyWooC2he63w1f7UNQoAMKdhaRtcnaE2KTo5o5vTCcfw',
  ),
  'ecdsa-rdfc-2019 with P-384': proofBy(
    'ecdsa-rdfc-2019',
    'z82LkuBieyGShVBhvtE2zoiD6Kma4tJGFtkAhxR5pfkp5QPw4LutoYWhvQCnGjdVn14kujQ',
    'z967Mvv5bxtmLNqTzPZ8KmJjFmFXaAKeQNzq7GWnQkMcLtaGSSmuozE5WtJ8PipMe178B1tE28K1vsJur9bGVJhz6jgSJsRHFSQeqgH8hhjcg8gZDFJC1b9FsR5ggNmDBqHv',
  ),
};

const keyOf = ({ verificationMethod }: DataIntegrityProof) => jwkInDidKey(documentOfDidKey(verificationMethod.split('#', 1)[0]!));
const refused = (work: Promise<unknown>, code: string): Promise<void> =>
  assert.rejects(work, (error) => error instanceof CredentialRejectedError && error.code === code);

describe('A Data Integrity proof', () => {
  it('is over the hashes of the test vector', async () => {
    const { proofValue: _, ...options } = VECTORS['eddsa-rdfc-2022'];
    const bytes = await signedBytes(DOCUMENT, options, 'SHA-256');
    const [proofHash, documentHash] = [bytes.subarray(0, 32).toString('hex'), bytes.subarray(32).toString('hex')];
    assert.equal(proofHash, 'bea7b7acfbad0126b135104024a5f1733e705108f42d59668b05c0c50004c6b0');
    assert.equal(documentHash, '517744132ae165a5349155bef0bb0cf2258fff99dfe1dbd914b938d775a36017');
  });

  for (const [name, proof] of Object.entries(VECTORS)) {
    it(`holds as the test vector of ${name} has it, and not for anything else`, async () => {
      await verifyProof(DOCUMENT, proof, keyOf(proof));
      await refused(verifyProof({ ...DOCUMENT, name: 'Other' }, proof, keyOf(proof)), 'invalid-signature');
      await refused(verifyProof(DOCUMENT, { ...proof, created: '2023-02-24T23:36:39Z' }, keyOf(proof)), 'invalid-signature');
      await refused(verifyProof(DOCUMENT, { ...proof, proofPurpose: 'authentication' }, keyOf(proof)), 'invalid-signature');
      await refused(verifyProof(DOCUMENT, proof, newSigner().jwk), 'invalid-signature');
    });
  }

  it('is signed by a key of its suite', async () => {
    const [eddsa, p256] = [VECTORS['eddsa-rdfc-2022'], VECTORS['ecdsa-rdfc-2019 with P-256']];
    await refused(verifyProof(DOCUMENT, p256, keyOf(eddsa)), 'invalid-signature');
    await refused(verifyProof(DOCUMENT, eddsa, keyOf(p256)), 'invalid-signature');
    // Made by its key, but under the name of the other suite.
    const signer = newSigner();
    const options = { ...eddsa, proofValue: undefined, cryptosuite: 'eddsa-rdfc-2022' };
    const { proof } = await addProof(DOCUMENT, JSON.parse(JSON.stringify(options)), 'ES256', signer.sign);
    await refused(verifyProof(DOCUMENT, proof as DataIntegrityProof, signer.jwk), 'invalid-signature');
  });

  it('has a signature in base58', async () => {
    const proof = VECTORS['eddsa-rdfc-2022'];
    for (const proofValue of ['', 'z0', 'uAAAA', proof.proofValue.slice(1), `z${'2'.repeat(5000)}`])
      await refused(verifyProof(DOCUMENT, { ...proof, proofValue }, keyOf(proof)), 'malformed');
    await refused(verifyProof(DOCUMENT, { ...proof, proofValue: 'z2' }, keyOf(proof)), 'invalid-signature');
  });

  it('is supported when it is whole, of a known suite, and depends on no other', () => {
    const proof = VECTORS['eddsa-rdfc-2022'];
    assert.ok(isSupported(proof));
    const changes = [
      { type: 'Ed25519Signature2020' },
      { cryptosuite: 'bbs-2023' },
      { cryptosuite: undefined },
      { verificationMethod: {} },
      { proofValue: 7 },
      { previousProof: 'urn:x' },
    ];
    for (const change of changes) assert.ok(!isSupported({ ...proof, ...change }), JSON.stringify(change));
  });

  it('is not made over words that have no meaning', async () => {
    const signer = newSigner();
    const document = { '@context': ['https://www.w3.org/ns/credentials/v2'], type: ['VerifiablePresentation'], unheardOf: 1 };
    await assert.rejects(
      addProof(document, { proofPurpose: 'authentication' }, 'ES256', signer.sign),
      /[Ss]afe mode|invalid property/,
    );
  });
});

describe('What is canonicalised', () => {
  const OPTIONS = { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019', proofPurpose: 'assertionMethod' };
  const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  const about = (credentialSubject: object) => ({ ...DOCUMENT, credentialSubject });

  it('is bounded in all that costs', () => {
    const tooMuch: Record<string, object> = {
      objects: { a: times(400, () => ({})) },
      values: { a: times(1500, (at) => at) },
      'empty lists': Object.fromEntries(times(1500, (at) => [`p${at}`, []])),
      types: { type: times(400, (at) => `T${at}`) },
      contexts: { a: times(64, () => ({ '@context': DOCUMENT['@context'][0] })) },
    };
    for (const [what, subject] of Object.entries(tooMuch))
      assert.throws(() => checkSize(about(subject)), CredentialRejectedError, what);
    checkSize(about({ a: times(300, (at) => ({ type: 'T', name: `${at}` })) }));
  });

  it('takes little time, even for malicious documents', async () => {
    const V2 = DOCUMENT['@context'][0];
    const isVc = { type: 'VerifiableCredential' };
    const nasty: Record<string, object> = {
      'the same many times': { a: times(390, () => ({ b: 1 })) },
      'contexts of types': { a: times(390, (at) => ({ ...isVc, b: at })) },
      'contexts of their own': { a: times(60, (at) => ({ '@context': V2, ...isVc, b: at })) },
      twins: { a: times(2, () => ({ c: times(195, (at) => ({ b: at })) })) },
      ring: times(190, (at) => ({ id: `_:n${at}`, knows: { id: `_:n${(at + 1) % 190}` } })),
      clique: times(19, (at) => ({ id: `_:n${at}`, knows: times(19, (to) => ({ id: `_:n${to}` })) })),
      // Orders without end that take no deep comparison: the same blank node in several graphs.
      graphs: { ...isVc, proof: times(180, (at) => ({ id: `_:w${at % 30}`, p: 1, q: 2, r: 3 })) },
    };
    const costOf = async (subject: object): Promise<number> => {
      checkSize(about(subject));
      const started = process.cpuUsage();
      await signedBytes(about(subject), OPTIONS, 'SHA-256').catch(() => undefined);
      return process.cpuUsage(started).user / 1000;
    };
    // What a large and harmless one costs on this machine, now that everything is warm.
    const harmless = { a: times(300, (at) => ({ name: `${at}` })) };
    await costOf(harmless);
    const usual = await costOf(harmless);
    for (const [what, subject] of Object.entries(nasty)) {
      const cost = await costOf(subject);
      // Those without end took minutes.
      assert.ok(cost < Math.max(1000, 20 * usual), `${what}: ${cost} ms, a harmless one ${usual} ms`);
    }
  });
});
