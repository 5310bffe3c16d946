// The credential issuer: what wallets talk to.
import { Throttle } from '../../platform/limits/index.ts';
import type { ModuleOptions } from '../module-options.ts';
import { createRoleCredentials, ISSUANCE_LIMIT } from '../role-credentials/index.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';
import type { RoleCredentials } from './credentials.ts';

export function buildCredentialIssuing(
  core: Core,
  { accounts }: Applications,
  { issuerIdentity, credentialTypes, issuedCredentials, configurations }: RoleCredentials,
  { seal, issuer, rateLimits }: ModuleOptions,
) {
  const { deps, records, access, walletProviders } = core;
  return createRoleCredentials({
    ...deps,
    seal,
    records,
    access,
    accounts,
    types: credentialTypes,
    configurations,
    identity: issuerIdentity,
    issued: issuedCredentials,
    walletProviders,
    limit: new Throttle(rateLimits ? ISSUANCE_LIMIT : undefined, deps.clock),
    issuer,
  });
}

export type CredentialIssuing = ReturnType<typeof buildCredentialIssuing>;
