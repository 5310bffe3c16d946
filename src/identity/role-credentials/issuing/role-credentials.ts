// Roles as credentials: the credential issuer, put together.
import { seconds } from '../../../platform/clock.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Access } from '../../access/context/index.ts';
import { isRedirectUri } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { createDpopProofs } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { IssuedCredentials } from '../issued/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import type { CredentialTypes } from '../types/index.ts';
import type { Configurations } from './configurations.ts';
import { createCredentialAccess } from './credential-access.ts';
import { createCredentialMaker } from './credentials.ts';
import { createRequestEncryption } from './encryption.ts';
import { createIssuance, type IssuanceDeps } from './issuance.rules.ts';
import { createKeyAttestations } from './key-attestations.ts';
import { createIssuerMetadata } from './metadata.ts';
import { createNonces } from './nonces.ts';
import { createOffers } from './offers.rules.ts';
import { PROOF_ALGORITHMS } from './proofs.ts';

export interface RoleCredentialsDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'>,
    Pick<IssuanceDeps, 'accounts' | 'onIssued'> {
  readonly seal: Seal;
  readonly records: Records;
  readonly access: Access;
  readonly types: CredentialTypes;
  readonly configurations: Configurations;
  readonly identity: IssuerIdentity;
  readonly issued: IssuedCredentials;
  readonly walletProviders: WalletProviders;
  /** Limits requests for credentials by person. */
  readonly limit: Throttle;
  issuer(): string;
}

function offerLinkOf({ credentialOfferLink: link }: { readonly credentialOfferLink: string }): string {
  if (!isRedirectUri(link))
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_LINK must be a scheme such as haip-vci://, or the https address of a wallet',
    );
  return link;
}

export function createRoleCredentials(deps: RoleCredentialsDeps) {
  const { clock, config, records, access, configurations, identity, issuer } = deps;
  const { credentialBatchSize: batchSize, haip: isHaip } = config;
  const encryption = createRequestEncryption(deps);
  const nonces = createNonces(deps);
  const proofs = createDpopProofs(deps);
  const { keyAttestations, keyStorage, keyUserAuthentication: userAuthentication } = config;
  const attestations = createKeyAttestations({
    clock,
    providers: deps.walletProviders,
    rules: { isRequired: keyAttestations === 'required', keyStorage, userAuthentication },
    algorithms: PROOF_ALGORITHMS,
    maxKeys: Math.max(batchSize, 1),
  });
  return {
    nonces,
    metadata: createIssuerMetadata({
      configurations,
      encryption,
      identity,
      batchSize,
      attestations,
      name: config.brandName,
      issuer,
      now: () => seconds(clock),
    }),
    offers: createOffers({ ...deps, offerSeconds: config.credentialOfferSeconds, link: offerLinkOf(config) }),
    issuance: createIssuance({
      ...deps,
      access: createCredentialAccess({ records, access, proofs, isHaip, issuer }),
      encryption,
      nonces,
      maker: createCredentialMaker(identity, isHaip),
      batchSize,
      attestations,
    }),
  };
}

export type RoleCredentials = ReturnType<typeof createRoleCredentials>;
