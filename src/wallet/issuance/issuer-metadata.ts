// Credential issuer metadata (OID4VCI, 12.2).
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { isUnsafeJson } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { Clients } from './clients.ts';

export async function issuerMetadata(
  clients: Pick<Clients, 'plain'>,
  { credential_issuer: issuer }: Pick<CredentialOfferObject, 'credential_issuer'>,
): Promise<IssuerMetadataResult> {
  const metadata = await withUpstreamFaults('issuer', 'issuer metadata', () =>
    clients.plain(issuer).resolveIssuerMetadata(issuer),
  );
  // Parts of the metadata are displayed, and stored with the credential.
  if (Object.values(metadata.credentialIssuer).some((part) => isUnsafeJson(part)))
    fail('upstream-error', { who: 'issuer', why: 'its metadata are nested too deeply, or have forbidden names or characters' });
  return metadata;
}
