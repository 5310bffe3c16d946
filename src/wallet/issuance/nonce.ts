// The nonce for key proofs (OID4VCI, 7).
import { upstreamFault } from '../protocols/index.ts';
import type { CredentialError } from './credential-error.ts';
import type { AuthorizedClient } from './endpoint.ts';

/** Drafts have no nonce endpoint: the nonce is in the token response or in an error response. */
export async function nonceOf(
  { client, metadata, token }: AuthorizedClient,
  refusal?: CredentialError,
): Promise<string | undefined> {
  if (!metadata.credentialIssuer.nonce_endpoint) return refusal?.nonce ?? token.nonce;
  try {
    return (await client.requestNonce({ issuerMetadata: metadata })).c_nonce;
  } catch (error) {
    throw upstreamFault(error, 'issuer', 'nonce');
  }
}

/** Drafts report an invalid proof and send a new nonce. */
export const isNonceRefused = ({ message, nonce }: CredentialError): boolean =>
  message === 'invalid_nonce' || (nonce !== undefined && message === 'invalid_proof');
