// All ways to log in.

import { seconds } from '../../platform/clock.ts';
import { Throttle } from '../../platform/limits/index.ts';
import { createOutbound, hostPort } from '../../platform/outbound/index.ts';
import { createApplicationCredentials } from '../delegation/application-credentials/index.ts';
import { createCredentials, createEc2Credentials } from '../delegation/credentials/index.ts';
import { createDelegatedAccess } from '../delegation/delegated-access/index.ts';
import { createOAuth1 } from '../delegation/oauth1/index.ts';
import { createTrusts } from '../delegation/trusts/index.ts';
import { reachableProjectIds } from '../directory/grants/index.ts';
import { createPasskeys, type PasskeyDeps } from '../directory/passkeys/index.ts';
import { hasPassword } from '../directory/passwords/index.ts';
import { readProjects } from '../directory/projects/index.ts';
import { createFactor } from '../directory/two-factor/index.ts';
import type { Tx } from '../ground/database/index.ts';
import type { ModuleOptions } from '../ground/module-options.ts';
import { createSignatureExchange } from '../login/ec2/index.ts';
import { createFederation } from '../login/federation/index.ts';
import {
  createAuth,
  createAuthenticate,
  createLoginChecks,
  createReceipts,
  createScopes,
  createSessionTokens,
} from '../login/tokens/index.ts';
import { createWalletPolicy } from '../login/wallet-sign-in/index.ts';
import { UNFINISHED_LIMIT } from '../openid/provider/index.ts';
import { createOpenid } from '../pages/serving/index.ts';
import type { AcceptInvitation } from '../provisioning/invitations/index.ts';
import { configurationsOf } from '../role-credentials/issuing/index.ts';
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
  const { deps, access, users, tokens, tokenKeys, requirements, freshLogin, logins, devices, gate, relyingParty, passkeyPolicy } =
    core;
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
  const checks = createLoginChecks({ scopes, requirements, trusts, stillThere: users.stillThere });
  const auth = createAuth({ ...deps, tokens, authenticate, receipts, logins, checks, requirements });
  const signatureExchange = createSignatureExchange({ ...deps, gate, users, logins, auth, ec2Credentials });
  const walletSignIn = buildWalletSignIn(core, roleCredentials, federation, options);
  const openid = createOpenid({
    ...deps,
    ...core,
    ...applications,
    ...people,
    seal,
    outboundTo: (address) => createOutbound([...options.outboundAllow, hostPort(address)], options),
    auth,
    sessionTokens: createSessionTokens({ tokens, checks }),
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
  return { factor, passkeys, passkeyPolicy, credentials, ...delegations, auth, openid, federation, walletSignIn };
}
