// Previews an offer without accepting it: who offers which credentials. Only metadata are fetched.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { descriptionOf, localNames } from '../credentials/index.ts';
import type { ExchangeSummary } from '../exchanges/index.ts';
import { fail } from '../ground/faults.ts';
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

/** What a preview is made of. */
export interface OfferPreview {
  readonly offer: CredentialOfferObject;
  readonly metadata: IssuerMetadataResult;
  /** The address of the identity service in the same process. */
  readonly beside: string | undefined;
}

/** How the issuer proved that the offer's metadata are its own. */
function issuerProofOf({ offer: { credential_issuer: issuer }, metadata, beside }: OfferPreview): IssuerProof {
  const { method } = metadata.signedCredentialIssuer?.signer ?? {};
  if (method === 'x5c') return 'certificate';
  if (method === 'did') return 'did';
  if (issuer === beside) return 'beside';
  return URL.parse(issuer)?.protocol === 'https:' ? 'https' : 'none';
}

export function previewOf(exchangeId: string, shown: OfferPreview): IssuanceAnswer {
  const { offer, metadata } = shown;
  const name = issuerNameOf(metadata);
  const txCode = txCodeOf(offer);
  return {
    status: 'preview',
    exchangeId,
    issuer: {
      id: offer.credential_issuer,
      ...(name === undefined ? {} : { name }),
      names: localNames(metadata.credentialIssuer.display),
      proof: issuerProofOf(shown),
    },
    offered: offeredCredentials(offer, metadata),
    ...(txCode ? { txCode } : {}),
    grant: grantOf(offer),
  };
}

export function summaryOf(shown: OfferPreview): ExchangeSummary {
  const { offer, metadata } = shown;
  const name = issuerNameOf(metadata);
  return {
    ...(name === undefined ? {} : { name }),
    proof: issuerProofOf(shown),
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
export const previewDigest = (shown: OfferPreview): string =>
  createHash('sha256')
    .update(JSON.stringify(previewOf('', shown)))
    .digest('base64url');

/** What is accepted must be what was shown: the issuer may have changed its metadata since. */
export function checkPreview({ previewed }: IssuanceData, shown: OfferPreview): void {
  if (previewed !== undefined && previewed !== previewDigest(shown)) fail('preview-outdated');
}
