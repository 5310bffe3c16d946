// Credentials about roles: who issues them, and their types.
import { createCredentialTypes } from '../credential-types/index.ts';
import { createIssuerIdentity } from '../issuer/index.ts';
import type { ModuleOptions } from '../module-options.ts';
import type { Core } from './core.ts';

/** The issuer of credentials about roles, and the types of these. */
export function buildRoleCredentials({ deps }: Core, { seal, issuer }: ModuleOptions) {
  const issuerIdentity = createIssuerIdentity({ ...deps, seal, issuer });
  const credentialTypes = createCredentialTypes(deps);
  return { issuerIdentity, credentialTypes };
}

export type RoleCredentials = ReturnType<typeof buildRoleCredentials>;
