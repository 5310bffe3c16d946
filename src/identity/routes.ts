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

/** The dependencies of all routes. */
export type IdentityRouteDeps = Parameters<typeof mountAuth>[1] &
  Parameters<typeof mountAccessQuestions>[1] &
  Parameters<typeof mountDomains>[1] &
  Parameters<typeof mountProjects>[1] &
  Parameters<typeof mountTags>[1] &
  Parameters<typeof mountUsers>[1] &
  Parameters<typeof mountAccountDeletion>[1] &
  Parameters<typeof mountRegistration>[1] &
  Parameters<typeof mountInvitations>[1] &
  Parameters<typeof mountGroups>[1] &
  Parameters<typeof mountRoles>[1] &
  Parameters<typeof mountImpliedRoles>[1] &
  Parameters<typeof mountGrants>[1] &
  Parameters<typeof mountAssignments>[1] &
  Parameters<typeof mountDiscovery>[1] &
  Parameters<typeof mountCatalog>[1] &
  Parameters<typeof mountDomainConfig>[1] &
  Parameters<typeof mountEndpointFilter>[1] &
  Parameters<typeof mountPolicies>[1] &
  Parameters<typeof mountLimits>[1] &
  Parameters<typeof mountConsumers>[1] &
  Parameters<typeof mountAppRoles>[1] &
  Parameters<typeof mountPermissions>[1] &
  Parameters<typeof mountAppAssignments>[1] &
  Parameters<typeof mountAllowed>[1] &
  Parameters<typeof mountTwoFactor>[1] &
  Parameters<typeof mountDevices>[1] &
  Parameters<typeof mountPasskeys>[1] &
  Parameters<typeof mountUserSessions>[1] &
  Parameters<typeof mountImpact>[1] &
  Parameters<typeof mountCredentials>[1] &
  Parameters<typeof mountEc2Credentials>[1] &
  Parameters<typeof mountSignatureExchange>[1] &
  Parameters<typeof mountOauth2Token>[1] &
  Parameters<typeof mountRevokeEvents>[1] &
  Parameters<typeof mountApplicationCredentials>[1] &
  Parameters<typeof mountTrusts>[1] &
  Parameters<typeof mountOAuth1>[1] &
  Parameters<typeof mountFederation>[1] &
  Parameters<typeof mountIssuedCredentials>[1] &
  Parameters<typeof mountStatusLists>[1] &
  Parameters<typeof mountIssuer>[1] &
  Parameters<typeof mountCredentialTypes>[1] &
  Parameters<typeof mountScim>[1] &
  Parameters<typeof mountKeyrockScim>[1] &
  Parameters<typeof mountConnections>[1] &
  Parameters<typeof mountAuditEvents>[1] &
  Parameters<typeof mountAdministration>[1] &
  Parameters<typeof mountIntrospection>[1] &
  Parameters<typeof mountApplicationGrants>[1] &
  Parameters<typeof mountSignInAttempts>[1] &
  Parameters<typeof mountCredentialIssuer>[1] &
  Parameters<typeof mountCredentialOffers>[1] &
  Parameters<typeof mountKeyrockOAuth>[1];

export function mountIdentity(app: IdentityApp, parts: IdentityRouteDeps): void {
  mountDiscovery(app, parts);
  mountAuth(app, parts);
  mountAccessQuestions(app, parts);
  mountDomains(app, parts);
  mountProjects(app, parts);
  mountTags(app, parts);
  mountUsers(app, parts);
  mountAccountDeletion(app, parts);
  mountRegistration(app, parts);
  mountInvitations(app, parts);
  mountGroups(app, parts);
  mountRoles(app, parts);
  mountImpliedRoles(app, parts);
  mountGrants(app, parts);
  mountAssignments(app, parts);
  mountCatalog(app, parts);
  mountDomainConfig(app, parts);
  mountEndpointFilter(app, parts);
  mountPolicies(app, parts);
  mountLimits(app, parts);
  mountConsumers(app, parts);
  mountAppRoles(app, parts);
  mountPermissions(app, parts);
  mountAppAssignments(app, parts);
  mountAllowed(app, parts);
  mountTwoFactor(app, parts);
  mountDevices(app, parts);
  mountPasskeys(app, parts);
  mountUserSessions(app, parts);
  mountImpact(app, parts);
  mountCredentials(app, parts);
  mountEc2Credentials(app, parts);
  mountSignatureExchange(app, parts);
  mountOauth2Token(app, parts);
  mountRevokeEvents(app, parts);
  mountApplicationCredentials(app, parts);
  mountTrusts(app, parts);
  mountOAuth1(app, parts);
  mountFederation(app, parts);
  mountIssuedCredentials(app, parts);
  mountStatusLists(app, parts);
  mountIssuer(app, parts);
  mountCredentialTypes(app, parts);
  mountScim(app, parts);
  mountKeyrockScim(app, parts);
  mountConnections(app, parts);
  mountApplicationGrants(app, parts);
  mountSignInAttempts(app, parts);
  mountKeyrockOAuth(app, parts);
  mountIntrospection(app, parts);
  mountAuditEvents(app, parts);
  mountAdministration(app, parts);
  mountCredentialIssuer(app, parts);
  mountCredentialOffers(app, parts);
}
