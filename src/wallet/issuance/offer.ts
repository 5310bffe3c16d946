// Reads credential offers (OID4VCI, 4), by value or by reference, and selects the supported configurations.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { type FormatName, formatNamed } from '../../verifiable/formats/index.ts';
import { isUnsafeJson } from '../../verifiable/jose/index.ts';
import { displayText, type Logo, logoOf } from '../credentials/index.ts';
import { fail } from '../ground/faults.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { IssuanceRequest } from './issuance.schema.ts';

const MAX_OFFERED = 20;
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

export interface CredentialConfiguration {
  readonly id: string;
  readonly format: FormatName;
  readonly raw: Readonly<Record<string, unknown>>;
}

function checkUri(uri: string): void {
  const url = URL.parse(uri);
  if (!url) fail('invalid-request', { why: 'uri is not an address' });
  const has = (name: string): boolean => url.searchParams.has(name);
  // Exactly one of the two (OID4VCI, 4.1).
  if (has('credential_offer') === has('credential_offer_uri'))
    fail('invalid-offer', { why: 'it must be given by value or by reference, and not by both' });
  for (const name of ['credential_offer', 'credential_offer_uri'])
    if (url.searchParams.getAll(name).length > 1) fail('invalid-offer', { why: 'it is given twice' });
}

export async function readOffer(client: Openid4vciClient, { uri, offer }: IssuanceRequest): Promise<CredentialOfferObject> {
  if ((uri === undefined) === (offer === undefined)) fail('invalid-request', { why: 'give uri or offer, and not both' });
  if (uri !== undefined) checkUri(uri);
  const text = uri ?? `openid-credential-offer://?credential_offer=${encodeURIComponent(JSON.stringify(offer))}`;
  const isFetched = uri !== undefined && URL.parse(uri)!.searchParams.has('credential_offer_uri');
  const read = await withUpstreamFaults('issuer', 'offer', () => client.resolveCredentialOffer(text)).catch((error: unknown) =>
    // An offer by value is part of the request, so errors are not upstream errors.
    isFetched ? Promise.reject(error) : fail('invalid-offer', { why: 'it is not an offer of credentials' }),
  );
  const ids = read.credential_configuration_ids;
  if (ids.length === 0 || new Set(ids).size !== ids.length)
    fail('invalid-offer', { why: 'it names no credentials, or one twice' });
  // Each credential is requested, so the number is limited.
  if (ids.length > MAX_OFFERED || ids.some((id) => id.length > 500) || isUnsafeJson(read))
    fail('invalid-offer', { why: 'it is larger than any offer is' });
  return read;
}

/** The self-declared display name. */
export function issuerNameOf({ credentialIssuer }: IssuerMetadataResult): string | undefined {
  return displayText(credentialIssuer.display?.[0]?.name, 300);
}

export const issuerLogoOf = ({ credentialIssuer }: IssuerMetadataResult): Logo | undefined =>
  logoOf(credentialIssuer.display?.[0]?.logo);

/** Prefers the pre-authorized code over the authorization code. */
export function grantOf(offer: CredentialOfferObject): 'pre-authorized_code' | 'authorization_code' {
  return offer.grants?.[PRE_AUTHORIZED] ? 'pre-authorized_code' : 'authorization_code';
}

/** Identifies an offer by its code, which can be redeemed only once. */
export function offerHashOf({ credential_issuer: issuer, grants }: CredentialOfferObject): string | undefined {
  const secret = grants?.[PRE_AUTHORIZED]?.['pre-authorized_code'] ?? grants?.authorization_code?.issuer_state;
  return secret === undefined
    ? undefined
    : createHash('sha256')
        .update(JSON.stringify([issuer, secret]))
        .digest('base64url');
}

export function txCodeOf(offer: CredentialOfferObject): { inputMode: string; length?: number; description?: string } | undefined {
  const txCode = offer.grants?.[PRE_AUTHORIZED]?.tx_code;
  if (!txCode) return undefined;
  const { input_mode: inputMode = 'numeric', length, description } = txCode;
  return {
    inputMode,
    ...(typeof length === 'number' ? { length } : {}),
    // The maximum length of the specification.
    ...(typeof description === 'string' ? { description: description.slice(0, 300) } : {}),
  };
}

export function configurationsOf(
  metadata: IssuerMetadataResult,
  ids: readonly string[],
): (CredentialConfiguration | { id: string })[] {
  const configurations = metadata.credentialIssuer.credential_configurations_supported as Record<string, Record<string, unknown>>;
  return ids.map((id) => {
    const raw = Object.hasOwn(configurations, id) ? configurations[id]! : undefined;
    if (!raw) fail('invalid-offer', { why: `the issuer does not know the configuration ${id.slice(0, 100)}` });
    const format = formatNamed(String(raw.format));
    return format ? { id, format, raw } : { id };
  });
}

/** Throws if the issuer no longer supports the configuration. */
export function configurationOf(metadata: IssuerMetadataResult, id: string): CredentialConfiguration {
  const [one] = configurationsOf(metadata, [id]);
  return one && 'format' in one ? one : fail('unsupported-format');
}

/** The requested configurations of the offer that this wallet supports. */
export function selectConfigurations(
  offer: CredentialOfferObject,
  metadata: IssuerMetadataResult,
  requested: readonly string[] | undefined,
): CredentialConfiguration[] {
  const offered = offer.credential_configuration_ids;
  const foreign = requested?.find((id) => !offered.includes(id));
  if (foreign !== undefined) fail('invalid-request', { why: `the offer does not have ${foreign.slice(0, 100)}` });
  const usable = configurationsOf(metadata, requested ?? offered).filter(
    (one): one is CredentialConfiguration => 'format' in one,
  );
  return usable.length > 0 ? usable : fail('unsupported-format');
}
