// The nonce that key proofs carry (OID4VCI, 7).
import { upstreamFault } from '../protocols/index.ts';
import type { CredentialError } from './credential-error.ts';
import type { AuthorizedClient } from './endpoint.ts';

/** Drafts had no endpoint for it: it came with the token, or with a refusal. */
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

/** Drafts said so of the proof, and sent a fresh nonce along. */
export const isNonceRefused = ({ message, nonce }: CredentialError): boolean =>
  message === 'invalid_nonce' || (nonce !== undefined && message === 'invalid_proof');
