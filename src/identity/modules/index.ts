// Builds the modules of the identity service in order. Each module is a function of its dependencies.

import { seconds } from '../../platform/clock.ts';
import { createEndpointFilter } from '../catalog/endpoint-filter/index.ts';
import { createLimits } from '../catalog/limits/index.ts';
import { createPolicies } from '../catalog/policies/index.ts';
import { createCatalog } from '../catalog/services/index.ts';
import { createDomainConfig } from '../directory/domain-config/index.ts';
import { createAssignments, createUserScopes, reachableProjectIds } from '../directory/grants/index.ts';
import { createDomains, createProjects, createTags } from '../directory/projects/index.ts';
import { createImpliedRoles, createRoles } from '../directory/roles/index.ts';
import { createSubject } from '../directory/two-factor/index.ts';
import type { Database } from '../ground/database/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createRevokeEvents } from '../login/revoke-events/index.ts';
import { createSecondProof, createTokenText } from '../login/tokens/index.ts';
import { createUserSessions } from '../openid/sessions/index.ts';
import { createAccessQuestions } from '../operations/access-questions/index.ts';
import { createAdministration } from '../operations/administration/index.ts';
import { createReseal } from '../operations/jobs/index.ts';
import { createRegistration } from '../provisioning/registration/index.ts';
import { createConnections, createScim } from '../provisioning/scim/index.ts';
import type { IdentityRouteDeps } from '../routes.ts';
import { buildApplications } from './applications.ts';
import { buildCore } from './core.ts';
import { buildCredentialIssuing } from './credential-issuing.ts';
import { buildRoleCredentials } from './credentials.ts';
import { buildInvitations, buildPeople } from './people.ts';
import { buildSignIn } from './sign-in.ts';

export async function buildModules(db: Database, options: ModuleOptions) {
  const core = await buildCore(db, options);
  const { deps, users, tokens, revocations, shield, freshLogin, devices, tokenKeys, records, registrationKeys, gate } = core;
  const reseal = createReseal(db, deps.change, options.seal);
  const directory = core.directories.guard;
  const applications = buildApplications(core, options);
  const roleCredentials = buildRoleCredentials(core, applications, options);
  const { consumers, appRoles, delegation } = applications;
  const { groups, grants, appAssignments, invitations, acceptance } = buildInvitations(core, applications, options);
  const people = { ...buildPeople(core, options), acceptance };
  const credentialIssuing = buildCredentialIssuing(core, applications, roleCredentials, options);
  const signIn = buildSignIn(core, applications, people, { ...roleCredentials, ...credentialIssuing }, options);
  const { factor, passkeys, passkeyPolicy, credentials, auth, openid, federation } = signIn;
  const domains = createDomains(deps);
  const projects = createProjects({ ...deps, domains });
  const limits = createLimits(deps);
  await limits.checkProjectTree();
  const connections = createConnections({ ...deps, provisioner: delegation.provisioner });
  const parts: IdentityRouteDeps = {
    ...deps,
    accessQuestions: createAccessQuestions({ ...deps, ...core, sees: appAssignments.sees }),
    tokens,
    users,
    shield,
    accountDeletion: core.accountDeletion,
    auth,
    tokenText: createTokenText(db, { ...deps, serviceProviders: federation.serviceProviders.enabled }),
    revocations,
    revokeEvents: createRevokeEvents(deps),
    domains,
    projects,
    tags: createTags(deps),
    registration: createRegistration({ ...deps, users, projects, gate, keys: registrationKeys }),
    invitations,
    groups,
    roles: createRoles(deps),
    implied: createImpliedRoles(deps),
    grants,
    assignments: createAssignments(deps),
    userScopes: createUserScopes(deps),
    ...createCatalog(deps),
    domainConfig: createDomainConfig({ ...deps, seal: options.seal }),
    endpointFilter: createEndpointFilter(deps),
    policies: createPolicies(deps),
    limits,
    consumers,
    appRoles,
    appAssignments,
    factor,
    devices,
    subject: createSubject({ db, users, freshLogin }),
    provesSecond: createSecondProof({ factor, credentials }),
    passkeys,
    userSessions: createUserSessions({ ...deps, records, shield, federation }),
    credentials,
    applicationCredentials: signIn.applicationCredentials,
    trusts: signIn.trusts,
    ec2Credentials: signIn.ec2Credentials,
    signatureExchange: signIn.signatureExchange,
    oauth1Consumers: signIn.oauth1.consumers,
    oauth1Tokens: signIn.oauth1.tokens,
    oauth1AccessTokens: signIn.oauth1.accessTokens,
    scim: createScim({ ...deps, users, groups, projects, directory }),
    connections,
    auditEvents: applications.auditEvents,
    administration: createAdministration({
      ...deps,
      ...options,
      lastReadings: core.directories.lastReadings,
      tokenKeys,
      openidKeys: openid.keys,
      issuerKeys: roleCredentials.issuerIdentity.keys,
      freshLogin,
      reseal,
    }),
    ...roleCredentials,
    federation,
    openid,
    ...roleCredentials.issuedCredentials.parts,
    roleCredentials: credentialIssuing,
    projectIdsOf: (userId) => reachableProjectIds(db.read, userId, seconds(deps.clock)),
  };

  return {
    ...core,
    ...roleCredentials,
    parts,
    connections,
    openid,
    federation,
    passkeyPolicy,
    walletSignIn: signIn.walletSignIn,
    peopleSettled: people.peopleSettled,
    reseal,
  };
}
