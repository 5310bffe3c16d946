// Key proofs of the type `jwt` (OID4VCI, appendix F.1).
import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import type { CredentialConfiguration } from './offer.ts';
import type { ProofKey } from './proof-key.ts';

export async function proofJwt(
  client: Openid4vciClient,
  metadata: IssuerMetadataResult,
  configuration: CredentialConfiguration,
  { algorithm: alg, jwk, did }: ProofKey,
  {
    nonce,
    clientId,
    now,
    attestation,
  }: { nonce: string | undefined; clientId: string | undefined; now: number; attestation: string | undefined },
): Promise<string> {
  const { jwt } = await client.createCredentialRequestJwtProof({
    issuerMetadata: metadata,
    credentialConfigurationId: configuration.id,
    signer: did ? { method: 'did', didUrl: did.url, alg } : { method: 'jwk', publicJwk: { ...jwk } as never, alg },
    issuedAt: new Date(now),
    ...(nonce === undefined ? {} : { nonce }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(attestation === undefined ? {} : { keyAttestationJwt: attestation }),
  });
  return jwt;
}
