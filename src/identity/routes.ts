// All routes of the identity service. The OpenAPI document is generated from this list without starting the service.

import type { IdentityApp } from './access/rules/index.ts';
import { mountAllowed, mountAppAssignments, mountAppRoles, mountPermissions } from './applications/app-roles/index.ts';
import { mountClientRegistration, mountRegisteredApplications } from './applications/client-registration/index.ts';
import { mountConsumers } from './applications/consumers/index.ts';
import { mountDiscovery } from './catalog/discovery/index.ts';
import { mountEndpointFilter } from './catalog/endpoint-filter/index.ts';
import { mountLimits } from './catalog/limits/index.ts';
import { mountPolicyAssociations } from './catalog/policies/index.ts';
import { mountApplicationCredentials } from './delegation/application-credentials/index.ts';
import { mountCredentials, mountEc2Credentials } from './delegation/credentials/index.ts';
import { mountDelegatedAccess } from './delegation/delegated-access/index.ts';
import { mountOAuth1 } from './delegation/oauth1/index.ts';
import { mountTrusts } from './delegation/trusts/index.ts';
import { mountDomainConfig, mountEffectiveSettings } from './directory/domain-config/index.ts';
import { mountAssignments, mountGrants } from './directory/grants/index.ts';
import { mountGroups } from './directory/groups/index.ts';
import { mountDirectories } from './directory/ldap/index.ts';
import { mountLocks } from './directory/locks/index.ts';
import { mountPasskeys } from './directory/passkeys/index.ts';
import { mountDomains, mountProjects, mountTags } from './directory/projects/index.ts';
import { mountImpliedRoles, mountRoles } from './directory/roles/index.ts';
import { mountDevices, mountTwoFactor } from './directory/two-factor/index.ts';
import { mountUsers } from './directory/users/index.ts';
import { mountSignatureExchange } from './login/ec2/index.ts';
import { mountFederation } from './login/federation/index.ts';
import { mountRevokeEvents } from './login/revoke-events/index.ts';
import { mountAuth, mountOauth2Token } from './login/tokens/index.ts';
import { mountNouns } from './nouns.ts';
import { mountApplicationGrants } from './openid/application-grants/index.ts';
import { mountKeyrockOAuth } from './openid/keyrock/index.ts';
import { mountIntrospection } from './openid/provider/index.ts';
import { mountUserSessions } from './openid/sessions/index.ts';
import { mountSignInAttempts } from './openid/sign-in-attempts/index.ts';
import { mountAccessQuestions } from './operations/access-questions/index.ts';
import { mountAdministration } from './operations/administration/index.ts';
import { mountAuditEvents } from './operations/audit-events/index.ts';
import { mountImpact } from './operations/impact/index.ts';
import { mountDomainLook, mountLook } from './operations/look/index.ts';
import { mountMailTexts } from './operations/mail-texts/index.ts';
import { mountReplicas } from './operations/replicas/index.ts';
import { mountServiceSettings } from './operations/service-settings/index.ts';
import { mountSignInPreview } from './operations/sign-in-preview/index.ts';
import { mountAccountDeletion } from './provisioning/account-deletion/index.ts';
import { mountImports } from './provisioning/import/index.ts';
import { mountInvitations } from './provisioning/invitations/index.ts';
import { mountRegistration, mountWaiting } from './provisioning/registration/index.ts';
import { mountConnections, mountKeyrockScim, mountScim } from './provisioning/scim/index.ts';
import { mountIssuedCredentials, mountStatusLists } from './role-credentials/issued/index.ts';
import { mountIssuer } from './role-credentials/issuer/index.ts';
import { mountCredentialIssuer, mountCredentialOffers } from './role-credentials/issuing/index.ts';
import { mountCredentialTypes } from './role-credentials/types/index.ts';

const MOUNTS = [
  mountDiscovery,
  mountAuth,
  mountAccessQuestions,
  mountDomains,
  mountProjects,
  mountTags,
  mountUsers,
  mountLocks,
  mountAccountDeletion,
  mountRegistration,
  mountWaiting,
  mountInvitations,
  mountImports,
  mountGroups,
  mountRoles,
  mountImpliedRoles,
  mountGrants,
  mountAssignments,
  mountNouns,
  mountDomainConfig,
  mountEffectiveSettings,
  mountDirectories,
  mountEndpointFilter,
  mountPolicyAssociations,
  mountLimits,
  mountConsumers,
  mountRegisteredApplications,
  mountClientRegistration,
  mountAppRoles,
  mountPermissions,
  mountAppAssignments,
  mountAllowed,
  mountTwoFactor,
  mountDevices,
  mountPasskeys,
  mountUserSessions,
  mountImpact,
  mountSignInPreview,
  mountCredentials,
  mountEc2Credentials,
  mountSignatureExchange,
  mountOauth2Token,
  mountRevokeEvents,
  mountApplicationCredentials,
  mountTrusts,
  mountDelegatedAccess,
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
  mountReplicas,
  mountServiceSettings,
  mountLook,
  mountDomainLook,
  mountMailTexts,
  mountCredentialIssuer,
  mountCredentialOffers,
] as const;

/** What all of them need together. */
export type IdentityRouteDeps = (typeof MOUNTS)[number] extends (app: IdentityApp, modules: infer Modules) => void
  ? Modules
  : never;

export function mountIdentity(app: IdentityApp, modules: IdentityRouteDeps): void {
  for (const mount of MOUNTS) mount(app, modules);
}
