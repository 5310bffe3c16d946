// Which of the offered credentials are requested, with which binding, and in how many copies.
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { IssuanceData, RequestedCredential } from './data.ts';
import type { IssuanceRequest } from './issuance.schema.ts';
import { selectConfigurations } from './offer.ts';

export const requestedCredentialsOf = (
  offer: CredentialOfferObject,
  metadata: IssuerMetadataResult,
  ids: readonly string[] | undefined,
): RequestedCredential[] => selectConfigurations(offer, metadata, ids).map(({ id }) => ({ configurationId: id }));

/** The caller may change the selection after a preview, until the credentials are requested. */
export function reviseSelection(data: IssuanceData, metadata: IssuerMetadataResult, body: IssuanceRequest): void {
  const { credentialConfigurationIds: ids, keyId, didId, count = data.wanted.count } = body;
  if (ids && !data.token) data.parts = requestedCredentialsOf(data.offer, metadata, ids);
  const isNamed = keyId !== undefined || didId !== undefined;
  // Sending the offer again resets the selection.
  const isAnew = (body.uri !== undefined || body.offer !== undefined) && !data.token;
  data.wanted = isNamed || isAnew ? { keyId, didId, count } : { ...data.wanted, count };
  // Deferred credentials keep their keys, because the issuer already has the proof.
  if (isNamed) for (const part of data.parts) if (part.transactionId === undefined) delete part.holdings;
}
