// Roles as credentials: the credential issuer, put together.
import { seconds } from '../../platform/clock.ts';
import type { Throttle } from '../../platform/limits/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Access } from '../access/index.ts';
import type { CredentialTypes } from '../credential-types/index.ts';
import type { IssuedCredentials } from '../issued-credentials/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import { createDpopProofs, type Records } from '../openid/index.ts';
import type { Deps } from '../resource/index.ts';
import type { Configurations } from './configurations.ts';
import { createCredentialAccess } from './credential-access.ts';
import { createCredentialMaker } from './credentials.ts';
import { createRequestEncryption } from './encryption.ts';
import { createIssuance, type IssuanceDeps } from './issuance.rules.ts';
import { createIssuerMetadata } from './metadata.ts';
import { createNonces } from './nonces.ts';
import { createOffers } from './offers.rules.ts';

export interface RoleCredentialsDeps extends Pick<Deps, 'clock' | 'change' | 'config'>, Pick<IssuanceDeps, 'accounts'> {
  readonly seal: Seal;
  readonly records: Records;
  readonly access: Access;
  readonly types: CredentialTypes;
  readonly configurations: Configurations;
  readonly identity: IssuerIdentity;
  readonly issued: IssuedCredentials;
  /** Limits requests for credentials by person. */
  readonly limit: Throttle;
  issuer(): string;
}

export function createRoleCredentials(deps: RoleCredentialsDeps) {
  const { clock, config, records, access, configurations, identity, issuer } = deps;
  const { credentialBatchSize: batchSize, haip: isHaip } = config;
  const encryption = createRequestEncryption(deps);
  const nonces = createNonces(deps);
  const proofs = createDpopProofs(deps);
  return {
    nonces,
    metadata: createIssuerMetadata({
      configurations,
      encryption,
      identity,
      batchSize,
      name: config.brandName,
      issuer,
      now: () => seconds(clock),
    }),
    offers: createOffers({ ...deps, offerSeconds: config.credentialOfferSeconds }),
    issuance: createIssuance({
      ...deps,
      access: createCredentialAccess({ records, access, proofs, isHaip, issuer }),
      encryption,
      nonces,
      maker: createCredentialMaker(identity),
      batchSize,
    }),
  };
}

export type RoleCredentials = ReturnType<typeof createRoleCredentials>;
