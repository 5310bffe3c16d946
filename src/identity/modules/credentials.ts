// Credentials about roles: who issues them, their types, and what was issued.
import { seconds } from '../../platform/clock.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createIssuedCredentials } from '../role-credentials/issued/index.ts';
import { createIssuerIdentity, readBroughtKey } from '../role-credentials/issuer/index.ts';
import { createConfigurations } from '../role-credentials/issuing/index.ts';
import {
  createCredentialTargets,
  createCredentialTypeManagement,
  createPublishedTypes,
} from '../role-credentials/types/index.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';

/** The issuer of credentials about roles, the types of these, and what was issued. */
export function buildRoleCredentials(
  { deps, credentialTypes, records, walletProviders }: Core,
  { managers, userPermissions }: Applications,
  { seal, issuer }: ModuleOptions,
) {
  const { clock, config, log } = deps;
  const brought = readBroughtKey(config, { now: seconds(clock), log });
  const issuerIdentity = createIssuerIdentity({ ...deps, seal, issuer, brought });
  const issuedCredentials = createIssuedCredentials({
    ...deps,
    managers,
    userPermissions,
    credentialTypes,
    signer: issuerIdentity,
    async onWithdrawn(transaction, { user_id: userId, client_id: clientId }, by) {
      await records.endWalletSessions(transaction, userId);
      // By all its authorizations, a wallet of a provider could get the next one. Others are not authorized beyond some minutes.
      if (by === 'holder' && clientId !== null && walletProviders.wallet(clientId))
        await records.endWallet(transaction, userId, clientId);
    },
    issuer,
  });
  const credentialTypeManagement = createCredentialTypeManagement({
    ...deps,
    managers,
    userPermissions,
    signsDocuments: issuerIdentity.signsDocuments,
  });
  const credentialTargets = createCredentialTargets({ ...deps, managers });
  const publishedTypes = createPublishedTypes({ ...deps, issuerIdentity, credentialTypes, language: config.mailLanguage });
  const configurations = createConfigurations({ types: credentialTypes, isHaip: config.haip });
  const managed = { credentialTypeManagement, credentialTargets, publishedTypes };
  return { issuerIdentity, credentialTypes, issuedCredentials, ...managed, configurations };
}

export type RoleCredentials = ReturnType<typeof buildRoleCredentials>;
