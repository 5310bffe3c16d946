// Roles as credentials: the credential issuer, put together.
import { seconds } from '../../../platform/clock.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Access } from '../../access/context/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Assets } from '../../ground/look/index.ts';
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
import { createOffers, refuseOfferLink } from './offers.rules.ts';
import { PROOF_ALGORITHMS } from './proofs.ts';

export interface RoleCredentialsDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'>,
    Pick<IssuanceDeps, 'accounts' | 'onIssued'> {
  readonly seal: Seal;
  readonly assets: Assets;
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

export function createRoleCredentials(deps: RoleCredentialsDeps) {
  const { clock, config, assets, records, access, configurations, identity, issuer } = deps;
  const { haip: isHaip } = config;
  refuseOfferLink(config);
  const encryption = createRequestEncryption(deps);
  const nonces = createNonces(deps);
  const proofs = createDpopProofs(deps);
  const attestations = createKeyAttestations({
    clock,
    providers: deps.walletProviders,
    rules: () => ({
      isRequired: config.keyAttestations === 'required',
      keyStorage: config.keyStorage,
      userAuthentication: config.keyUserAuthentication,
    }),
    algorithms: PROOF_ALGORITHMS,
    maxKeys: () => config.credentialBatchSize,
  });
  return {
    catalog: configurations.catalog,
    nonces,
    metadata: createIssuerMetadata({
      configurations,
      encryption,
      identity,
      config,
      assets,
      attestations,
      issuer,
      now: () => seconds(clock),
    }),
    offers: createOffers(deps),
    issuance: createIssuance({
      ...deps,
      access: createCredentialAccess({ records, access, proofs, isHaip, issuer }),
      encryption,
      nonces,
      maker: createCredentialMaker(identity, isHaip),
      attestations,
    }),
  };
}

export type RoleCredentials = ReturnType<typeof createRoleCredentials>;
