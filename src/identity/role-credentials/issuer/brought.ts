// The keys and the certificate chains that an operator brings: of the issuer, and of requests to wallets.
import { ConfigError } from '../../../platform/config/index.ts';
import { type BroughtChain, type ChainSettings, type ChainStart, readBroughtChain } from '../../../verifiable/trust/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';

const ISSUER: ChainSettings = {
  cert: 'GATEHOUSE_IDENTITY_ISSUER_CERT_FILE',
  key: 'GATEHOUSE_IDENTITY_ISSUER_KEY_FILE',
  purpose: 'credential',
};
const VERIFIER: ChainSettings = {
  cert: 'GATEHOUSE_IDENTITY_VERIFIER_CERT_FILE',
  key: 'GATEHOUSE_IDENTITY_VERIFIER_KEY_FILE',
  purpose: 'request',
};

export interface BroughtKey extends Pick<BroughtChain, 'id' | 'key' | 'publicKey' | 'chain' | 'from' | 'until'> {
  /** Whether its certificate is one for mobile documents. */
  readonly signsDocuments: boolean;
  /** Whether its certificate is one for requests to wallets. */
  readonly signsRequests: boolean;
  /** Whether its certificate names the host of the service. */
  readonly namesHost: boolean;
}

const broughtBy = (chain: BroughtChain | undefined, url: string | undefined): BroughtKey | undefined =>
  chain && {
    ...chain,
    signsDocuments: chain.isFor('document'),
    signsRequests: chain.isFor('request'),
    namesHost: url === undefined || chain.names(url),
  };

/** Undefined if none is brought. */
export function readBroughtKey(
  { issuerCertFile: certFile, issuerKeyFile: keyFile, url }: Pick<IdentityConfig, 'issuerCertFile' | 'issuerKeyFile' | 'url'>,
  start: ChainStart,
): BroughtKey | undefined {
  const found = broughtBy(readBroughtChain(ISSUER, { certFile, keyFile }, start), url);
  if (found?.namesHost === false)
    throw new ConfigError(
      `${ISSUER.cert}: the first certificate does not name ${new URL(url!).hostname}, the host of GATEHOUSE_IDENTITY_URL`,
    );
  return found;
}

/** Its certificate may name somebody instead of a host, as access certificates do: wallets know it by its hash then. */
export const readBroughtVerifier = (
  {
    verifierCertFile: certFile,
    verifierKeyFile: keyFile,
    url,
  }: Pick<IdentityConfig, 'verifierCertFile' | 'verifierKeyFile' | 'url'>,
  start: ChainStart,
): BroughtKey | undefined => broughtBy(readBroughtChain(VERIFIER, { certFile, keyFile }, start), url);
