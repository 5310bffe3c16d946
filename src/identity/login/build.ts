// Ways in at the API: tokens and other providers.
import type { Applications } from '../applications/build.ts';
import { createNews } from '../ground/resource/index.ts';
import { createFederation, createFederationDelegation } from './federation/index.ts';
import { createKeystoneTokens } from './keystone-tokens/index.ts';
import { createRevocationTakeOver, createRevokeEvents } from './revoke-events/index.ts';
import {
  createLoginChecks,
  createReceipts,
  createRevocations,
  createScopes,
  createSecondProof,
  createTokenKeys,
  createTokens,
  createTokenText,
} from './tokens/index.ts';
import { createWalletPolicy } from './wallet-sign-in/index.ts';

function buildFederation(below: Applications) {
  const { passkeyPolicy, knowsPassword, notices, directory, delegations, waysBesidePasskeys } = below;
  delegations.federation = createFederationDelegation(below);
  const walletPolicy = createWalletPolicy(below);
  /** Another provider ended the sessions of a person that began there. */
  const sessionsEndedByProvider = createNews<[userId: string, hashes: readonly string[]]>();
  const federation = createFederation({
    ...below,
    isGroupInDirectory: directory.isGroupInDirectory,
    hasWallets: (tx, domainId) => walletPolicy.isAllowedIn(tx, domainId, 'first'),
    endSessions: sessionsEndedByProvider.tell,
    hasOtherWay: async (tx, userId) => (await knowsPassword(tx, userId)) || (await passkeyPolicy.hasUsable(tx, userId)),
    onLinked: (transaction, about) => notices.link(transaction, 'provider-linked', about),
    onUnlinked: (transaction, about) => notices.link(transaction, 'provider-unlinked', about),
  });
  waysBesidePasskeys.answer(federation.links.hasUsable);
  return { federation, walletPolicy, sessionsEndedByProvider };
}

export async function buildLogin(below: Applications) {
  const { config, db, clock, access, users, domainSettings } = below;
  const tokenKeys = await createTokenKeys({ ...below, rules: config });
  const revocations = createRevocations({
    ...below,
    tokenSeconds: config.tokenSeconds,
    allowExpiredSeconds: config.allowExpiredSeconds,
  });
  const tokens = createTokens({
    access,
    keys: tokenKeys,
    revocations,
    keystone: createKeystoneTokens(below),
    caches: db,
    clock,
    tokenSeconds: config.tokenSeconds,
    secondsFor: ({ domain }) => domainSettings.ofDomain(domain).sessions.tokenSeconds,
  });
  const federated = buildFederation(below);
  const scopes = createScopes(below);
  return {
    ...below,
    ...federated,
    tokenKeys,
    revocations,
    tokens,
    scopes,
    receipts: createReceipts({ keys: tokenKeys, clock }),
    checks: createLoginChecks({ ...below, scopes, refreshFromDirectory: users.refreshFromDirectory }),
    provesSecond: createSecondProof(below),
    tokenText: createTokenText(db, { ...below, serviceProviders: federated.federation.namedServiceProviders }),
    revokeEvents: createRevokeEvents(below),
    takeOverRevocations: createRevocationTakeOver({ revocations, clock }),
  };
}

export type Login = Awaited<ReturnType<typeof buildLogin>>;
