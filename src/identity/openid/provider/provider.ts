// The provider of the OpenID library: built with the first request that needs it, and rebuilt when the keys change.
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { seconds } from '../../../platform/clock.ts';
import { inBackground, untilDeadline } from '../../../platform/deadline.ts';
import { type CertificateOf, outageOf } from '../../../platform/http/index.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import type { Access } from '../../access/context/index.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Apis } from '../../applications/apis/index.ts';
import { CLIENTS_PATH, type ClientRegistration } from '../../applications/client-registration/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { Passkeys } from '../../directory/passkeys/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import { serviceActor } from '../../ground/audit/index.ts';
import { type Brand, lookOf, outagePage } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { WalletSignIn } from '../../login/wallet-sign-in/index.ts';
import type { ClientCertificates } from '../client-authentication/index.ts';
import {
  ACCOUNT_CLIENT,
  ANONYMOUS_WALLET,
  accountClient,
  PUBLIC_WALLET,
  WALLET_CONSUMER,
  walletClient,
  walletIssuanceUri,
} from '../first-party-clients/index.ts';
import type { Records } from '../records/index.ts';
import type { SignInRequests } from '../sign-in-requests/index.ts';
import type { Accounts } from './accounts.ts';
import { acrOf, acrRequestOf } from './acr.ts';
import { revokeJwts, storeJwts } from './api-tokens.ts';
import { createAttemptUris } from './attempts.ts';
import { attestedClient } from './attested-wallets.ts';
import { type ClientDeps, clientOf, PREVIOUS_SECRET, SELF_REGISTERED } from './clients.ts';
import { alreadyUsedErrorOf, configurationOf } from './configuration/configuration.ts';
import type { PromptDeps } from './configuration/prompts.ts';
import { keyOfRequest } from './configuration/request-objects.ts';
import type { CredentialCatalog } from './credential-requests.ts';
import { nameSessions, openLogoutFrames, SIGN_OUT_ROUTE } from './front-channel.ts';
import { nameInteraction } from './interaction-id.ts';
import type { Keyring, OpenidKeys } from './keys.ts';
import type { OidcProviderLibrary } from './library.ts';
import type { Logouts } from './logouts.ts';
import { createProviderPages } from './provider-pages.ts';
import { createUnfinishedLimit } from './unfinished-limit.ts';
import { type AnswerUsual, createUsualTokens } from './usual-tokens/index.ts';
import type { WalletNode } from './wallet-node.ts';

type OidcContext = KoaContextWithOIDC['oidc'];

export interface CurrentProviderDeps extends Pick<Deps, 'clock' | 'change' | 'config' | 'log'>, ClientDeps {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly access: Access;
  readonly consumers: Consumers;
  readonly clientRegistration: ClientRegistration;
  readonly logouts: Logouts;
  /** Limits unfinished sign-ins by address. */
  readonly unfinished: Throttle;
  readonly keys: OpenidKeys;
  brand(): Brand;
  readonly wallet: WalletNode;
  issuer(): string;
  readonly needsMore: PromptDeps['needsMore'];
  readonly freshLogin: FreshLogin;
  readonly requirements: Pick<LoginRequirements, 'isEnough'>;
  readonly federation: Federation;
  readonly catalog: CredentialCatalog;
  readonly walletProviders: WalletProviders;
  readonly walletSignIn: Pick<WalletSignIn, 'entry'>;
  readonly passkeys: Pick<Passkeys, 'isThere'>;
  readonly apis: Apis;
  readonly signInRequests: SignInRequests;
  readonly clientCertificates: ClientCertificates;
  readonly certificateOf: CertificateOf;
  /** Counted here. */
  readonly grants: GrantCounts;
  /** Registers grants the library does not have. */
  registerGrants(provider: Provider, library: OidcProviderLibrary): void;
}

export interface ProviderWithKeys {
  readonly provider: Provider;
  readonly keys: Keyring;
  /** Before the library is asked for tokens. */
  readonly answerUsual: AnswerUsual;
}

interface ClientWithSecrets {
  readonly clientSecret: string;
  readonly [PREVIOUS_SECRET]?: string;
  compareClientSecret(actual: string): boolean;
}

/** The library reports an outage as a server error; this sets the status and the error of an outage. */
function answerOutage(ctx: KoaContextWithOIDC, error: unknown, brand: () => Brand): void {
  const outage = outageOf(error);
  if (!outage) return;
  ctx.status = outage.status;
  for (const [name, value] of Object.entries(outage.headers)) ctx.set(name, value as string);
  const body = ctx.body as { error?: unknown } | string | undefined;
  if (typeof body === 'object' && body.error === 'server_error')
    ctx.body = { error: 'temporarily_unavailable', error_description: outage.message };
  else if (typeof body === 'string') ctx.body = outagePage(lookOf(ctx.req, brand()));
}

/** The library would answer with one fixed value for each session. */
function answerRequestedAcr(provider: Provider): void {
  const { OIDCContext } = provider as unknown as { OIDCContext: { prototype: OidcContext } };
  Object.defineProperty(OIDCContext.prototype, 'acr', {
    get(this: OidcContext): string {
      return acrOf(this.session?.amr ?? [], acrRequestOf(this.params).values);
    },
  });
}

/** The library knows one secret of a client. After a rotation, the one before it can be good, too. */
function acceptPreviousSecrets(provider: Provider): void {
  const { prototype } = provider.Client as unknown as { prototype: ClientWithSecrets };
  const { compareClientSecret } = prototype;
  prototype.compareClientSecret = function (actual) {
    const previous = this[PREVIOUS_SECRET];
    // Both are compared, so that the time says nothing.
    const [isCurrent, isPrevious] = [
      compareClientSecret.call(this, actual),
      previous !== undefined && compareClientSecret.call({ clientSecret: previous } as ClientWithSecrets, actual),
    ];
    return isCurrent || isPrevious;
  };
}

/** Only the account page uses the response type `none`: discovery does not list it. It lists registration where there is one. */
const describe =
  ({ issuer, clientRegistration }: CurrentProviderDeps) =>
  async (ctx: { body: unknown; oidc?: { route?: string } }, next: () => Promise<unknown>): Promise<void> => {
    await next();
    if (ctx.oidc?.route !== 'discovery') return;
    const metadata = ctx.body as { response_types_supported: readonly string[] };
    ctx.body = {
      ...metadata,
      response_types_supported: metadata.response_types_supported.filter((type) => type !== 'none'),
      ...((await clientRegistration.isOn()) ? { registration_endpoint: `${issuer()}${CLIENTS_PATH}` } : {}),
      ...((await clientRegistration.documents.isOn()) ? { client_id_metadata_document_supported: true } : {}),
    };
  };

/** Until a change that failed is tried once more. */
const AGAIN_MS = 500;

/**
 * The tokens that our own pages and dashboards got in a session, and those that the person allowed elsewhere, end when they sign out, before the
 * answer says so.
 */
const endSessionTokens =
  ({ change, records, log, brand }: CurrentProviderDeps) =>
  async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { session, route } = ctx.oidc ?? {};
    if (route !== SIGN_OUT_ROUTE || !session?.accountId || !(session as { destroyed?: boolean }).destroyed) return;
    const { accountId, uid } = session;
    const actor = {
      userId: accountId,
      requestId: null,
      origin: { address: ctx.ip, user_agent: ctx.get('user-agent').slice(0, 255) },
    };
    const end = () =>
      change(actor, async (transaction) => {
        await records.signOut(transaction, accountId, records.hashOfSession(uid));
        transaction.audit('session.ended', { kind: 'user', id: accountId });
      });
    try {
      // The session is gone, so that the person cannot try again.
      await end().catch(() => sleep(AGAIN_MS).then(end));
    } catch (error) {
      log.error({ err: error }, 'could not end the tokens of a session; they are valid until they expire');
      // The page must not say that everything has ended.
      ctx.remove('Location');
      ctx.status = 503;
      ctx.body = outagePage(lookOf(ctx.req, brand()));
    }
  };

/** Wallets that are no consumers. */
function findWallet({ wallet, catalog, config, walletProviders }: CurrentProviderDeps, id: string): AdapterPayload | undefined {
  const attested = attestedClient(walletProviders, id, catalog.isHaip);
  if (attested) return attested as AdapterPayload;
  if (id === ANONYMOUS_WALLET) return walletClient(id, 'a wallet', [], catalog.isHaip) as AdapterPayload;
  if (id === PUBLIC_WALLET && config.walletRedirectUris.length > 0)
    return walletClient(id, 'a wallet', config.walletRedirectUris, catalog.isHaip) as AdapterPayload;
  const isNode = id !== '' && id === wallet.address();
  return isNode ? (walletClient(id, 'Wallet', [walletIssuanceUri(id)], catalog.isHaip) as AdapterPayload) : undefined;
}

/** An application whose client id is the address of a document. */
async function findDocument(
  deps: CurrentProviderDeps,
  library: OidcProviderLibrary,
  id: string,
): Promise<AdapterPayload | undefined> {
  const { clientRegistration, records } = deps;
  const found = await clientRegistration.documents.find(id, records.origin()?.address ?? '');
  if (found?.isStored) records.bindConsumer(found.row);
  return found && ((await clientOf(found.row, deps, () => keyOfRequest(library))) as AdapterPayload);
}

/** The account page, a wallet, or a registered consumer. */
async function findClient(
  deps: CurrentProviderDeps,
  library: OidcProviderLibrary,
  id: string,
): Promise<AdapterPayload | undefined> {
  const { consumers, wallet, issuer, clientRegistration } = deps;
  if (id === ACCOUNT_CLIENT) return accountClient(issuer()) as AdapterPayload;
  const known = findWallet(deps, id);
  if (known) return known;
  if (clientRegistration.documents.isDocumentId(id)) return findDocument(deps, library, id);
  const consumer = await consumers.findWithSecret(id);
  if (consumer && !(await clientRegistration.isLive(consumer))) return undefined;
  if (consumer) deps.records.bindConsumer(consumer);
  const uri = id === WALLET_CONSUMER ? wallet.logoutUri() : undefined;
  const client = consumer && (await clientOf(consumer, deps, () => keyOfRequest(library)));
  return client && ({ ...client, ...(uri === undefined ? {} : { backchannel_logout_uri: uri }) } as AdapterPayload);
}

/** Grants by their type, since the start. */
export interface GrantCounts {
  readonly good: Record<string, number>;
  readonly refused: Record<string, number>;
}

/** Names of grants in metrics: the grant types, or how they end. */
const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'device_code',
  'password',
  'token-exchange',
  'ciba',
  'pre-authorized_code',
];

/** Codes of errors of connections. */
const GONE = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** Counts grants, and handles failures that the library reports. */
function handleProviderEvents(deps: CurrentProviderDeps, provider: Provider): void {
  const { log, change, logouts, brand } = deps;
  const count = (counts: Record<string, number>, ctx: KoaContextWithOIDC): void => {
    const grant = String(ctx.oidc.params?.grant_type);
    const name = GRANTS.find((known) => grant.endsWith(known)) ?? 'other';
    counts[name] = (counts[name] ?? 0) + 1;
  };
  provider.on('grant.success', (ctx) => {
    count(deps.grants.good, ctx);
    if (ctx.oidc.client?.[SELF_REGISTERED] === undefined) return;
    deps.clientRegistration
      .noteUse(ctx.oidc.client.clientId)
      .catch((error: unknown) => log.error({ err: error }, 'could not store the use of an application that registered itself'));
  });
  provider.on('grant.error', (ctx) => count(deps.grants.refused, ctx));
  provider.on('backchannel.error', (_ctx, err, client, sub, sid) => {
    log.warn({ err, client: client.clientId }, 'could not notify an application of a logout; trying again');
    change(serviceActor, async (transaction) => {
      await logouts.retry(transaction, client.clientId, sub, sid);
      transaction.audit('logout.not_told', { kind: 'consumer', id: client.clientId });
    }).catch((error: unknown) => log.error({ err: error }, 'could not store a logout notification'));
  });
  provider.on('server_error', (ctx, err) => {
    log.error({ err }, 'openid provider failed');
    answerOutage(ctx, err, brand);
  });
  // Outside of the library's own error handling: mostly clients that are gone. Without a listener, the framework prints a stack.
  (provider as EventEmitter).on('error', (err: NodeJS.ErrnoException) => {
    if (GONE.has(err.code ?? '')) log.debug({ err }, 'a client of the openid provider closed its connection');
    else log.error({ err }, 'openid provider failed');
  });
}

async function buildProvider(deps: CurrentProviderDeps): Promise<ProviderWithKeys> {
  const { records, accounts, access, wallet } = deps;
  const [library, keys] = await Promise.all([import('oidc-provider'), deps.keys.readKeyring()]);
  const attemptUriOf = createAttemptUris(deps, library);
  const configuration = configurationOf(library, keys, {
    issuer: deps.issuer(),
    records,
    accounts,
    access,
    unfinished: createUnfinishedLimit(library, deps.unfinished),
    pages: createProviderPages(deps.brand),
    fetch: wallet.fetch,
    clientRegistration: deps.clientRegistration,
    isFirstParty: (id) => id === ACCOUNT_CLIENT || id === WALLET_CONSUMER,
    needsMore: deps.needsMore,
    freshLogin: deps.freshLogin,
    requirements: deps.requirements,
    providerSessions: deps.federation.sessions,
    catalog: deps.catalog,
    walletProviders: deps.walletProviders,
    clientCertificates: deps.clientCertificates,
    certificateOf: deps.certificateOf,
    libraryAssertions: deps.libraryAssertions,
    walletEntry: deps.walletSignIn.entry,
    passkeys: deps.passkeys,
    apis: deps.apis,
    signInRequests: deps.signInRequests,
    client: async (id) => {
      const client = await findClient(deps, library, id);
      const uri = client && (await attemptUriOf(id));
      return uri === undefined ? client : { ...client, redirect_uris: [...((client?.redirect_uris ?? []) as string[]), uri] };
    },
  });
  const provider = new library.default(deps.issuer(), configuration);
  answerRequestedAcr(provider);
  acceptPreviousSecrets(provider);
  storeJwts(provider, records);
  nameSessions(provider);
  provider.use(describe(deps));
  provider.use(revokeJwts(library, records) as Parameters<Provider['use']>[0]);
  provider.use(openLogoutFrames(deps) as Parameters<Provider['use']>[0]);
  provider.use(nameInteraction as Parameters<Provider['use']>[0]);
  provider.use(endSessionTokens(deps) as Parameters<Provider['use']>[0]);
  deps.registerGrants(provider, library);
  // All URLs are built from the issuer, not from the Host header.
  provider.proxy = true;
  handleProviderEvents(deps, provider);
  const answerUsual = createUsualTokens(provider, keys, {
    ...deps,
    isOther: (id) => findWallet(deps, id) !== undefined || deps.clientRegistration.documents.isDocumentId(id),
    alreadyUsedError: () => alreadyUsedErrorOf(library),
  });
  return { provider, keys, answerUsual };
}

/** Returns the provider with the current keys. */
export function createCurrentProvider(deps: CurrentProviderDeps): () => Promise<ProviderWithKeys> {
  let ready: Promise<ProviderWithKeys> | undefined;
  deps.keys.onChange(() => {
    ready = undefined;
  });
  return async function currentProvider(): Promise<ProviderWithKeys> {
    // For all who wait: it goes on when the request that began it is given up.
    ready ??= inBackground(() => buildProvider(deps)).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    const current = await untilDeadline(ready);
    const { changesAt } = current.keys;
    if (changesAt === null || seconds(deps.clock) < changesAt) return current;
    // An announced key becomes active.
    ready = undefined;
    return currentProvider();
  };
}
