// Which of the offered credentials are asked for, bound to what, and in how many copies.
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { IssuanceData, RequestedCredential } from './data.ts';
import type { IssuanceRequest } from './issuance.schema.ts';
import { selectConfigurations } from './offer.ts';

export const requestedCredentialsOf = (
  offer: CredentialOfferObject,
  metadata: IssuerMetadataResult,
  ids: readonly string[] | undefined,
): RequestedCredential[] => selectConfigurations(offer, metadata, ids).map(({ id }) => ({ configurationId: id }));

/** Whoever saw a preview may say only then what they want of it, and how; until it is asked for. */
export function reviseSelection(data: IssuanceData, metadata: IssuerMetadataResult, body: IssuanceRequest): void {
  const { credentialConfigurationIds: ids, keyId, didId, count = data.wanted.count } = body;
  if (ids && !data.token) data.parts = requestedCredentialsOf(data.offer, metadata, ids);
  const isNamed = keyId !== undefined || didId !== undefined;
  // Whoever brings the offer once more has changed their mind about all of it.
  const isAnew = (body.uri !== undefined || body.offer !== undefined) && !data.token;
  data.wanted = isNamed || isAnew ? { keyId, didId, count } : { ...data.wanted, count };
  // What the issuer has a proof of stays as it is.
  if (isNamed) for (const part of data.parts) if (part.transactionId === undefined) delete part.holdings;
}
