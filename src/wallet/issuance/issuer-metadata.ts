// What an issuer says of itself and of what it issues (OID4VCI, 12.2).
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { fail } from '../faults.ts';
import { isUnsafeJson } from '../jose/index.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { Clients } from './clients.ts';

export async function issuerMetadata(
  clients: Pick<Clients, 'plain'>,
  { credential_issuer: issuer }: Pick<CredentialOfferObject, 'credential_issuer'>,
): Promise<IssuerMetadataResult> {
  const metadata = await withUpstreamFaults('issuer', 'issuer metadata', () => clients.plain().resolveIssuerMetadata(issuer));
  // Parts of it are shown, and kept with the credential.
  if (Object.values(metadata.credentialIssuer).some((part) => isUnsafeJson(part)))
    fail('upstream-error', { who: 'issuer', why: 'its metadata are nested too deeply, or have forbidden names or characters' });
  return metadata;
}
