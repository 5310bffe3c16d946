// Previews an offer without accepting it: who offers which credentials. Only metadata are fetched.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { descriptionOf, localNames } from '../credentials/index.ts';
import type { ExchangeSummary } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { IssuanceData } from './data.ts';
import type { IssuanceAnswer, IssuerProof, OfferedCredential } from './issuance.schema.ts';
import { configurationsOf, grantOf, issuerNameOf, txCodeOf } from './offer.ts';

/** The type that a received credential must have (see check.ts). */
function typeOf({ vct, doctype, credential_definition: definition }: Readonly<Record<string, unknown>>): { type?: string } {
  const types = (definition as { type?: unknown } | undefined)?.type;
  const type = vct ?? doctype ?? (Array.isArray(types) ? types.at(-1) : undefined);
  return typeof type === 'string' ? { type: type.slice(0, 1000) } : {};
}

function offeredCredentials(offer: CredentialOfferObject, metadata: IssuerMetadataResult): OfferedCredential[] {
  return configurationsOf(metadata, offer.credential_configuration_ids).map((one) => {
    if (!('raw' in one)) return { configurationId: one.id, format: 'unknown', supported: false, displays: [], labels: [] };
    const { raw } = one;
    const display = [(raw.credential_metadata as { display?: unknown } | undefined)?.display ?? raw.display].flat()[0];
    const { displays, labels } = descriptionOf(raw);
    return {
      configurationId: one.id,
      format: one.format,
      supported: true,
      ...typeOf(raw),
      ...(display === undefined ? {} : { display }),
      displays: [...displays],
      labels: [...labels],
    };
  });
}

/** How the issuer proved that the offer's metadata are its own. */
export function issuerProofOf({ credential_issuer: issuer }: CredentialOfferObject, metadata: IssuerMetadataResult): IssuerProof {
  const { method } = metadata.signedCredentialIssuer?.signer ?? {};
  if (method === 'x5c') return 'certificate';
  if (method === 'did') return 'did';
  return URL.parse(issuer)?.protocol === 'https:' ? 'https' : 'none';
}

export function previewOf(exchangeId: string, offer: CredentialOfferObject, metadata: IssuerMetadataResult): IssuanceAnswer {
  const name = issuerNameOf(metadata);
  const txCode = txCodeOf(offer);
  return {
    status: 'preview',
    exchangeId,
    issuer: {
      id: offer.credential_issuer,
      ...(name === undefined ? {} : { name }),
      names: localNames(metadata.credentialIssuer.display),
      proof: issuerProofOf(offer, metadata),
    },
    offered: offeredCredentials(offer, metadata),
    ...(txCode ? { txCode } : {}),
    grant: grantOf(offer),
  };
}

export function summaryOf(offer: CredentialOfferObject, metadata: IssuerMetadataResult): ExchangeSummary {
  const name = issuerNameOf(metadata);
  return {
    ...(name === undefined ? {} : { name }),
    proof: issuerProofOf(offer, metadata),
    offered: offeredCredentials(offer, metadata).map(({ configurationId, displays }) => ({
      configurationId,
      displays: displays.map(({ locale, name: title }) => ({
        ...(locale === undefined ? {} : { locale }),
        ...(title === undefined ? {} : { name: title }),
      })),
    })),
  };
}

/** Identifies what a preview shows. */
export const previewDigest = (offer: CredentialOfferObject, metadata: IssuerMetadataResult): string =>
  createHash('sha256')
    .update(JSON.stringify(previewOf('', offer, metadata)))
    .digest('base64url');

/** What is accepted must be what was shown: the issuer may have changed its metadata since. */
export function checkPreview({ offer, previewed }: IssuanceData, metadata: IssuerMetadataResult): void {
  if (previewed !== undefined && previewed !== previewDigest(offer, metadata)) fail('preview-outdated');
}
