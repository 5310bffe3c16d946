// W3C credentials with Data Integrity proofs (`ldp_vc`), VCDM 1.1 and 2.0.
import type { Clock } from '../../platform/clock.ts';
import { isUnsafeJson, PROOF_ALGORITHMS } from '../jose/index.ts';
import { referenceOf } from '../status/index.ts';
import type { Trust } from '../trust/index.ts';
import { CREDENTIALS_V1, CREDENTIALS_V2, checkContexts, DATA_INTEGRITY_V2, modelOf } from './contexts.ts';
import { addProof, checkSize, type DataIntegrityProof, isSupported, verifyProof } from './data-integrity.ts';
import {
  asRejection,
  type CredentialFormat,
  type CredentialHolder,
  type Format,
  type PresentationContext,
  reject,
  type VerifiedCredential,
} from './format.ts';
import { checkTimes, intersectTimes, timeOf, timesOfW3c } from './times.ts';
import { aboutW3c, didOf, idOf, isObject, type JsonDocument, subjectIdOf, typesOf, w3cQuery } from './w3c.ts';

const NAME = 'ldp_vc';
const MAX_LENGTH = 256 * 1024;

function read(raw: unknown): JsonDocument {
  if (typeof raw === 'string' && raw.length > MAX_LENGTH) reject('malformed', 'it is too long');
  const document: unknown = typeof raw === 'string' ? JSON.parse(raw) : raw;
  if (!isObject(document) || isUnsafeJson(document) || JSON.stringify(document).length > MAX_LENGTH)
    reject('malformed', 'it is no credential in JSON');
  checkContexts(document);
  checkSize(document);
  return document;
}

/** The first supported proof. Proofs are independent of each other. */
function proofOf({ proof }: JsonDocument): DataIntegrityProof {
  const proofs = [proof].flat().filter(isObject);
  if (proofs.length === 0) reject('malformed', 'it has no proof');
  return proofs.find(isSupported) ?? reject('unsupported', 'it has no proof of a kind that is supported');
}

/** A fixed order, because the order of types is not signed. */
const sortTypes = (types: readonly string[]): string[] => [
  'VerifiableCredential',
  ...types.filter((type) => type !== 'VerifiableCredential').sort(),
];

export function createLdpVc({ trust, clock }: { trust: Trust; clock: Clock }): Format {
  async function verify(raw: unknown): Promise<VerifiedCredential> {
    const whole = read(raw);
    const { proof: _, ...document } = whole;
    modelOf(document);
    const proof = proofOf(whole);
    if (proof.proofPurpose !== 'assertionMethod') reject('malformed', 'its proof is for another purpose');
    const types = sortTypes(typesOf(document));
    const issuer = idOf(document.issuer) ?? reject('malformed', 'it has no issuer');
    const key = await trust.keyOfDid(proof.verificationMethod, issuer, 'assertionMethod');
    await verifyProof(document, proof, key.jwk);
    const created = timeOf(proof.created, 'created');
    if (created !== undefined) checkTimes({ issuedAt: created }, clock);
    const expires = timeOf(proof.expires, 'expires');
    // The credential expires with its proof.
    const times = intersectTimes(timesOfW3c(document), expires === undefined ? {} : { validUntil: expires });
    checkTimes(times, clock);
    // The order of subjects is not signed, and the first one would be the holder.
    const subjects = [document.credentialSubject].flat();
    if (subjects.length > 1) reject('unsupported', 'it is about several subjects');
    // With a mere id here, the claims could be moved to an issuer that is also the subject.
    if (!isObject(subjects[0])) reject('malformed', 'its subject is no object');
    const subject = subjectIdOf(document);
    const did = didOf(subject);
    const status = referenceOf(document);
    return {
      format: NAME,
      type: types.at(-1)!,
      types,
      issuer: { id: issuer, trust: key.trust },
      ...(subject === undefined ? {} : { subject }),
      claims: Array.isArray(document.type) ? { ...document, type: types } : document,
      ...times,
      binding: did === undefined ? { kind: 'none' } : { kind: 'did', did },
      ...(status ? { status } : {}),
    };
  }

  /** A presentation signed by the holder's DID. The proof is bound to verifier and nonce. */
  async function present(
    raw: unknown,
    { nonce, audience, now }: PresentationContext,
    holder: CredentialHolder | undefined,
  ): Promise<JsonDocument> {
    const by = didOf(holder?.didUrl);
    if (!holder || by === undefined) reject('unsupported-binding', 'such a credential is shown by a DID');
    const credential = read(raw);
    const presentation = {
      '@context': modelOf(credential) === CREDENTIALS_V2 ? [CREDENTIALS_V2] : [CREDENTIALS_V1, DATA_INTEGRITY_V2],
      type: ['VerifiablePresentation'],
      holder: by,
      verifiableCredential: [credential],
    };
    const options = {
      created: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      verificationMethod: holder.didUrl,
      proofPurpose: 'authentication',
      challenge: nonce,
      domain: audience,
    };
    return addProof(presentation, options, holder.algorithm, holder.sign);
  }

  return {
    verify: (raw) => asRejection(() => verify(raw)),
    present,
    issuerAlgorithm: async (raw) => proofOf(read(raw)).cryptosuite,
  };
}

const SUITES: Readonly<Record<string, string>> = { ES256: 'ecdsa-rdfc-2019', ES384: 'ecdsa-rdfc-2019', EdDSA: 'eddsa-rdfc-2022' };
const PROOF_TYPE = 'DataIntegrityProof';

export const ldpVc: CredentialFormat = {
  name: NAME,
  formerNames: [],
  supported: { proof_type_values: [PROOF_TYPE], cryptosuite_values: ['eddsa-rdfc-2022', 'ecdsa-rdfc-2019'] },
  algorithmLists: { issuer: 'cryptosuite_values', holder: 'cryptosuite_values' },
  listedName: (algorithm) => SUITES[algorithm],
  isSupportedBy: ({ proof_type_values: types }) => !Array.isArray(types) || types.includes(PROOF_TYPE),
  query: w3cQuery(NAME),
  readsPresentations: false,
  // Data Integrity proofs identify their key by a DID URL, and support only some algorithms.
  holder: { alwaysSigns: true, byDidOnly: true, followsDid: true, algorithms: PROOF_ALGORITHMS, confirmsTransactions: false },
  disclosure: 'all',
  isInHaip: false,
  about: aboutW3c,
  issuerName: ({ issuer }) => issuer.id,
  isTrustedByRootsOnly: false,
  isClaimPath: () => true,
  create: createLdpVc,
};
