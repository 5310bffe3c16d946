// Previews an offer without accepting it.
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { IssuanceAnswer } from './issuance.schema.ts';
import { configurationsOf, grantOf, issuerNameOf, txCodeOf } from './offer.ts';

export function previewOf(exchangeId: string, offer: CredentialOfferObject, metadata: IssuerMetadataResult): IssuanceAnswer {
  const offered = configurationsOf(metadata, offer.credential_configuration_ids).map((one) => {
    const raw = 'raw' in one ? one.raw : undefined;
    const display = [(raw?.credential_metadata as { display?: unknown } | undefined)?.display ?? raw?.display].flat()[0];
    return {
      configurationId: one.id,
      format: 'format' in one ? one.format : 'unknown',
      supported: 'format' in one,
      ...(display === undefined ? {} : { display }),
    };
  });
  const name = issuerNameOf(metadata);
  const txCode = txCodeOf(offer);
  return {
    status: 'preview',
    exchangeId,
    issuer: { id: offer.credential_issuer, ...(name === undefined ? {} : { name }) },
    offered,
    ...(txCode ? { txCode } : {}),
    grant: grantOf(offer),
  };
}
