// What an offer is about, and what is wanted of it: read before anything is asked for.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { fail } from '../faults.ts';
import { isHostile } from '../jose/index.ts';
import { calling } from '../protocols/index.ts';
import type { IssuanceData, Part, Running } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import type { IssuanceRequest } from './issuance.schema.ts';
import { type Configuration, chosenOf } from './offer.ts';
import { newDpopKey, preAuthorizedCodeOf } from './token.ts';

export async function readMetadata(
  { clients }: Pick<IssuanceDeps, 'clients'>,
  { credential_issuer: issuer }: Pick<CredentialOfferObject, 'credential_issuer'>,
): Promise<IssuerMetadataResult> {
  const metadata = await calling('issuer', 'issuer metadata', () => clients.plain().resolveIssuerMetadata(issuer));
  // Parts of it are shown, and kept with the credential.
  if (Object.values(metadata.credentialIssuer).some((part) => isHostile(part)))
    fail('upstream-error', { who: 'issuer', why: 'its metadata are nested too deeply, or have what no honest ones have' });
  return metadata;
}

/** An offer's code works once, whoever sends it how often. */
export function offerHashOf(offer: CredentialOfferObject): string | undefined {
  const secret = preAuthorizedCodeOf(offer) ?? offer.grants?.authorization_code?.issuer_state;
  return secret === undefined
    ? undefined
    : createHash('sha256')
        .update(JSON.stringify([offer.credential_issuer, secret]))
        .digest('base64url');
}

const partsOf = (chosen: readonly Configuration[]): Part[] => chosen.map(({ id }) => ({ configurationId: id }));

export const newData = (
  offer: CredentialOfferObject,
  metadata: IssuerMetadataResult,
  { credentialConfigurationIds, keyId, didId, count = 1 }: IssuanceRequest,
): IssuanceData => ({
  offer,
  parts: partsOf(chosenOf(offer, metadata, credentialConfigurationIds)),
  wanted: { keyId, didId, count },
  dpopKey: newDpopKey(),
  kept: [],
  notifications: [],
  tries: 0,
});

/** Whoever saw a preview may say only then what they want of it, and how; until it is asked for. */
export function chooseAnew({ data }: Pick<Running, 'data'>, metadata: IssuerMetadataResult, body: IssuanceRequest): void {
  const { credentialConfigurationIds: ids, keyId, didId, count = data.wanted.count } = body;
  if (ids && !data.token) data.parts = partsOf(chosenOf(data.offer, metadata, ids));
  const isNamed = keyId !== undefined || didId !== undefined;
  // Whoever brings the offer once more has changed their mind about all of it.
  const isAnew = (body.uri !== undefined || body.offer !== undefined) && !data.token;
  data.wanted = isNamed || isAnew ? { keyId, didId, count } : { ...data.wanted, count };
  // What the issuer has a proof of stays as it is.
  if (isNamed) for (const part of data.parts) if (part.transactionId === undefined) delete part.holdings;
}
