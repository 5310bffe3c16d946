// Reads a credential request (OID4VCI, 8.2).
import { fail } from '../../ground/faults.ts';
import type { Configurations, CredentialConfiguration } from './configurations.ts';
import type { CredentialAccess } from './credential-access.ts';
import { type AnswerEncryption, readAnswerEncryption } from './encryption.ts';
import type { KeyProofs } from './proofs.ts';

export interface CredentialRequest {
  /** Either of them. */
  readonly configurationId?: string;
  readonly identifier?: string;
  readonly proofs: KeyProofs;
  readonly encryption: AnswerEncryption | undefined;
}

type Body = Readonly<Record<string, unknown>>;

const refuse = (why: string): never => fail('role_credential.invalid_request', { why });

/** Earlier drafts send one proof, as `proof`. */
function proofsOf({ proofs, proof }: Body): KeyProofs {
  if (proofs !== undefined && proof !== undefined) return refuse('proof and proofs exclude each other');
  if (proof !== undefined) {
    const { proof_type: type, jwt } = (proof ?? {}) as Body;
    return type === 'jwt' ? { type, jwts: [jwt] } : fail('role_credential.invalid_proof', { why: 'its type is not jwt' });
  }
  if (proofs === undefined) return fail('role_credential.invalid_proof', { why: 'there is none' });
  if (typeof proofs !== 'object' || proofs === null || Array.isArray(proofs)) return refuse('proofs is not an object');
  const [[type, list] = [], ...others] = Object.entries(proofs);
  if (others.length > 0) return refuse('proofs has several types');
  if ((type !== 'jwt' && type !== 'attestation') || !Array.isArray(list) || list.length === 0)
    return fail('role_credential.invalid_proof', { why: 'its type is not offered, or there is none' });
  return { type, jwts: list };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 200;

/** `isEncrypted`: nobody but the wallet has made it. */
export function readCredentialRequest(body: Body, batchSize: number, isEncrypted: boolean): CredentialRequest {
  const { credential_configuration_id: configurationId, credential_identifier: identifier } = body;
  const named = [configurationId, identifier].filter((one) => one !== undefined);
  if (named.length !== 1 || !isText(named[0]))
    return refuse('exactly one of credential_configuration_id and credential_identifier is needed');
  const encryption = readAnswerEncryption(body.credential_response_encryption, isEncrypted);
  const proofs = proofsOf(body);
  if (proofs.jwts.length > Math.max(batchSize, 1))
    return fail('role_credential.invalid_proof', { why: 'there are too many of them' });
  return {
    ...(configurationId === undefined ? { identifier: named[0] } : { configurationId: named[0] }),
    proofs,
    encryption,
  };
}

/** The configuration that a request is for, if its token allows it. */
export async function requestedConfiguration(
  configurations: Configurations,
  access: CredentialAccess,
  { configurationId, identifier }: CredentialRequest,
): Promise<CredentialConfiguration> {
  if (identifier !== undefined) {
    // The identifiers of a token response are the configurations it is for.
    const isGranted = access.hasIdentifiers && access.configurationIds.includes(identifier);
    return (isGranted ? await configurations.find(identifier) : undefined) ?? fail('role_credential.unknown_identifier');
  }
  const found = (await configurations.find(configurationId!)) ?? fail('role_credential.unknown_configuration');
  if (access.hasIdentifiers) return refuse('the token response had credential identifiers: one of them is needed');
  const isGranted = access.configurationIds.includes(found.id) || access.typeIds.includes(found.type.id);
  return isGranted ? found : fail('role_credential.denied', { why: 'the access token is for other credentials' });
}
