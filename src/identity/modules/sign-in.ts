// All ways to log in.

import { seconds } from '../../platform/clock.ts';
import { Throttle } from '../../platform/limits/index.ts';
import { createOutbound, hostPort } from '../../platform/outbound/index.ts';
import { createApplicationCredentials } from '../application-credentials/index.ts';
import { createCredentials, createEc2Credentials } from '../credentials/index.ts';
import type { Tx } from '../database.ts';
import { createDelegatedAccess } from '../delegated-access/index.ts';
import { createSignatureExchange } from '../ec2/index.ts';
import { createFederation } from '../federation/index.ts';
import { reachableProjectIds } from '../grants/index.ts';
import type { AcceptInvitation } from '../invitations/index.ts';
import type { ModuleOptions } from '../module-options.ts';
import { createOAuth1 } from '../oauth1/index.ts';
import { createOpenid, UNFINISHED_LIMIT } from '../openid/index.ts';
import { createPasskeys, type PasskeyDeps } from '../passkeys/index.ts';
import { hasPassword } from '../passwords/index.ts';
import { readProjects } from '../projects/index.ts';
import { configurationsOf } from '../role-credentials/index.ts';
import {
  createAuth,
  createAuthenticate,
  createKeyExchange,
  createLoginCompleteness,
  createReceipts,
  createScopes,
  createSessionTokens,
} from '../tokens/index.ts';
import { createTrusts } from '../trusts/index.ts';
import { createFactor } from '../two-factor/index.ts';
import { createWalletPolicy } from '../wallet-sign-in/index.ts';
import type { Applications } from './applications.ts';
import type { Core } from './core.ts';
import type { CredentialIssuing } from './credential-issuing.ts';
import type { RoleCredentials } from './credentials.ts';
import type { People } from './people.ts';
import { buildWalletSignIn } from './wallet-sign-in.ts';

/** Owners of passkeys get a mail, and sessions that began with one end when one is removed. */
const passkeyListeners = ({ notices, records }: Core): Pick<PasskeyDeps, 'onAdded' | 'onRemoved'> => ({
  onAdded: (transaction, passkey) => notices.passkey(transaction, 'passkey-added', passkey),
  async onRemoved(transaction, passkey, kept) {
    await records.endPasskeySessions(transaction, passkey.user_id, kept);
    await notices.passkey(transaction, 'passkey-removed', passkey);
  },
});

/** Logins at the base API and at the pages of the OpenID provider. */
export function buildSignIn(
  core: Core,
  applications: Applications,
  people: People & { acceptance: AcceptInvitation },
  roleCredentials: RoleCredentials & Pick<CredentialIssuing, 'offers'>,
  options: ModuleOptions,
) {
  const { deps, access, users, tokens, tokenKeys, freshLogin, logins, devices, gate, relyingParty, passkeyPolicy } = core;
  const { db, clock, config } = deps;
  const { seal } = options;
  const factor = createFactor({ ...deps, ...core, ...core.notifications, seal, issuer: config.twoFactorIssuer });
  const { notify } = core.notifications;
  /** A password here, or in a directory. */
  const knowsPassword = async (tx: Tx, userId: string): Promise<boolean> =>
    (await hasPassword(tx, userId)) || core.directories.guard.hasPassword(tx, userId);
  const walletPolicy = createWalletPolicy({ domainSettings: core.domainSettings });
  const federation = createFederation({
    ...deps,
    ...core,
    notify,
    seal,
    issuer: options.issuer,
    isGroupInDirectory: core.directories.guard.isGroupInDirectory,
    hasWallets: (tx, domainId) => walletPolicy.isAllowedIn(tx, domainId, 'first'),
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
    isRequired: passkeyPolicy.isRequired,
    hasOtherWay: async (tx, userId) => (await knowsPassword(tx, userId)) || (await federation.links.hasUsable(tx, userId)),
  });
  const credentials = createCredentials({ ...deps, users, seal, freshLogin });
  const ec2Credentials = createEc2Credentials({ db, users, credentials });
  const scopes = createScopes({ db, access });
  const accessToken = applications.delegation.userAtLogin;
  const applicationCredentials = createApplicationCredentials({ ...deps, ...core });
  const trusts = createTrusts({ ...deps, ...core });
  const oauth1 = createOAuth1({ ...deps, ...core, seal });
  const delegatedAccess = createDelegatedAccess({ ...deps, users, applicationCredentials, trusts, oauth1, credentials });
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
    oauth1: oauth1.accessTokens.logIn,
  });
  const receipts = createReceipts({ keys: tokenKeys, clock });
  const completeness = createLoginCompleteness({ db, scopes, isPasskeyRequired: passkeyPolicy.isRequired });
  const auth = createAuth({
    ...deps,
    tokens,
    authenticate,
    scopes,
    receipts,
    logins,
    completeness,
    stillThere: users.stillThere,
    trusts,
  });
  const keyExchange = createKeyExchange({ ...deps, tokens, scopes, users });
  const signatureExchange = createSignatureExchange({ ...deps, gate, users, logins, keyExchange, ec2Credentials });
  const walletSignIn = buildWalletSignIn(core, roleCredentials, federation, options);
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
    walletSignIn,
    passkeys,
    passkeyPolicy,
    credentials,
    delegatedAccess,
    scopes,
    issuer: options.issuer,
    catalog: roleCredentials.configurations.catalog,
    issuedCredentials: roleCredentials.issuedCredentials,
    credentialOffers: { ...roleCredentials.offers, configurationsOf },
    ensureRole: applications.appRoles.ensureRole,
    unfinished: new Throttle(options.rateLimits ? UNFINISHED_LIMIT : undefined, clock),
    organizationsOf: async (userId) => readProjects(db.read, [...(await reachableProjectIds(db.read, userId, seconds(clock)))]),
  });
  const delegations = { applicationCredentials, trusts, oauth1, ec2Credentials, signatureExchange };
  return { factor, passkeys, passkeyPolicy, credentials, ...delegations, auth, openid, federation, walletSignIn, completeness };
}
