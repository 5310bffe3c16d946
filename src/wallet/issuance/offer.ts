// Credential offers (OID4VCI, 4): read by value or by reference, and what of them this wallet can take.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { fail } from '../faults.ts';
import type { FormatName } from '../formats/index.ts';
import { isUnsafeJson } from '../jose/index.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { IssuanceRequest } from './issuance.schema.ts';

const MAX_OFFERED = 20;
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** Names of formats as issuers write them, drafts included. */
const FORMATS: Readonly<Record<string, FormatName>> = {
  'dc+sd-jwt': 'dc+sd-jwt',
  'vc+sd-jwt': 'dc+sd-jwt',
  jwt_vc_json: 'jwt_vc_json',
  mso_mdoc: 'mso_mdoc',
  ldp_vc: 'ldp_vc',
};

export interface CredentialConfiguration {
  readonly id: string;
  readonly format: FormatName;
  readonly raw: Readonly<Record<string, unknown>>;
}

function checkUri(uri: string): void {
  const url = URL.parse(uri);
  if (!url) fail('invalid-request', { why: 'uri is not an address' });
  const has = (name: string): boolean => url.searchParams.has(name);
  // Exactly one (OID4VCI, 4.1): an offer that is two offers is none.
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
    // What came with the request is nobody's answer.
    isFetched ? Promise.reject(error) : fail('invalid-offer', { why: 'it is not an offer of credentials' }),
  );
  const ids = read.credential_configuration_ids;
  if (ids.length === 0 || new Set(ids).size !== ids.length)
    fail('invalid-offer', { why: 'it names no credentials, or one twice' });
  // Each of them is asked for: an offer of thousands is an attack.
  if (ids.length > MAX_OFFERED || ids.some((id) => id.length > 500) || isUnsafeJson(read))
    fail('invalid-offer', { why: 'it is larger than any offer is' });
  return read;
}

/** What people call it, as it says itself. */
export function issuerNameOf({ credentialIssuer }: IssuerMetadataResult): string | undefined {
  const name: unknown = credentialIssuer.display?.[0]?.name;
  return typeof name === 'string' ? name.slice(0, 300) : undefined;
}

/** The grant that is used: a code the issuer made for this offer, else one the person asks for. */
export function grantOf(offer: CredentialOfferObject): 'pre-authorized_code' | 'authorization_code' {
  return offer.grants?.[PRE_AUTHORIZED] ? 'pre-authorized_code' : 'authorization_code';
}

/** An offer's code works once, whoever sends it how often. */
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
    // Longer than the specification lets it be, it is not for people.
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
    const name = String(raw.format);
    const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    return format ? { id, format, raw } : { id };
  });
}

/** One that is still to come: an issuer that changed its mind about it does not get it past us. */
export function configurationOf(metadata: IssuerMetadataResult, id: string): CredentialConfiguration {
  const [one] = configurationsOf(metadata, [id]);
  return one && 'format' in one ? one : fail('unsupported-format');
}

/** Those of the offer that are wanted and that this wallet can hold. */
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
