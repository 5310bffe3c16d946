// Builds the modules of the identity service in order. Each module is a function of its dependencies.

import { Gate, Throttle } from '../platform/limits/index.ts';
import { createOutbound, hostPort } from '../platform/outbound/index.ts';
import { createAccess, createFreshLogin } from './access/index.ts';
import { createAccessQuestions } from './access-questions/index.ts';
import { createAccountDeletion, createCancelledDeletion } from './account-deletion/index.ts';
import { createAdministration } from './administration/index.ts';
import {
  applicationsOfUser,
  createAppAssignments,
  createAppRoles,
  createManagers,
  createShield,
  createUserPermissions,
} from './app-roles/index.ts';
import {
  applicationCredentialDelegation,
  createApplicationCredentials,
  endApplicationCredentials,
} from './application-credentials/index.ts';
import { type Change, createChanges } from './audit/index.ts';
import { createAuditEvents } from './audit-events/index.ts';
import { createCatalog } from './catalog/index.ts';
import { createConsumers } from './consumers/index.ts';
import { createCredentials } from './credentials/index.ts';
import type { Database, Reader, Tx, UserRow } from './database.ts';
import { createDirectories } from './directories/index.ts';
import { createDomainSettings } from './domain-settings/index.ts';
import { createFederation } from './federation/index.ts';
import { createAssignments, createGrants, createUserScopes, reachableProjectIds } from './grants/index.ts';
import { createGroups } from './groups/index.ts';
import {
  type AcceptInvitation,
  ATTEMPTS_LIMIT,
  createAcceptance,
  createInvitations,
  type InvitationDeps,
  MAILS_LIMIT,
} from './invitations/index.ts';
import { createReseal } from './jobs/index.ts';
import { createLinks } from './links/index.ts';
import { createLoginEvents } from './logins/index.ts';
import { createMail } from './mail/index.ts';
import type { ModuleOptions } from './module-options.ts';
import { createNotices } from './notices/index.ts';
import { createNotifications } from './notifications/index.ts';
import {
  createAccessTokens,
  createAccounts,
  createDelegation,
  createLogouts,
  createOpenid,
  createRecords,
  createUserSessions,
  UNFINISHED_LIMIT,
} from './openid/index.ts';
import { createPasskeyPolicy, createPasskeys, type PasskeyDeps, relyingPartyOf } from './passkeys/index.ts';
import { createPasswords, hasPassword } from './passwords/index.ts';
import { createEmailChange, createMailRequests, createPasswordRecovery, createSelfRegistration } from './people/index.ts';
import { createPersonalData } from './personal-data/index.ts';
import { createPictures } from './pictures/index.ts';
import { createDomains, createProjects, createTags, readProjects } from './projects/index.ts';
import { createRegistration, createRegistrationKeys } from './registration/index.ts';
import { type Deps, parseJson } from './resource/index.ts';
import { createImpliedRoles, createRoles } from './roles/index.ts';
import type { IdentityRouteDeps } from './routes.ts';
import { createConnections, createScim } from './scim/index.ts';
import {
  createAuth,
  createAuthenticate,
  createLoginCompleteness,
  createReceipts,
  createRevocations,
  createScopes,
  createSessionTokens,
  createTokenKeys,
  createTokens,
  createTokenText,
} from './tokens/index.ts';
import { createDevices, createFactor, createSubject } from './two-factor/index.ts';
import { createUsers } from './users/index.ts';

/** Limits of wrong guesses, not of requests: services that log in often with the right password are not limited. */
const GUESSES = {
  account: { attempts: 10, perSeconds: 60 },
  address: { attempts: 100, perSeconds: 60 },
};

/** What all other modules depend on: changes with audit events, access, passwords, tokens and users. */
async function buildCore(db: Database, options: ModuleOptions) {
  const { config, clock, log, seal } = options;
  const change = createChanges(db, clock);
  const domainSettings = createDomainSettings({ db, config });
  const deps: Deps = { db, clock, config, log, change };
  const gate = new Gate(options.rateLimits ? GUESSES : undefined, clock);
  const { webhookUrl, webhookSecret } = config;
  const webhook = webhookUrl && webhookSecret ? { url: webhookUrl, secret: webhookSecret } : undefined;
  const outbound = createOutbound(options.outboundAllow, options);
  const notifications = createNotifications({ ...deps, outbound, webhook });
  const { notify } = notifications;
  const mail = createMail({ ...deps, seal, dataDir: options.dataDir, issuer: options.issuer });
  const links = createLinks(deps);
  const access = createAccess(db, clock, config, { application_credential: applicationCredentialDelegation });
  const passwords = createPasswords({ ...deps, notify, gate, rateLimits: options.rateLimits });
  const tokenKeys = await createTokenKeys({ ...deps, seal, rules: config });
  const revocations = createRevocations({ ...deps, allowExpiredSeconds: config.allowExpiredSeconds });
  const tokens = createTokens({ access, keys: tokenKeys, revocations, caches: db, clock, tokenSeconds: config.tokenSeconds });
  const devices = createDevices({ ...deps, notify, gate });
  const logouts = createLogouts(deps);
  const records = createRecords({ ...deps, seal, revocations, onEnd: logouts.recordLogouts });
  const registrationKeys = createRegistrationKeys(deps);
  const revokeAccess = async (transaction: Change, userId: string): Promise<void> => {
    await devices.forgetInTransaction(transaction, userId);
    await records.endEverything(transaction, userId);
    await links.endOf(transaction, userId);
    await registrationKeys.endResets(transaction, userId);
  };
  const shield = createShield({ access });
  const freshLogin = createFreshLogin(deps);
  const logins = createLoginEvents(deps);
  const onEmailChanged = async (transaction: Change, userId: string): Promise<void> => {
    await links.endOf(transaction, userId);
    await registrationKeys.endResets(transaction, userId);
  };
  const notices = createNotices({ clock, mail });
  const endDeletion = createCancelledDeletion({ clock, mail });
  const onDisabled = async (transaction: Change, userId: string): Promise<void> => {
    await registrationKeys.endActivations(transaction, userId);
    await endApplicationCredentials(transaction, userId);
    await endDeletion(transaction, userId);
  };
  const onPasswordChanged = notices.passwordChanged;
  const listeners = { revokeAccess, onEmailChanged, onPasswordChanged, onDisabled, onEnabled: endDeletion };
  const directories = createDirectories({ ...deps, domainSettings, revokeAccess, onEmailChanged });
  const directory = directories.guard;
  const users = createUsers({ ...deps, ...listeners, passwords, access, shield, freshLogin, logins, directory });
  const accountDeletion = createAccountDeletion({ ...deps, domainSettings, users, mail });
  const personalData = createPersonalData({ ...deps, sessions: records, rateLimits: options.rateLimits });
  const pictures = createPictures(deps);
  const signedIn = {
    pictures,
    access,
    passwords,
    users,
    freshLogin,
    logins,
    devices,
    records,
    logouts,
    gate,
    registrationKeys,
    accountDeletion,
    personalData,
    directories,
    notices,
  };
  return { deps, domainSettings, outbound, notifications, mail, links, tokenKeys, revocations, tokens, shield, ...signedIn };
}

/** Applications, their roles, and their access tokens. */
function buildApplications({ deps, users, access, records, pictures }: Core, { seal, issuer }: ModuleOptions) {
  const { db, clock } = deps;
  const userPermissions = createUserPermissions(db);
  const managers = createManagers({ userPermissions, applicationsOf: (userId) => applicationsOfUser(db.read, userId) });
  const consumers = createConsumers({
    ...deps,
    seal,
    management: {
      ...managers,
      manages: (caller, id) => managers.hasPermission(caller, id, 'manage-application'),
      managedApplications: (caller) => managers.managedApplications(caller, 'manage-application'),
    },
  });
  const appRoles = createAppRoles({ ...deps, managers });
  const accounts = createAccounts({ users, userPermissions, pictures, issuer });
  const accessTokens = createAccessTokens({ db, clock, records, access, accounts, userPermissions });
  const delegation = createDelegation({ db, clock, access, accessTokens, records });
  const auditEvents = createAuditEvents({
    ...deps,
    managedApplications: (caller) => managers.managedApplications(caller, 'manage-application'),
  });
  return { auditEvents, userPermissions, consumers, appRoles, accounts, accessTokens, delegation };
}

/** What people do without an administrator. */
function buildPeople(core: Core, options: ModuleOptions) {
  const { deps, users } = core;
  const requests = createMailRequests({ ...deps, rateLimits: options.rateLimits });
  /** An account of a directory or of another provider has no password here. */
  const canResetPassword = async (user: UserRow, reader: Reader = deps.db.read): Promise<boolean> => {
    const { lock_password: isLocked } = parseJson<{ lock_password?: boolean }>(user.options);
    return isLocked !== true && !(await users.isInDirectory(user.id, reader)) && hasPassword(reader, user.id);
  };
  const passwordRecovery = createPasswordRecovery({ ...deps, ...core, requests, issuer: options.issuer, canResetPassword });
  const selfRegistration = createSelfRegistration({ ...deps, ...core, requests, issuer: options.issuer });
  const emailChange = createEmailChange({ ...deps, ...core, requests, issuer: options.issuer });
  return { passwordRecovery, selfRegistration, emailChange, peopleSettled: requests.settled };
}

/** Groups, grants and assignments, and invitations, which give them. */
function buildInvitations(core: Core, { userPermissions }: Applications, options: ModuleOptions) {
  const { deps, shield, links, mail, domainSettings, access, users, passwords } = core;
  const throttle = (limit: typeof MAILS_LIMIT) => new Throttle(options.rateLimits ? limit : undefined, deps.clock);
  const groups = createGroups({ ...deps, shield, directory: core.directories.guard });
  const grants = createGrants(deps);
  const appAssignments = createAppAssignments({ ...deps, userPermissions });
  const parts = { ...deps, domainSettings, links, mail, grants, groups, appAssignments, shield, issuer: options.issuer };
  const invitationDeps: InvitationDeps = { ...parts, mails: throttle(MAILS_LIMIT) };
  const invitations = createInvitations(invitationDeps);
  const acceptance = createAcceptance({ ...invitationDeps, access, users, passwords, attempts: throttle(ATTEMPTS_LIMIT) });
  return { groups, grants, appAssignments, invitations, acceptance };
}

/** Owners of passkeys get a mail, and sessions that began with one end when one is removed. */
const passkeyListeners = ({ notices, records }: Core): Pick<PasskeyDeps, 'onAdded' | 'onRemoved'> => ({
  onAdded: (transaction, passkey) => notices.passkey(transaction, 'passkey-added', passkey),
  async onRemoved(transaction, passkey, kept) {
    await records.endPasskeySessions(transaction, passkey.user_id, kept);
    await notices.passkey(transaction, 'passkey-removed', passkey);
  },
});

/** Logins at the base API and at the pages of the OpenID provider. */
function buildSignIn(
  core: Core,
  applications: Applications,
  people: People & { acceptance: AcceptInvitation },
  options: ModuleOptions,
) {
  const { deps, access, users, tokens, tokenKeys, freshLogin, logins, devices, gate } = core;
  const { db, clock, config } = deps;
  const { seal } = options;
  const factor = createFactor({ ...deps, ...core, ...core.notifications, seal, issuer: config.twoFactorIssuer });
  const relyingParty = () => relyingPartyOf(options.issuer(), config.twoFactorIssuer);
  const { notify } = core.notifications;
  /** A password here, or in a directory. */
  const knowsPassword = async (tx: Tx, userId: string): Promise<boolean> =>
    (await hasPassword(tx, userId)) || core.directories.guard.hasPassword(tx, userId);
  const passkeyPolicy = createPasskeyPolicy({ db, domainSettings: core.domainSettings, relyingParty });
  const federation = createFederation({
    ...deps,
    ...core,
    notify,
    seal,
    issuer: options.issuer,
    isGroupInDirectory: core.directories.guard.isGroupInDirectory,
    hashOfSession: core.records.hashOfSession,
    endSessions: core.records.endSessionsByHash,
    hasOtherWay: async (tx, userId) => (await knowsPassword(tx, userId)) || (await passkeyPolicy.hasUsable(tx, userId)),
    onLinked: (transaction, about) => core.notices.link(transaction, 'provider-linked', about),
    onUnlinked: (transaction, about) => core.notices.link(transaction, 'provider-unlinked', about),
  });
  const passkeys = createPasskeys({
    ...deps,
    notify,
    gate,
    relyingParty,
    ...passkeyListeners(core),
    hasOtherWay: async (tx, userId) => (await knowsPassword(tx, userId)) || (await federation.links.hasUsable(tx, userId)),
  });
  const credentials = createCredentials({ ...deps, users, seal, freshLogin });
  const scopes = createScopes({ db, access });
  const accessToken = applications.delegation.userAtLogin;
  const applicationCredentials = createApplicationCredentials({ ...deps, ...core });
  const authenticate = createAuthenticate({
    tokens,
    users,
    scopes,
    factor,
    devices,
    credentials,
    gate,
    accessToken,
    applicationCredential: applicationCredentials.logIn,
  });
  const receipts = createReceipts({ keys: tokenKeys, clock });
  const completeness = createLoginCompleteness({ scopes, factor, isPasskeyRequired: passkeyPolicy.isRequired });
  const auth = createAuth({
    ...deps,
    tokens,
    authenticate,
    scopes,
    receipts,
    logins,
    completeness,
    stillThere: users.stillThere,
  });
  const openid = createOpenid({
    ...deps,
    ...core,
    ...applications,
    ...people,
    seal,
    outboundTo: (address) => createOutbound([...options.outboundAllow, hostPort(address)], options),
    auth,
    sessionTokens: createSessionTokens({ tokens, scopes, completeness }),
    factor,
    federation,
    passkeys,
    passkeyPolicy,
    credentials,
    scopes,
    issuer: options.issuer,
    ensureRole: applications.appRoles.ensureRole,
    unfinished: new Throttle(options.rateLimits ? UNFINISHED_LIMIT : undefined, clock),
    organizationsOf: async (userId) => readProjects(db.read, [...(await reachableProjectIds(db.read, userId))]),
  });
  return { factor, passkeys, passkeyPolicy, credentials, applicationCredentials, auth, openid, federation, completeness };
}

type Core = Awaited<ReturnType<typeof buildCore>>;
type Applications = ReturnType<typeof buildApplications>;
type People = ReturnType<typeof buildPeople>;

export async function buildModules(db: Database, options: ModuleOptions) {
  const core = await buildCore(db, options);
  const { deps, users, tokens, revocations, shield, freshLogin, devices, tokenKeys, records, registrationKeys, gate } = core;
  const reseal = createReseal(db, deps.change, options.seal);
  const directory = core.directories.guard;
  const applications = buildApplications(core, options);
  const { consumers, appRoles, delegation } = applications;
  const { groups, grants, appAssignments, invitations, acceptance } = buildInvitations(core, applications, options);
  const people = { ...buildPeople(core, options), acceptance };
  const signIn = buildSignIn(core, applications, people, options);
  const { factor, passkeys, passkeyPolicy, credentials, auth, openid, federation, completeness } = signIn;
  const domains = createDomains(deps);
  const projects = createProjects({ ...deps, domains });
  const connections = createConnections({ ...deps, provisioner: delegation.provisioner });
  const parts: IdentityRouteDeps = {
    ...deps,
    accessQuestions: createAccessQuestions({ ...core, db, completeness, sees: appAssignments.sees }),
    tokens,
    users,
    shield,
    accountDeletion: core.accountDeletion,
    auth,
    tokenText: createTokenText(db),
    revocations,
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
    catalog: createCatalog(deps),
    consumers,
    appRoles,
    appAssignments,
    factor,
    devices,
    subject: createSubject({ db, users, freshLogin }),
    passkeys,
    userSessions: createUserSessions({ ...deps, records, shield, federation }),
    credentials,
    applicationCredentials: signIn.applicationCredentials,
    scim: createScim({ ...deps, users, groups, projects, directory }),
    connections,
    auditEvents: applications.auditEvents,
    administration: createAdministration({
      ...deps,
      ...options,
      lastReadings: core.directories.lastReadings,
      tokenKeys,
      openidKeys: openid.keys,
      freshLogin,
      reseal,
    }),
    federation,
    openid,
    projectIdsOf: (userId) => reachableProjectIds(db.read, userId),
  };

  return {
    ...core,
    parts,
    connections,
    openid,
    federation,
    passkeyPolicy,
    peopleSettled: people.peopleSettled,
    reseal,
  };
}
