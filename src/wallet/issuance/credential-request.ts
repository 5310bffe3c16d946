// Credential requests (OID4VCI, 8.2), with key proofs, by credential identifier or configuration id.
import { CredentialError, refusalOf, toFault } from './credential-error.ts';
import { type CredentialResponse, responseOf } from './credential-response.ts';
import { deferredEndpointOf } from './deferred.ts';
import { encryptionFor } from './encryption.ts';
import { type AuthorizedClient, send } from './endpoint.ts';
import { isNonceRefused, nonceOf } from './nonce.ts';
import type { CredentialConfiguration } from './offer.ts';

/** Requests for issuers before draft 15. The library knows the form of each draft. */
async function byLibrary(
  { client, metadata, token, dpop }: AuthorizedClient,
  configuration: CredentialConfiguration,
  jwts: readonly string[],
): Promise<unknown> {
  try {
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata: metadata,
      accessToken: token.accessToken,
      credentialConfigurationId: configuration.id,
      ...(token.dpop && dpop ? { dpop } : {}),
      ...(jwts.length > 1
        ? { proofs: { jwt: [...jwts] as [string, ...string[]] } }
        : jwts[0]
          ? { proof: { proof_type: 'jwt', jwt: jwts[0] } }
          : {}),
    });
    return credentialResponse;
  } catch (error) {
    const { response } = error as {
      response?: { response?: Response; credentialErrorResponseResult?: { data?: unknown } };
    };
    if (!response?.credentialErrorResponseResult) throw error;
    throw refusalOf(response.credentialErrorResponseResult.data, response.response?.status ?? 400);
  }
}

/** Proofs of one type (OID4VCI, 8.2.1.1). */
export interface KeyProofs {
  readonly type: 'jwt' | 'attestation';
  readonly jwts: readonly string[];
}

const LATEST = ['Draft15', 'V1'];

/** Repeats the request once if the nonce was refused. */
export async function requestCredential(
  client: AuthorizedClient,
  configuration: CredentialConfiguration,
  proofsFor: (nonce: string | undefined) => Promise<KeyProofs>,
): Promise<CredentialResponse> {
  const { metadata, token } = client;
  const { id } = configuration;
  const [identifier] = Object.hasOwn(token.identifiers, id) ? token.identifiers[id]! : [];
  const attempt = async (refusal?: CredentialError): Promise<CredentialResponse> => {
    const { type, jwts } = await proofsFor(await nonceOf(client, refusal));
    if (!LATEST.includes(metadata.originalDraftVersion)) return responseOf(await byLibrary(client, configuration, jwts));
    const encryption = await encryptionFor(metadata);
    const payload = {
      ...(identifier === undefined ? { credential_configuration_id: id } : { credential_identifier: identifier }),
      ...(jwts.length > 0 ? { proofs: { [type]: jwts } } : {}),
      ...encryption?.parameters,
    };
    return responseOf(await send(client, metadata.credentialIssuer.credential_endpoint, payload, encryption));
  };
  try {
    const answer = await attempt().catch((error: unknown) => {
      const isStale = error instanceof CredentialError && isNonceRefused(error);
      return isStale ? attempt(error) : Promise.reject(error);
    });
    if (answer.kind === 'deferred') deferredEndpointOf(metadata);
    return answer;
  } catch (error) {
    throw toFault(error, 'credential');
  }
}
