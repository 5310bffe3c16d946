// What all other modules depend on.

import { Gate } from '../../platform/limits/index.ts';
import { createOutbound } from '../../platform/outbound/index.ts';
import { type Access, createAccess, type DelegationReaders, keepToken } from '../access/context/index.ts';
import { createFreshLogin } from '../access/rules/index.ts';
import { createShield } from '../applications/app-roles/index.ts';
import { readWalletProviders } from '../applications/wallet-providers/index.ts';
import { applicationCredentialDelegation, endApplicationCredentials } from '../delegation/application-credentials/index.ts';
import { ec2Delegation } from '../delegation/credentials/index.ts';
import { endOAuth1AccessTokens, endOAuth1Authorizations, oauth1Delegation } from '../delegation/oauth1/index.ts';
import { trustDelegation } from '../delegation/trusts/index.ts';
import { createDomainSettings } from '../directory/domain-settings/index.ts';
import { createDirectories } from '../directory/ldap/index.ts';
import { createLoginEvents } from '../directory/logins/index.ts';
import { createNotices } from '../directory/notices/index.ts';
import { createPasskeyPolicy, relyingPartyOf } from '../directory/passkeys/index.ts';
import { createPasswords } from '../directory/passwords/index.ts';
import { createPictures } from '../directory/pictures/index.ts';
import { createDevices, isFactorOn } from '../directory/two-factor/index.ts';
import { createUsers } from '../directory/users/index.ts';
import { type Actor, type Change, createChanges } from '../ground/audit/index.ts';
import type { Database } from '../ground/database/index.ts';
import { createLinks } from '../ground/links/index.ts';
import { createMail } from '../ground/mail/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createNotifications } from '../ground/notifications/index.ts';
import type { Deps } from '../ground/resource/index.ts';
import { createFederationDelegation } from '../login/federation/index.ts';
import { createLoginRequirements, createRevocations, createTokenKeys, createTokens } from '../login/tokens/index.ts';
import { createLogouts, createRecords, isWallet } from '../openid/provider/index.ts';
import { createPersonalData } from '../operations/personal-data/index.ts';
import { createAccountDeletion, createCancelledDeletion } from '../provisioning/account-deletion/index.ts';
import { createRegistrationKeys } from '../provisioning/registration/index.ts';
import { createRevocation } from '../role-credentials/issued/index.ts';
import { createCredentialTypes } from '../role-credentials/types/index.ts';

/** Limits of wrong guesses, not of requests: services that log in often with the right password are not limited. */
const GUESSES = {
  account: { attempts: 10, perSeconds: 60 },
  address: { attempts: 100, perSeconds: 60 },
};

/** What all other modules depend on: changes with audit events, access, passwords, tokens and users. */
export async function buildCore(db: Database, options: ModuleOptions) {
  const { config, clock, log, seal } = options;
  const credentialTypes = createCredentialTypes({ db, clock });
  const change = createChanges(db, clock, createRevocation({ db, credentialTypes }));
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
  const delegations: DelegationReaders = {
    application_credential: applicationCredentialDelegation,
    trust: trustDelegation,
    ec2: ec2Delegation,
    oauth1: oauth1Delegation,
    federation: (reader, id) => createFederationDelegation({ access, clock })(reader, id),
  };
  const access: Access = createAccess(db, clock, config, delegations);
  const passwords = createPasswords({ ...deps, notify, gate, rateLimits: options.rateLimits });
  const tokenKeys = await createTokenKeys({ ...deps, seal, rules: config });
  const revocations = createRevocations({
    ...deps,
    tokenSeconds: config.tokenSeconds,
    allowExpiredSeconds: config.allowExpiredSeconds,
  });
  const tokens = createTokens({ access, keys: tokenKeys, revocations, caches: db, clock, tokenSeconds: config.tokenSeconds });
  const devices = createDevices({ ...deps, notify, gate });
  const logouts = createLogouts(deps);
  const walletProviders = readWalletProviders(deps);
  /** Also those that their provider attests. Registered applications are none. */
  const isWalletClient = (clientId: string): boolean => isWallet(clientId) || walletProviders.wallet(clientId) !== undefined;
  const records = createRecords({
    ...deps,
    seal,
    revocations,
    onEnd: logouts.recordLogouts,
    isWallet: isWalletClient,
  });
  const registrationKeys = createRegistrationKeys(deps);
  const revokeAccess = async (transaction: Change, userId: string): Promise<void> => {
    await devices.forgetInTransaction(transaction, userId);
    await records.endEverything(transaction, userId);
    await links.endOf(transaction, userId);
    await registrationKeys.endResets(transaction, userId);
    await endOAuth1Authorizations(transaction, userId);
  };
  const shield = createShield({ access, clock });
  const relyingParty = () => relyingPartyOf(options.issuer(), config.twoFactorIssuer);
  const passkeyPolicy = createPasskeyPolicy({ db, domainSettings, relyingParty });
  const requirements = createLoginRequirements({ db, isPasskeyRequired: passkeyPolicy.isRequired });
  const freshLogin = createFreshLogin({ ...deps, missingMethods: requirements.missingMethods });
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
    await endOAuth1AccessTokens(transaction, userId);
    await endDeletion(transaction, userId);
  };
  const onPasswordChanged = notices.passwordChanged;
  const listeners = {
    revokeAccess,
    endSessions: records.endEverything,
    onEmailChanged,
    onPasswordChanged,
    onDisabled,
    onEnabled: endDeletion,
  };
  const directories = createDirectories({ ...deps, domainSettings, revokeAccess, onEmailChanged, onDisabled });
  const directory = directories.guard;
  const ways = { hasPasskey: passkeyPolicy.hasUsable, hasFactor: isFactorOn };
  const users = createUsers({ ...deps, ...listeners, ...ways, passwords, access, shield, freshLogin, logins, directory });
  /** The token that is kept must not live on after its session: nobody could sign it out. */
  const endOthers = async (transaction: Change, userId: string, keeps: Actor['keeps']): Promise<void> => {
    const isOfSession = keeps?.madeFrom !== undefined && (await records.isOfSession(transaction, userId, keeps.madeFrom));
    await users.endLogins(transaction, userId);
    if (keeps && !isOfSession) await keepToken(transaction.tx, userId, keeps);
  };
  const accountDeletion = createAccountDeletion({ ...deps, domainSettings, users, mail });
  const personalData = createPersonalData({ ...deps, sessions: records, rateLimits: options.rateLimits });
  const pictures = createPictures(deps);
  const signedIn = {
    pictures,
    access,
    passwords,
    users,
    requirements,
    freshLogin,
    relyingParty,
    passkeyPolicy,
    endOthers,
    logins,
    devices,
    records,
    walletProviders,
    isWallet: isWalletClient,
    logouts,
    gate,
    registrationKeys,
    accountDeletion,
    personalData,
    directories,
    notices,
  };
  return {
    deps,
    credentialTypes,
    domainSettings,
    outbound,
    notifications,
    mail,
    links,
    tokenKeys,
    revocations,
    tokens,
    shield,
    ...signedIn,
  };
}

export type Core = Awaited<ReturnType<typeof buildCore>>;
