// Credentials about roles: who issues them, their types, and what was issued.
import { createIssuedCredentials } from '../issued-credentials/index.ts';
import { createIssuerIdentity } from '../issuer/index.ts';
import type { ModuleOptions } from '../module-options.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';

/** The issuer of credentials about roles, the types of these, and what was issued. */
export function buildRoleCredentials(
  { deps, credentialTypes }: Core,
  { managers, userPermissions }: Applications,
  { seal, issuer }: ModuleOptions,
) {
  const issuerIdentity = createIssuerIdentity({ ...deps, seal, issuer });
  const issuedCredentials = createIssuedCredentials({
    ...deps,
    managers,
    userPermissions,
    credentialTypes,
    signer: issuerIdentity,
    issuer,
  });
  return { issuerIdentity, credentialTypes, issuedCredentials };
}

export type RoleCredentials = ReturnType<typeof buildRoleCredentials>;
