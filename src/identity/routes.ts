// All routes of the identity service. The OpenAPI document is generated from this list without starting the service.

import type { IdentityApp } from './access/index.ts';
import { mountAccessQuestions } from './access-questions/index.ts';
import { mountAccountDeletion } from './account-deletion/index.ts';
import { mountAdministration } from './administration/index.ts';
import { mountAllowed, mountAppAssignments, mountAppRoles, mountPermissions } from './app-roles/index.ts';
import { mountApplicationCredentials } from './application-credentials/index.ts';
import { mountAuditEvents } from './audit-events/index.ts';
import { mountCatalog } from './catalog/index.ts';
import { mountConsumers } from './consumers/index.ts';
import { mountCredentialTypes } from './credential-types/index.ts';
import { mountCredentials, mountEc2Credentials } from './credentials/index.ts';
import { mountDiscovery } from './discovery/index.ts';
import { mountDomainConfig } from './domain-config/index.ts';
import { mountSignatureExchange } from './ec2/index.ts';
import { mountEndpointFilter } from './endpoint-filter/index.ts';
import { mountFederation } from './federation/index.ts';
import { mountAssignments, mountGrants } from './grants/index.ts';
import { mountGroups } from './groups/index.ts';
import { mountImpact } from './impact/index.ts';
import { mountInvitations } from './invitations/index.ts';
import { mountIssuedCredentials, mountStatusLists } from './issued-credentials/index.ts';
import { mountIssuer } from './issuer/index.ts';
import { mountLimits } from './limits/index.ts';
import { mountOAuth1 } from './oauth1/index.ts';
import {
  mountApplicationGrants,
  mountIntrospection,
  mountKeyrockOAuth,
  mountSignInAttempts,
  mountUserSessions,
} from './openid/index.ts';
import { mountPasskeys } from './passkeys/index.ts';
import { mountPolicies } from './policies/index.ts';
import { mountDomains, mountProjects, mountTags } from './projects/index.ts';
import { mountRegistration } from './registration/index.ts';
import { mountRevokeEvents } from './revoke-events/index.ts';
import { mountCredentialIssuer, mountCredentialOffers } from './role-credentials/index.ts';
import { mountImpliedRoles, mountRoles } from './roles/index.ts';
import { mountConnections, mountKeyrockScim, mountScim } from './scim/index.ts';
import { mountAuth, mountOauth2Token } from './tokens/index.ts';
import { mountTrusts } from './trusts/index.ts';
import { mountDevices, mountTwoFactor } from './two-factor/index.ts';
import { mountUsers } from './users/index.ts';

const MOUNTS = [
  mountDiscovery,
  mountAuth,
  mountAccessQuestions,
  mountDomains,
  mountProjects,
  mountTags,
  mountUsers,
  mountAccountDeletion,
  mountRegistration,
  mountInvitations,
  mountGroups,
  mountRoles,
  mountImpliedRoles,
  mountGrants,
  mountAssignments,
  mountCatalog,
  mountDomainConfig,
  mountEndpointFilter,
  mountPolicies,
  mountLimits,
  mountConsumers,
  mountAppRoles,
  mountPermissions,
  mountAppAssignments,
  mountAllowed,
  mountTwoFactor,
  mountDevices,
  mountPasskeys,
  mountUserSessions,
  mountImpact,
  mountCredentials,
  mountEc2Credentials,
  mountSignatureExchange,
  mountOauth2Token,
  mountRevokeEvents,
  mountApplicationCredentials,
  mountTrusts,
  mountOAuth1,
  mountFederation,
  mountIssuedCredentials,
  mountStatusLists,
  mountIssuer,
  mountCredentialTypes,
  mountScim,
  mountKeyrockScim,
  mountConnections,
  mountApplicationGrants,
  mountSignInAttempts,
  mountKeyrockOAuth,
  mountIntrospection,
  mountAuditEvents,
  mountAdministration,
  mountCredentialIssuer,
  mountCredentialOffers,
] as const;

/** What all of them need together. */
export type IdentityRouteDeps = (typeof MOUNTS)[number] extends (app: IdentityApp, parts: infer Parts) => void ? Parts : never;

export function mountIdentity(app: IdentityApp, parts: IdentityRouteDeps): void {
  for (const mount of MOUNTS) mount(app, parts);
}
