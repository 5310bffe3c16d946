// What HAIP 1.0 asks of a verifier beyond OID4VP: only the formats of its profile, and the authorities of the issuer in the query.
import { X509Certificate } from 'node:crypto';
import { FORMATS, type FormatName } from '../../../verifiable/formats/index.ts';
import { authorityKeyIdOf } from '../../../verifiable/trust/index.ts';
import type { VerifierIdentity } from './data.ts';
import type { WalletQuery } from './query.ts';

interface CredentialQuery {
  readonly id: string;
  readonly format: FormatName;
}

/** Who signed the certificates of our credentials, so that wallets find these among others (OID4VP 1.0, 6.1.1.1). */
async function authoritiesOf(identity: Pick<VerifierIdentity, 'chain'>): Promise<string[]> {
  const ids = (await identity.chain()).map((der) => authorityKeyIdOf(new X509Certificate(Buffer.from(der, 'base64'))));
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** Undefined when nothing of the profile could be shown. */
export async function asHaip(
  { dcql, sources, isCut }: WalletQuery,
  identity: Pick<VerifierIdentity, 'chain'>,
): Promise<WalletQuery | undefined> {
  const values = await authoritiesOf(identity);
  const all = (dcql.credentials as readonly CredentialQuery[]).filter(({ format }) => FORMATS[format].isInHaip);
  if (all.length === 0) return undefined;
  const credentials = all.map((query) =>
    sources[query.id]?.kind === 'own' && values.length > 0 ? { ...query, trusted_authorities: [{ type: 'aki', values }] } : query,
  );
  return { dcql: { credentials, credential_sets: [{ options: all.map(({ id }) => [id]) }] }, sources, isCut };
}
