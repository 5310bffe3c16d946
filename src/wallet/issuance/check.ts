// Checks received credentials before they are stored: valid, as offered, and bound to our keys.
import { isDeepStrictEqual } from 'node:util';
import { CredentialRejectedError, type Formats, type VerifiedCredential } from '../../verifiable/formats/index.ts';
import { thumbprintOf } from '../../verifiable/jose/index.ts';
import { TrustError } from '../../verifiable/trust/index.ts';
import { fail, fault } from '../ground/faults.ts';
import type { CredentialConfiguration } from './offer.ts';
import type { ProofKey } from './proof-key.ts';

/** Claims that may differ between copies, so that verifiers cannot link them: holder, id and times. */
const OF_ONE_COPY = new Set(['cnf', 'sub', 'jti', 'id', 'iat', 'nbf', 'exp', 'status', 'credentialStatus', 'proof']);
const TIMES = new Set(['issuanceDate', 'expirationDate', 'validFrom', 'validUntil']);

const sameIn = ({ types, issuer, claims }: VerifiedCredential): unknown => [
  types,
  issuer.id,
  Object.fromEntries(Object.entries(claims).filter(([name]) => !OF_ONE_COPY.has(name) && !TIMES.has(name))),
];

/** A copy that passed all checks. */
export interface CheckedCopy {
  readonly raw: unknown;
  readonly credential: VerifiedCredential;
  readonly boundTo: ProofKey | undefined;
}

const rejected = (why: string, code: string): never => fail('credential-rejected', { why }, { detail: { reasons: [code] } });

const MAX_NAME = 1000;

/** These are stored unencrypted and used for searching, so their length is limited. */
function checkNames({ type, types, issuer }: VerifiedCredential): void {
  if ([type, issuer.id, ...types].some((name) => name.length > MAX_NAME || name.includes('\0')))
    rejected('its type, or the name of its issuer, is too long or has a NUL character', 'malformed');
}

function checkType({ format, raw }: CredentialConfiguration, { format: got, type, types }: VerifiedCredential): void {
  if (format !== got) rejected('it has another format than was offered', 'wrong-format');
  const definition = raw.credential_definition as { type?: unknown } | undefined;
  const offeredType = raw.vct ?? raw.doctype;
  if (typeof offeredType === 'string' && offeredType !== type) rejected('it is of another type than was offered', 'wrong-type');
  const all = Array.isArray(definition?.type) ? definition.type : [];
  if (!all.every((one) => types.includes(one as string))) rejected('it is of another type than was offered', 'wrong-type');
}

/** The key the credential is bound to. Each key can be used for one copy. */
function boundKeyOf({ binding }: VerifiedCredential, free: readonly ProofKey[]): ProofKey | undefined {
  if (binding.kind === 'jwk') {
    const kid = thumbprintOf(binding.jwk);
    return free.find((one) => one.kid === kid);
  }
  if (binding.kind === 'did') return free.find((one) => one.did?.did === binding.did);
  return undefined;
}

async function verifyCredential(
  formats: Formats,
  configuration: CredentialConfiguration,
  raw: unknown,
): Promise<VerifiedCredential> {
  try {
    return await formats[configuration.format].verify(raw);
  } catch (error) {
    if (error instanceof CredentialRejectedError) return rejected(error.message, error.code);
    if (!(error instanceof TrustError)) throw error;
    if (error.code === 'untrusted') throw fault('untrusted-issuer', { why: error.message });
    if (error.code === 'unreachable') throw fault('upstream-error', { who: 'issuer', why: error.message });
    return rejected(error.message, 'issuer-key');
  }
}

export async function checkReceived(
  formats: Formats,
  configuration: CredentialConfiguration,
  credentials: readonly unknown[],
  proofKeys: readonly ProofKey[],
): Promise<CheckedCopy[]> {
  if (credentials.length > Math.max(proofKeys.length, 1)) rejected('there are more credentials than requested', 'too-many');
  const free = [...proofKeys];
  const checked: CheckedCopy[] = [];
  for (const raw of credentials) {
    const credential = await verifyCredential(formats, configuration, raw);
    checkNames(credential);
    checkType(configuration, credential);
    const boundTo = boundKeyOf(credential, free);
    if (proofKeys.length > 0 && !boundTo) rejected('it is not bound to the key that was proved', 'wrong-binding');
    if (proofKeys.length === 0 && credential.binding.kind !== 'none')
      rejected('it is bound to a key that is not in this wallet', 'wrong-binding');
    if (boundTo) free.splice(free.indexOf(boundTo), 1);
    checked.push({ raw, credential, boundTo });
  }
  const [first] = checked;
  // All copies must be the same credential. The user only sees the first, so another one would be stored unseen.
  if (!checked.every(({ credential }) => isDeepStrictEqual(sameIn(credential), sameIn(first!.credential))))
    rejected('the copies are not of one credential', 'mixed');
  return checked;
}
