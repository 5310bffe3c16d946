// Puts the parts of federation together.
import type { Gate } from '../../../platform/limits/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Access } from '../../access/context/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, Tx } from '../../ground/database/index.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { createAdvanceLinks } from './advance-links.rules.ts';
import { createApiSessions } from './api-sessions.rules.ts';
import { createEntitlements } from './entitlements.rules.ts';
import { createIdentityProviders } from './identity-providers.rules.ts';
import { createLinkBatches } from './link-batches.rules.ts';
import { createLinks } from './links.rules.ts';
import { createMappingTrials } from './mapping-trials.rules.ts';
import { createMappings } from './mappings.rules.ts';
import { createOpenidSettings } from './openid-settings.rules.ts';
import { createProtocols } from './protocols.rules.ts';
import { createProviderClients } from './provider-clients.ts';
import { createProviderFlows } from './provider-flow.rules.ts';
import { createProviderKeys } from './provider-keys.rules.ts';
import { createProviderLogins } from './provider-login.rules.ts';
import { createProviderMessages } from './provider-messages.rules.ts';
import { createProviderMetadata } from './provider-metadata.ts';
import { createProviderRegistrations } from './provider-registrations.rules.ts';
import { createProviderSessions, type ProviderSessionDeps } from './provider-sessions.rules.ts';
import { createRegisterAtProvider } from './register-at-provider.rules.ts';
import { enabledServiceProviders } from './service-providers.store.ts';
import { createProviderAttempts } from './sign-in-attempts.rules.ts';
import { createSignInProviders } from './sign-in-providers.rules.ts';
import { createTokenLogins } from './token-logins.rules.ts';
import { createWalletProviders } from './wallet-providers.rules.ts';
import { createWalletSettings } from './wallet-settings.rules.ts';

export interface FederationDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'log' | 'config'>,
    Pick<ProviderSessionDeps, 'endSessions'> {
  readonly seal: Seal;
  readonly gate: Gate;
  readonly outbound: Outbound;
  readonly access: Access;
  readonly users: Users;
  readonly notify: Notify;
  /** The URL of the service; known once it listens. */
  issuer(): string;
  /** Whether only a directory (LDAP) says who is in the group. */
  isGroupInDirectory(groupId: string, reader: Reader): Promise<boolean>;
  /** Whether people of this domain may sign in with a wallet. */
  hasWallets(tx: Tx, domainId: string): Promise<boolean>;
  /** Whether an account can be entered without a provider. */
  hasOtherWay(tx: Tx, userId: string): Promise<boolean>;
  /** An account that was there before can be entered through a provider now, or no longer. `provider` is the name that people know. */
  onLinked(change: Change, about: { readonly userId: string; readonly provider: string }): Promise<void>;
  onUnlinked(change: Change, about: { readonly userId: string; readonly provider: string }): Promise<void>;
}

export function createFederation(deps: FederationDeps) {
  const endSessionsOf = (transaction: Change, providerId: string): Promise<void> => sessions.endAll(transaction, providerId);
  const apiSessions = createApiSessions(deps);
  const { endOf: endTokensOf, endOfMapping: endTokensOfMapping } = apiSessions;
  const entitlements = createEntitlements(deps);
  const linkBatches = createLinkBatches({ ...deps, entitlements });
  const keys = createProviderKeys(deps);
  const messages = createProviderMessages(deps);
  const registrations = createProviderRegistrations(deps);
  const openidSettings = createOpenidSettings({ ...deps, endSessionsOf, endTokensOf, linkBatches, keys, registrations });
  const walletSettings = createWalletSettings({ ...deps, endSessionsOf, linkBatches });
  const clientOf = createProviderClients({ ...deps, secretOf: openidSettings.secretOf, keys, messages, registrations });
  const sessions = createProviderSessions({ ...deps, entitlements, apiSessions, clientOf });
  const logins = createProviderLogins({ ...deps, entitlements, sessions, apiSessions });
  const identityProviders = createIdentityProviders({ ...deps, endSessionsOf, linkBatches, registrations });
  const mappings = createMappings({ ...deps, endTokensOfMapping });
  const protocols = createProtocols({ ...deps, endTokensOf, endSessionsOf });
  const flows = createProviderFlows({ ...deps, clientOf });
  const links = createLinks({ ...deps, entitlements, sessions });
  const tryMapping = createMappingTrials({ ...deps, entitlements });
  return {
    identityProviders,
    mappings,
    protocols,
    signInProviders: createSignInProviders({
      ...deps,
      identityProviders,
      mappings,
      protocols,
      openidSettings,
      walletSettings,
      links,
      endSessionsOf,
    }),
    attempts: createProviderAttempts({ ...deps, clientOf, flows, messages, tryMapping }),
    keys,
    registrations,
    register: createRegisterAtProvider({ ...deps, keys, registrations, openidSettings }),
    messages,
    tryMapping,
    metadataOf: createProviderMetadata(deps),
    openidSettings,
    walletSettings,
    walletProviders: createWalletProviders(deps),
    /** Those that tokens name. */
    namedServiceProviders: () => enabledServiceProviders(deps.db.read),
    flows,
    logins,
    tokenLogins: createTokenLogins({ ...deps, clientOf, logins }),
    advanceLinks: createAdvanceLinks(deps),
    links,
    sessions,
    linkBatches,
    issuer: deps.issuer,
  };
}

export type Federation = ReturnType<typeof createFederation>;
