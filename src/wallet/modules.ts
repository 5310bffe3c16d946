// Builds the modules of the wallet node in dependency order, from top to bottom.
import type { X509Certificate } from 'node:crypto';
import { createChanges } from '../platform/audit/index.ts';
import { createAuditExports, createDestinations } from '../platform/audit-export/index.ts';
import type { Clock } from '../platform/clock.ts';
import { otherNameOf, otherNamesOf } from '../platform/http/index.ts';
import { Throttle } from '../platform/limits/index.ts';
import type { Log } from '../platform/log/index.ts';
import type { Metrics } from '../platform/metrics/index.ts';
import { createProvider, createVerifyToken, type ProviderOptions } from '../platform/openid-client/index.ts';
import { createExceptions, createOutbound, hostPort, type Outbound } from '../platform/outbound/index.ts';
import type { Seal } from '../platform/seal/index.ts';
import { type Anchors, readBroughtChain } from '../verifiable/trust/index.ts';
import { type Caller, createUnlessDamaged, createWalletChanges, type RunWalletChange } from './access/index.ts';
import { type Attester, createAttester } from './attester/index.ts';
import { walletCadf } from './audit-export/index.ts';
import { createCredentials, createStoredCredentials, type WalletCredentials } from './credentials/index.ts';
import { createDids, type Dids } from './dids/index.ts';
import { createExchanges, type Exchanges } from './exchanges/index.ts';
import type { Database, ExchangeRow } from './ground/database.ts';
import { fail } from './ground/faults.ts';
import type { WalletConfig } from './ground/settings.ts';
import { loadIssuance } from './issuance/index.ts';
import { createKeys, type KeyStores, type Keys } from './keys/index.ts';
import { walletMetrics } from './metrics.ts';
import { createWalletPages } from './pages/index.ts';
import { loadPresentations, type RegisteredVerifiers } from './presentation/index.ts';
import { createDocuments, createPublication } from './publication/index.ts';
import { createIdempotency, createListCache } from './resource/index.ts';
import type { WalletRouteDeps } from './routes.ts';
import {
  createAuthenticate,
  createBearer,
  createCookies,
  createLogins,
  createOwnResource,
  createSessionReader,
  createSessions,
} from './session/index.ts';

const LOGINS = { attempts: 60, perSeconds: 60 };
const REFUSED_LOGOUTS = { attempts: 60, perSeconds: 60 };
const EXCHANGES = { attempts: 120, perSeconds: 60 };

/**
 * The identity service in the same process. One operator runs both, so that the node trusts what it issues and asks for, and may call it
 * although its address is of this machine.
 */
export interface IdentityBeside {
  readonly issuer: string;
  /** At an address that can have one. */
  readonly did: string | undefined;
  /** By these its signatures are known. It makes its keys when it first needs them, so this is asked each time. */
  certificates(): Promise<readonly X509Certificate[]>;
}

export interface ModuleOptions {
  readonly config: WalletConfig;
  readonly seal: Seal;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly rateLimits: boolean;
  /** host[:port] that outgoing calls may reach although they are plain http or not public. */
  readonly outboundAllow: readonly string[];
  /** The provider people log in through. */
  readonly provider: ProviderOptions;
  readonly beside?: IdentityBeside | undefined;
  readonly stores: KeyStores;
  readonly verifiers: RegisteredVerifiers;
  publicUrl(): string;
}

/** What issuers and verifiers may be called at although it is plain http or not public. */
const allowedFor = ({ outboundAllow, beside }: ModuleOptions): readonly string[] =>
  beside ? [...outboundAllow, hostPort(beside.issuer)] : outboundAllow;

type CountRequest = (kind: string, outcome: string) => void;

/** Login through the provider, and authentication of requests. */
function buildSession(db: Database, { onRequest, ...options }: ModuleOptions & { onRequest: CountRequest }) {
  const { config, log, clock, seal, publicUrl } = options;
  const { sessionSeconds, bearerAudience } = config;
  const cookies = createCookies(seal, publicUrl);
  const provider = createProvider(options.provider, {
    // The operator configured the provider, so its address is always allowed. Only calls to the provider use this exception.
    outbound: createOutbound([...options.outboundAllow, hostPort(options.provider.issuer)], { onRequest }),
    unavailable: (reason) => fail('identity-provider-unavailable', undefined, { reason, headers: { 'Retry-After': '5' } }),
    redirectUri: (at = publicUrl()) => `${at}/api/v1/auth/callback`,
  });
  const rules = { idleMs: config.sessionIdleSeconds * 1000, lifeMs: sessionSeconds * 1000 };
  const sessions = createSessions({ db, clock, seal, cookies, provider, rules, log });
  const change = createChanges(db, clock);
  const verify = createVerifyToken(provider);
  const otherNames = (): string[] => (options.provider.knowsOtherNames ? otherNamesOf(publicUrl(), config.host) : []);
  const logins = createLogins({
    clock,
    change,
    cookies,
    provider,
    verify,
    sessions,
    publicUrl,
    sessionSeconds,
    beganAt: (headers) => otherNames().find((name) => name === otherNameOf(publicUrl(), headers)),
  });
  const bearer = bearerAudience === undefined ? undefined : createBearer(verify, bearerAudience);
  const ownResource = createOwnResource({ audience: bearerAudience, issuer: options.provider.issuer, publicUrl });
  const authenticate = createAuthenticate({ cookies, sessions, bearer, roles: config, ownResource, publicUrl });
  return { provider, sessions, logins, ownResource, sessionOf: createSessionReader(cookies, sessions), authenticate };
}

interface ProtocolDeps {
  readonly db: Database;
  readonly change: RunWalletChange;
  readonly outbound: Outbound;
  readonly keys: Keys;
  readonly dids: Dids;
  readonly credentials: WalletCredentials;
  readonly exchanges: Exchanges;
  readonly attester: Attester;
}

/**
 * Issuance, presentation and what both need. Their libraries are large, so they are loaded with the first offer or request. A
 * node that only serves keys and documents never loads them.
 */
async function loadProtocols(deps: ProtocolDeps, options: ModuleOptions) {
  const { db, change, outbound, keys, dids, credentials, exchanges, attester } = deps;
  const { config, clock, log, seal, outboundAllow, beside } = options;
  const [
    { createResolver },
    { createAnchors, createTrust },
    { createFormats, listVerifier },
    { createStatus },
    { createCallbacks },
  ] = await Promise.all([
    import('../verifiable/resolver/index.ts'),
    import('../verifiable/trust/index.ts'),
    import('../verifiable/formats/index.ts'),
    import('../verifiable/status/index.ts'),
    import('./protocols/index.ts'),
  ]);
  const resolver = createResolver({ outbound, clock, insecureHosts: outboundAllow });
  const trustDeps = { outbound, resolver, clock, isDevelopment: outboundAllow.length > 0 };
  const anchorsOf = (file: string | undefined): Anchors => {
    const own = createAnchors(file, log);
    return beside ? async () => [...own(), ...(await beside.certificates())] : own;
  };
  // Issuers and verifiers have separate trust anchors: a trusted issuer is not automatically a trusted verifier, or vice versa.
  const trust = createTrust({
    ...trustDeps,
    anchors: anchorsOf(config.issuerTrustAnchors ?? config.trustAnchors),
    policy: {
      mode: config.issuerTrust,
      dids: beside?.did === undefined ? config.trustedDids : [...config.trustedDids, beside.did],
      issuers: beside ? [beside.issuer] : [],
    },
  });
  // Any verifier may ask once it is authenticated; the user decides whether to answer.
  const verifierTrust = createTrust({
    ...trustDeps,
    anchors: anchorsOf(config.verifierTrustAnchors ?? config.trustAnchors),
    policy: { mode: 'any', dids: [] },
  });
  const formats = createFormats({ trust, clock });
  const status = createStatus({ outbound, trust, clock, verifyList: listVerifier(formats) });
  const storedCredentials = createStoredCredentials({ db, clock, seal, keys, dids, status, outbound, change });

  const { createClients, createIssuance } = await loadIssuance();
  const isExcepted = createExceptions(allowedFor(options));
  const clients = await createClients({
    clock,
    attester,
    callbacksFor: createCallbacks({ outbound, trust, kind: 'issuer' }),
    identity: clientOf(options),
    canRedirectTo: (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isExcepted(url)),
  });
  const issuance = createIssuance({
    clock,
    change,
    exchanges,
    credentials,
    storedCredentials,
    formats,
    keys,
    dids,
    attester,
    clients,
    beside: beside?.issuer,
  });

  const { createPresentations, createMatcher } = await loadPresentations();
  const presentations = createPresentations({
    clock,
    change,
    outbound,
    exchanges,
    storedCredentials,
    formats,
    matcher: createMatcher({ storedCredentials }),
    trust: verifierTrust,
    callbacks: createCallbacks({ outbound, trust: verifierTrust, kind: 'verifier' })(),
    rules: {
      allowUnauthenticated: config.unauthenticatedVerifiers,
      attesters: config.trustedDids,
      registered: options.verifiers,
      requirePreview: config.requirePreview,
      transactionDataTypes: config.transactionDataTypes,
    },
  });
  return { issuance, presentations, storedCredentials };
}

/** The wallet at authorization servers of issuers. */
const clientOf =
  ({ config, publicUrl }: ModuleOptions) =>
  () => ({
    clientId: config.clientId ?? publicUrl(),
    redirectUri: `${publicUrl()}/api/v1/wallet/oid4vci/callback`,
  });

function buildAttester(deps: Pick<ProtocolDeps, 'db' | 'change' | 'keys'>, options: ModuleOptions): Attester {
  const { config, clock, log, publicUrl } = options;
  const settings = {
    cert: 'GATEHOUSE_WALLET_ATTESTER_CERT_FILE',
    key: 'GATEHOUSE_WALLET_ATTESTER_KEY_FILE',
    purpose: 'attestation',
  } as const;
  const files = { certFile: config.attesterCertFile, keyFile: config.attesterKeyFile };
  return createAttester({
    ...deps,
    clock,
    publicUrl,
    clientId: () => clientOf(options)().clientId,
    brought: readBroughtChain(settings, files, { now: Math.floor(clock.now() / 1000), log }),
    device: { keyStorage: config.attestedKeyStorage, userAuthentication: config.attestedUserAuthentication },
  });
}

/** Loads once and shares the result. A failed load is tried again by the next caller. */
function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

export function buildModules(db: Database, options: ModuleOptions) {
  const { config, log, clock, seal, metrics, stores, publicUrl, rateLimits } = options;
  const called = metrics.counter(walletMetrics.outbound);
  const onRequest: CountRequest = (kind, outcome) => called({ kind, outcome });
  const outbound = createOutbound(options.outboundAllow, { onRequest, traces: 'kept' });
  const peers = createOutbound(allowedFor(options), { onRequest, traces: 'kept' });
  const change = createWalletChanges(db, clock);
  const destinations = createDestinations(config, { service: 'wallet', outbound, clock });
  const auditExports = createAuditExports({ db, clock, log, destinations, days: config.auditDays, toCadf: walletCadf });
  const unlessDamaged = createUnlessDamaged(log);
  const idempotency = createIdempotency(db, clock);
  const session = buildSession(db, { ...options, onRequest });

  const publication = createPublication({ clock });
  const { maxKeys, maxDids, maxDidNames } = config;
  const keys = createKeys({ db, clock, change, stores, unlessDamaged, listener: publication.keyListener, maxKeys });
  const dids = createDids({ db, clock, change, keys, publication, unlessDamaged, publicUrl, maxDids, maxDidNames });
  const credentials = createCredentials({ db, clock, change, seal, unlessDamaged });
  const count = metrics.counter(walletMetrics.exchanges);
  const exchanges = createExchanges({ db, clock, change, seal, unlessDamaged, log, count });
  const attester = buildAttester({ db, change, keys }, options);
  const protocols = lazy(() =>
    loadProtocols({ db, change, outbound: peers, keys, dids, credentials, exchanges, attester }, options),
  );

  async function cancelExchange(caller: Caller, row: ExchangeRow): Promise<ExchangeRow> {
    const { before, after } = await exchanges.cancel(caller, row);
    if (before.protocol === 'oid4vci' && before.sealed !== null) {
      const { issuance } = await protocols();
      // It is cancelled already. Keys that stay can be purged by their owner.
      await issuance.discard(before, caller).catch((error: unknown) => log.warn({ err: error }, 'keys could not be discarded'));
    }
    return after;
  }

  const pages = createWalletPages(config);

  const routeDeps: WalletRouteDeps = {
    cancelExchange,
    pages,
    attester,
    walletClient: clientOf(options),
    publicUrl,
    keys,
    dids,
    documents: createDocuments(db),
    credentials,
    refreshStatus: async (rows) => (await protocols()).storedCredentials.refreshStatus(rows),
    exchanges,
    issuance: async () => (await protocols()).issuance,
    presentations: async () => (await protocols()).presentations,
    logins: session.logins,
    ownResource: session.ownResource,
    sessionOf: session.sessionOf,
    idempotency,
    listCache: createListCache(db),
    throttle: new Throttle(rateLimits ? LOGINS : undefined, clock),
    logoutThrottle: new Throttle(rateLimits ? REFUSED_LOGOUTS : undefined, clock),
    exchangeThrottle: new Throttle(rateLimits ? EXCHANGES : undefined, clock),
  };
  return {
    auditExports,
    ...session,
    pages,
    routeDeps,
    change,
    keys,
    dids,
    publication,
    credentials,
    exchanges,
    idempotency,
  };
}

export type Modules = ReturnType<typeof buildModules>;
