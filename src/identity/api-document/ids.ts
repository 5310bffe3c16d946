// Ids of operations where method and path make a bad one. They are names of functions in generated clients: never change one.

const GRANTEES = ['user', 'group'] as const;
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** `PUT /v3/projects/:project_id/users/:user_id/roles/:role_id` is grantRoleToUserOnProject. */
function grantIds(): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const grantee of GRANTEES)
    for (const target of ['project', 'domain', 'system'] as const) {
      const path = target === 'system' ? '/system' : `/${target}s/:${target}_id`;
      const list = `${path}/${grantee}s/:${grantee}_id/roles`;
      const name = (where: string) => ({ of: `Of${capital(grantee)}${where}`, to: `To${capital(grantee)}${where}` });
      const add = (many: string, one: string, { of, to }: { of: string; to: string }): void => {
        ids[`GET ${many}`] = `listRoles${of}`;
        ids[`PUT ${one}`] = `grantRole${to}`;
        ids[`GET ${one}`] = `checkRole${of}`;
        ids[`DELETE ${one}`] = `revokeRole${of}`;
      };
      add(`/v3${list}`, `/v3${list}/:role_id`, name(`On${capital(target)}`));
      if (target !== 'system')
        add(
          `/v3/OS-INHERIT${list}/inherited_to_projects`,
          `/v3/OS-INHERIT${list}/:role_id/inherited_to_projects`,
          name(`Below${capital(target)}`),
        );
    }
  return ids;
}

/** `PUT /v3/policies/:policy_id/OS-ENDPOINT-POLICY/services/:service_id` is usePolicyForService. */
function policyIds(): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const [path, name] of [
    ['endpoints/:endpoint_id', 'Endpoint'],
    ['services/:service_id', 'Service'],
    ['services/:service_id/regions/:region_id', 'ServiceInRegion'],
  ] as const) {
    const whole = `/v3/policies/:policy_id/OS-ENDPOINT-POLICY/${path}`;
    ids[`PUT ${whole}`] = `usePolicyFor${name}`;
    ids[`GET ${whole}`] = `checkPolicyFor${name}`;
    ids[`DELETE ${whole}`] = `endPolicyFor${name}`;
  }
  return ids;
}

const implied = '/v3/roles/:prior_role_id/implies';
const ofUser = '/v3/OS-ROLES/users/:user_id';
const ofOrganization = '/v3/OS-ROLES/organizations/:organization_id';

export const IDS: Readonly<Record<string, string>> = {
  ...grantIds(),
  'GET /v3/OS-TRUST/trusts': 'listTrusts',
  'POST /v3/OS-TRUST/trusts': 'createTrust',
  'GET /v3/OS-TRUST/trusts/:trust_id': 'getTrust',
  'DELETE /v3/OS-TRUST/trusts/:trust_id': 'deleteTrust',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles': 'listRolesOfTrust',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles/:role_id': 'getRoleOfTrust',
  ...policyIds(),
  'PUT /v3/domains/:domain_id/config': 'replaceDomainConfig',
  'GET /v3/domains/:domain_id/config': 'getDomainConfig',
  'PATCH /v3/domains/:domain_id/config': 'updateDomainConfig',
  'DELETE /v3/domains/:domain_id/config': 'deleteDomainConfig',
  'GET /v3/domains/:domain_id/config/:group': 'getDomainConfigGroup',
  'PATCH /v3/domains/:domain_id/config/:group': 'updateDomainConfigGroup',
  'DELETE /v3/domains/:domain_id/config/:group': 'deleteDomainConfigGroup',
  'GET /v3/domains/:domain_id/config/:group/:option': 'getDomainConfigOption',
  'PATCH /v3/domains/:domain_id/config/:group/:option': 'updateDomainConfigOption',
  'DELETE /v3/domains/:domain_id/config/:group/:option': 'deleteDomainConfigOption',
  'GET /v3/domains/config/default': 'getDefaultDomainConfig',
  'GET /v3/domains/config/:group/default': 'getDefaultDomainConfigGroup',
  'GET /v3/domains/config/:group/:option/default': 'getDefaultDomainConfigOption',
  'GET /v3/domains/:domain_id/config/security_compliance': 'getSecurityCompliance',
  'GET /v3/domains/:domain_id/config/security_compliance/:option': 'getSecurityComplianceOption',
  'GET /v3/OS-EP-FILTER/endpoint_groups': 'listEndpointGroups',
  'POST /v3/OS-EP-FILTER/endpoint_groups': 'createEndpointGroup',
  'GET /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id': 'getEndpointGroup',
  'PATCH /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id': 'updateEndpointGroup',
  'DELETE /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id': 'deleteEndpointGroup',
  'GET /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/endpoints': 'listEndpointsInGroup',
  'GET /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects': 'listProjectsOfEndpointGroup',
  'PUT /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id': 'addEndpointGroupToProject',
  'GET /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id': 'checkEndpointGroupInProject',
  'DELETE /v3/OS-EP-FILTER/endpoint_groups/:endpoint_group_id/projects/:project_id': 'removeEndpointGroupFromProject',
  'GET /v3/OS-EP-FILTER/projects/:project_id/endpoint_groups': 'listEndpointGroupsOfProject',
  'GET /v3/OS-EP-FILTER/projects/:project_id/endpoints': 'listEndpointsOfProject',
  'PUT /v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id': 'addEndpointToProject',
  'GET /v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id': 'checkEndpointInProject',
  'DELETE /v3/OS-EP-FILTER/projects/:project_id/endpoints/:endpoint_id': 'removeEndpointFromProject',
  'GET /v3/OS-EP-FILTER/endpoints/:endpoint_id/projects': 'listProjectsOfEndpoint',
  'GET /v3/policies': 'listPolicies',
  'POST /v3/policies': 'createPolicy',
  'GET /v3/policies/:policy_id': 'getPolicy',
  'PATCH /v3/policies/:policy_id': 'updatePolicy',
  'DELETE /v3/policies/:policy_id': 'deletePolicy',
  'GET /v3/policies/:policy_id/OS-ENDPOINT-POLICY/endpoints': 'listEndpointsOfPolicy',
  'GET /v3/endpoints/:endpoint_id/OS-ENDPOINT-POLICY/policy': 'getPolicyOfEndpoint',
  'GET /openapi.json': 'getApiDocument',
  'GET /openapi': 'showApiDocument',
  'GET /': 'listVersions',
  'GET /v3': 'getVersion',
  'GET /account': 'showAccountPage',
  'GET /openid/authorize': 'startSignIn',
  'POST /openid/authorize': 'startSignInByForm',
  'GET /openid/device': 'showDevicePage',
  'POST /openid/device/authorize': 'startDeviceSignIn',
  'POST /openid/introspect': 'introspectToken',
  'GET /openid/jwks': 'listPublicKeys',
  'GET /openid/logout': 'startLogout',
  'POST /openid/logout': 'startLogoutByForm',
  'POST /openid/par': 'pushAuthorizationRequest',
  'POST /openid/revoke': 'revokeOpenidToken',
  'POST /openid/token': 'getOpenidTokens',
  'GET /openid/userinfo': 'getUserClaims',
  'POST /openid/userinfo': 'getUserClaimsByPost',
  'GET /.well-known/oauth-authorization-server': 'getOauthMetadata',
  'GET /.well-known/openid-configuration': 'getOpenidMetadata',
  'POST /scim/v2/.search': 'searchScim',
  'POST /scim/v2/Bulk': 'runScimBulk',
  'POST /scim/v2/Users/.search': 'searchScimUsers',
  'POST /scim/v2/Groups/.search': 'searchScimGroups',
  'POST /scim/v2/Organizations/.search': 'searchScimOrganizations',
  'PUT /scim/v2/Me': 'replaceScimMe',
  'GET /v3/OS-AUDIT/counts': 'countLogins',
  'PUT /v3/OS-FEDERATION/identity_providers/:idp_id': 'createIdentityProvider',
  'PUT /v3/OS-FEDERATION/identity_providers/:idp_id/openid': 'setOpenidSettings',
  'GET /v3/OS-FEDERATION/identity_providers/:idp_id/openid': 'getOpenidSettings',
  'DELETE /v3/OS-FEDERATION/identity_providers/:idp_id/openid': 'deleteOpenidSettings',
  'PUT /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id': 'createProtocol',
  'GET /v3/OS-FEDERATION/identity_providers/:idp_id/protocols': 'listProtocols',
  'GET /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id': 'getProtocol',
  'PATCH /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id': 'updateProtocol',
  'DELETE /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id': 'deleteProtocol',
  'PUT /v3/OS-FEDERATION/mappings/:mapping_id': 'createMapping',
  'POST /v3/OS-OAUTH2/access_token': 'getKeyrockTokens',
  'GET /v3/OS-OAUTH2/authorize': 'getAuthorizationRequest',
  'POST /v3/OS-OAUTH2/authorize': 'authorizeApplication',
  'PUT /v3/OS-OAUTH2/consumers/:consumer_id/logo': 'setConsumerLogo',
  'POST /v3/OS-OAUTH2/consumers/:consumer_id/secret': 'rotateConsumerSecret',
  'DELETE /v3/OS-OAUTH2/consumers/:consumer_id/secret/previous': 'endPreviousConsumerSecret',
  'POST /v3/OS-OAUTH2/consumers/:consumer_id/sign-in-attempts': 'beginSignInAttempt',
  'PATCH /v3/OS-REGISTRATION/activate/:activation_key/users/:user_id': 'activateRegisteredUser',
  'PATCH /v3/OS-REGISTRATION/reset_password/:token_id/users/:user_id': 'resetPassword',
  'POST /v3/OS-REGISTRATION/users': 'registerUser',
  'GET /v3/OS-REGISTRATION/users/:user_id/activate': 'getActivationKey',
  'GET /v3/OS-REGISTRATION/users/:user_id/reset_password': 'getResetToken',
  'GET /v3/OS-REGISTRATION/invitations': 'listInvitations',
  'POST /v3/OS-REGISTRATION/invitations': 'createInvitation',
  'GET /v3/OS-REGISTRATION/invitations/:invitation_id': 'getInvitation',
  'DELETE /v3/OS-REGISTRATION/invitations/:invitation_id': 'withdrawInvitation',
  'POST /v3/OS-REGISTRATION/invitations/:invitation_id/resend': 'resendInvitation',
  'GET /v3/OS-ROLES/organizations/role_assignments': 'listOrganizationAppAssignments',
  'GET /v3/OS-ROLES/users/role_assignments': 'listUserAppAssignments',
  [`GET ${ofOrganization}/applications/allowed`]: 'listApplicationsOfOrganization',
  [`GET ${ofOrganization}/applications/allowed_roles`]: 'listRoleApplicationsOfOrganization',
  [`GET ${ofOrganization}/roles/allowed`]: 'listAssignableRolesOfOrganization',
  [`PUT ${ofOrganization}/applications/:application_id/roles/:role_id`]: 'addAppRoleToOrganization',
  [`DELETE ${ofOrganization}/applications/:application_id/roles/:role_id`]: 'removeAppRoleFromOrganization',
  [`GET ${ofUser}/applications/:application_id/explanation`]: 'explainAppPermissions',
  [`GET ${ofUser}/applications/:application_id/permissions`]: 'getUserPermissions',
  [`PUT ${ofUser}/applications/:application_id/roles/:role_id`]: 'addAppRoleToUser',
  [`DELETE ${ofUser}/applications/:application_id/roles/:role_id`]: 'removeAppRoleFromUser',
  [`GET ${ofUser}/organizations/:organization_id/applications/allowed`]: 'listApplicationsOfUser',
  [`GET ${ofUser}/organizations/:organization_id/applications/allowed_roles`]: 'listRoleApplicationsOfUser',
  [`GET ${ofUser}/organizations/:organization_id/roles/allowed`]: 'listAssignableRolesOfUser',
  [`PUT ${ofUser}/organizations/:organization_id/applications/:application_id/roles/:role_id`]: 'addAppRoleToUserIn',
  [`DELETE ${ofUser}/organizations/:organization_id/applications/:application_id/roles/:role_id`]: 'removeAppRoleFromUserIn',
  'GET /v3/OS-ROLES/permissions': 'listPermissions',
  'POST /v3/OS-ROLES/permissions': 'createPermission',
  'GET /v3/OS-ROLES/permissions/:permission_id': 'getPermission',
  'PATCH /v3/OS-ROLES/permissions/:permission_id': 'updatePermission',
  'DELETE /v3/OS-ROLES/permissions/:permission_id': 'deletePermission',
  'PUT /v3/OS-ROLES/roles/:role_id/permissions/:permission_id': 'addPermissionToAppRole',
  'DELETE /v3/OS-ROLES/roles/:role_id/permissions/:permission_id': 'removePermissionFromAppRole',
  'GET /v3/OS-SCIM/connections': 'listScimConnections',
  'POST /v3/OS-SCIM/connections': 'createScimConnection',
  'GET /v3/OS-SCIM/connections/:connection_id': 'getScimConnection',
  'DELETE /v3/OS-SCIM/connections/:connection_id': 'deleteScimConnection',
  'GET /v3/OS-SCIM/connections/:connection_id/requests': 'listScimConnectionRequests',
  'GET /v3/OS-SERVICE/backups': 'getBackupState',
  'POST /v3/OS-SERVICE/keys/:kind/rotate': 'rotateServiceKeys',
  'POST /v3/OS-TWO-FACTOR/devices': 'rememberDevice',
  'HEAD /v3/OS-TWO-FACTOR/devices': 'checkDevice',
  'HEAD /v3/OS-TWO-FACTOR/two_factor_auth': 'checkTwoFactor',
  'GET /v3/access-tokens/:token': 'getUserOfAccessToken',
  'GET /v3/auth/OS-ACCESS/allowed': 'listAllowedRules',
  'GET /v3/auth/system': 'listAuthSystem',
  'POST /v3/auth/tokens': 'logIn',
  'GET /v3/auth/tokens': 'validateToken',
  'HEAD /v3/auth/tokens': 'checkToken',
  'DELETE /v3/auth/tokens': 'revokeToken',
  'PUT /v3/groups/:group_id/users/:user_id': 'addUserToGroup',
  'GET /v3/groups/:group_id/users/:user_id': 'checkUserInGroup',
  'DELETE /v3/groups/:group_id/users/:user_id': 'removeUserFromGroup',
  'PUT /v3/projects/:project_id/tags': 'setProjectTags',
  'PUT /v3/projects/:project_id/tags/:tag': 'addProjectTag',
  'PUT /v3/regions/:region_id': 'createRegionWithId',
  'POST /v3/registered_limits': 'createRegisteredLimits',
  'GET /v3/limits/model': 'getLimitModel',
  'POST /v3/limits': 'createLimits',
  [`GET ${implied}`]: 'listImpliedRoles',
  [`GET ${implied}/:implied_role_id`]: 'getImpliedRole',
  [`HEAD ${implied}/:implied_role_id`]: 'checkImpliedRole',
  [`PUT ${implied}/:implied_role_id`]: 'createImpliedRole',
  [`DELETE ${implied}/:implied_role_id`]: 'deleteImpliedRole',
  'GET /v3/users/:user_id/credentials/OS-EC2': 'listEc2Credentials',
  'POST /v3/users/:user_id/credentials/OS-EC2': 'createEc2Credential',
  'GET /v3/users/:user_id/credentials/OS-EC2/:credential_id': 'getEc2Credential',
  'DELETE /v3/users/:user_id/credentials/OS-EC2/:credential_id': 'deleteEc2Credential',
  'POST /v3/ec2tokens': 'exchangeEc2Signature',
  'POST /v3/s3tokens': 'exchangeS3Signature',
  'GET /v3/users/:user_id/OS-ACCESS/explanation': 'explainAccess',
  'DELETE /v3/users/:user_id/OS-ACCOUNT/deletion': 'cancelAccountDeletion',
  'GET /v3/users/:user_id/OS-ACCOUNT/deletion': 'getAccountDeletion',
  'GET /v3/users/:user_id/OS-IMPACT/deletion': 'getImpactOfUserDeletion',
  'GET /v3/groups/:group_id/OS-IMPACT/deletion': 'getImpactOfGroupDeletion',
  'GET /v3/roles/:role_id/OS-IMPACT/deletion': 'getImpactOfRoleDeletion',
  'GET /v3/projects/:project_id/OS-IMPACT/deletion': 'getImpactOfProjectDeletion',
  'GET /v3/domains/:domain_id/OS-IMPACT/deletion': 'getImpactOfDomainDeletion',
  'GET /v3/OS-OAUTH2/consumers/:consumer_id/OS-IMPACT/deletion': 'getImpactOfConsumerDeletion',
  'POST /v3/users/:user_id/OS-PASSWORD/expire': 'expirePassword',
  'DELETE /v3/users/:user_id/OS-SESSIONS/sessions': 'endUserSessions',
  'DELETE /v3/users/:user_id/OS-SESSIONS/sessions/:session_id': 'endUserSession',
  'POST /v3/users/:user_id/OS-TWO-FACTOR/recovery_codes': 'createRecoveryCodes',
  'HEAD /v3/users/:user_id/OS-TWO-FACTOR/sec_question': 'checkSecurityQuestion',
  'GET /v3/users/:user_id/OS-TWO-FACTOR/two_factor_auth': 'getTwoFactor',
  'POST /v3/users/:user_id/OS-TWO-FACTOR/two_factor_auth': 'enableTwoFactor',
  'DELETE /v3/users/:user_id/OS-TWO-FACTOR/two_factor_auth': 'disableTwoFactor',
  'GET /v3/users/:user_id/OS-TWO-FACTOR/two_factor_data': 'getTwoFactorData',
  'POST /v3/users/:user_id/password': 'changeOwnPassword',
};
