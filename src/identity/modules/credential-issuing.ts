// The credential issuer: what wallets talk to.
import { Throttle } from '../../platform/limits/index.ts';
import { findUser } from '../directory/users/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createWalletPolicy } from '../login/wallet-sign-in/index.ts';
import { createRoleCredentials, ISSUANCE_LIMIT } from '../role-credentials/issuing/index.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';
import type { RoleCredentials } from './credentials.ts';

export function buildCredentialIssuing(
  core: Core,
  { accounts }: Applications,
  { issuerIdentity, credentialTypes, issuedCredentials, configurations }: RoleCredentials,
  { seal, issuer, rateLimits }: ModuleOptions,
) {
  const { deps, records, access, notices, walletProviders, isWallet } = core;
  const policy = createWalletPolicy(core);
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
    // Like any other new way to sign in.
    async onIssued(transaction, { userId, clientId, name }) {
      const user = isWallet(clientId) ? await findUser(transaction.tx, userId) : undefined;
      if (user && ((await policy.isAllowed(user, 'first')) || (await policy.isAllowed(user, 'second'))))
        await notices.credential(transaction, userId, name);
    },
  });
}

export type CredentialIssuing = ReturnType<typeof buildCredentialIssuing>;
