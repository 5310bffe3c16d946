// The wallet node: its database, its modules, its routes and its server.
import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { walletOpenApi } from '../openapi.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError, type LocalName, serviceUrl } from '../platform/config/index.ts';
import { type DatabaseWait, databaseWaitOf, openDatabase } from '../platform/database/index.ts';
import { withoutTimeLimit } from '../platform/deadline.ts';
import { createApp, createServer, mountProbes, type Server } from '../platform/http/index.ts';
import type { Job } from '../platform/jobs/index.ts';
import type { Log } from '../platform/log/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import type { ProviderOptions } from '../platform/openid-client/index.ts';
import { createApiPages, createGuidePages } from '../platform/pages/index.ts';
import type { ReservedPort } from '../platform/reserved-port.ts';
import type { createSeal } from '../platform/seal/index.ts';
import type { ResealResult } from '../platform/sealed/index.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';
import { didWebOf } from '../verifiable/resolver/index.ts';
import { version } from '../version.ts';
import { authorize, type Caller, ensureRowSecurity, theNode, type WalletApp } from './access/index.ts';
import { hostOf } from './dids/index.ts';
import { continueExchanges } from './exchanges/index.ts';
import type { Database, Tables } from './ground/database.ts';
import type { WalletConfig } from './ground/settings.ts';
import { resealAll, startSweeper, sweepExpired } from './jobs/index.ts';
import { type KeyStores, type Keys, openStores } from './keys/index.ts';
import { registerWallet } from './metrics.ts';
import { buildModules, type IdentityBeside } from './modules.ts';
import { type RegisteredVerifiers, readVerifiers } from './presentation/index.ts';
import { retireKeys } from './publication/index.ts';
import { commonHeaders, problemErrors, REQUEST_ID_HEADER } from './resource/index.ts';
import { mountWallet } from './routes.ts';

export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

export type { ResealResult };

export interface WalletOptions {
  readonly config: WalletConfig;
  readonly dataDir: string;
  readonly seal: ReturnType<typeof createSeal>;
  readonly log: Log;
  readonly clock: Clock;
  readonly rateLimits: boolean;
  /** Requests that are answered from memory bypass the web framework. */
  readonly memoryAdapter?: boolean;
  readonly trustedProxies: readonly string[];
  /** host[:port] that outgoing calls may reach although they are plain http or not public. */
  readonly outboundAllow: readonly string[];
  /** The provider people log in through. */
  readonly provider: ProviderOptions;
  /** The identity service in the same process. */
  readonly beside?: IdentityBeside | undefined;
  /** How it calls this machine where no setting says it. */
  readonly localName?: LocalName;
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** The port, if it was reserved before the start. */
  readonly reserved?: readonly ReservedPort[] | undefined;
  /** How long a start waits for PostgreSQL. By default it does not wait. */
  readonly databaseWaitSeconds?: number;
  /** Shared by the services of a process. By default the service creates its own. */
  readonly metrics?: Metrics;
  /** For tests: replies are validated against their schemas. */
  readonly checkReplies?: boolean;
}

export interface WalletService {
  readonly metrics: Metrics;
  readonly keys: Keys;
  /** Runs the background jobs now. */
  sweep(): Promise<Readonly<Record<string, number>>>;
  /** After a change of the master key: seals everything again with the current one. */
  reseal(): Promise<ResealResult>;
  /** The address of its pages. */
  url(): string;
  /** Returns the address it listens on. */
  start(): Promise<string>;
  /** Reports "not ready" and keeps serving. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

export const openWalletDatabase = (config: WalletConfig, dataDir: string, wait?: DatabaseWait): Promise<Database> =>
  openDatabase<Tables>(`${dataDir}/wallet.sqlite`, MIGRATIONS, {
    ...config,
    setting: 'GATEHOUSE_WALLET_DATABASE_URL',
    ...(wait ? { wait } : {}),
  });

/** Finds wrong settings at the start, not at the first request. */
function checkSettings({ url, trustAnchors, issuerTrustAnchors, verifierTrustAnchors }: WalletConfig): void {
  try {
    if (url !== undefined) didWebOf(hostOf(url));
  } catch (error) {
    throw new ConfigError(`GATEHOUSE_WALLET_URL: ${url} cannot be the address of a DID: ${(error as Error).message}`);
  }
  const anchors = {
    TRUST_ANCHORS: trustAnchors,
    ISSUER_TRUST_ANCHORS: issuerTrustAnchors,
    VERIFIER_TRUST_ANCHORS: verifierTrustAnchors,
  };
  for (const [name, file] of Object.entries(anchors)) {
    try {
      if (file !== undefined) accessSync(file, constants.R_OK);
    } catch (error) {
      throw new ConfigError(`GATEHOUSE_WALLET_${name}: ${(error as Error).message}`);
    }
  }
}

/** An operator would learn it from people who cannot sign in with their wallet. */
function warnWithoutAnchors({ config, beside, log }: WalletOptions): void {
  if (beside || (config.verifierTrustAnchors ?? config.trustAnchors) !== undefined) return;
  log.warn(
    'no certificates of verifiers are trusted, so the wallet refuses requests that are signed with one, such as those of the sign-in page of Gatehouse; set GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS to the certificates to trust',
  );
}

export async function createWalletService(options: WalletOptions): Promise<WalletService> {
  checkSettings(options.config);
  const verifiers = readVerifiers(options.config.verifiersFile);
  const db = await openWalletDatabase(options.config, options.dataDir, databaseWaitOf(options));
  try {
    const { isEnforced, restored } = await withoutTimeLimit(() => ensureRowSecurity(db));
    if (restored.length > 0)
      options.log.warn({ tables: restored }, 'row-level security was switched off or changed; it has been restored');
    if (!isEnforced)
      options.log.warn('the database user is a superuser: row-level security does not apply to it; use a role of its own');
    warnWithoutAnchors(options);
    return createServiceOn(db, await openStores(options.config, options.seal), verifiers, options);
  } catch (error) {
    // For example a wrong PIN. The next attempt must be able to open the database.
    await db.close();
    throw error;
  }
}

/** The wallet's part of `gatehouse master-key rotate`. */
export async function resealWallet(options: Pick<WalletOptions, 'config' | 'dataDir' | 'seal'>): Promise<ResealResult> {
  const db = await openWalletDatabase(options.config, options.dataDir);
  try {
    return await withoutTimeLimit(() => resealAll(db, options.seal));
  } finally {
    await db.close();
  }
}

function createServiceOn(db: Database, stores: KeyStores, verifiers: RegisteredVerifiers, options: WalletOptions): WalletService {
  const { config, log, clock } = options;
  const metrics = options.metrics ?? createMetrics();
  let address = serviceUrl(config, options.tls !== undefined, options.localName);
  const publicUrl = (): string => address;

  const modules = buildModules(db, { ...options, metrics, stores, verifiers, publicUrl });
  const { routeDeps, change, keys, dids, exchanges, publication, idempotency } = modules;

  const app: WalletApp = createApp();
  mountWallet(app, routeDeps);

  const probes = mountProbes(
    app,
    { database: () => db.ping(), wallet: keys.tryNodeKey },
    { reported: { identityProvider: () => modules.provider.ping() } },
  );

  const apiPages = createApiPages({
    title: 'Gatehouse Wallet',
    version,
    read: () => walletOpenApi(address),
  });

  const server: Server = createServer<Caller>({
    app,
    errorFormatOf: () => problemErrors,
    authenticate: modules.authenticate,
    authorize,
    mounts: [modules.pages.mount, apiPages, createGuidePages()],
    ...(options.memoryAdapter === undefined ? {} : { memoryAdapter: options.memoryAdapter }),
    headers: commonHeaders,
    requestIdHeader: REQUEST_ID_HEADER,
    newRequestId: randomUUID,
    log,
    times: metrics.timesOf('wallet'),
    publicUrl,
    pages: { url: publicUrl, isPage: (_url, { accept }) => modules.pages.wantsPage(accept) },
    secure: address.startsWith('https:'),
    trustedProxies: options.trustedProxies,
    bodyLimit: config.bodyLimit,
    tls: options.tls,
    ...(options.checkReplies ? { checkReplies: true } : {}),
  });

  const runMaintenance = async () => ({
    retired: await retireKeys({ db, clock, change, publication }),
    expired: await sweepExpired(db, [idempotency, modules.sessions, exchanges]),
    destroyed: await keys.destroyPending(),
    audited: await modules.auditExports.sweep(),
  });
  const continueWaiting = async () => ({ continued: await continueExchanges(exchanges, routeDeps.issuance, log) });
  /** Two separate jobs: a slow issuer must not delay the removal of keys from documents. */
  const sweepers = new Map<string, Job>();
  registerWallet(metrics, {
    ...modules,
    db,
    clock,
    config,
    logins: routeDeps.logins,
    sweepLags: () => Object.fromEntries([...sweepers].map(([name, job]) => [name, job.lagSeconds()])),
  });

  return {
    metrics,
    keys,
    url: publicUrl,
    reseal: () => withoutTimeLimit(() => resealAll(db, options.seal)),
    sweep: async () => ({ ...(await runMaintenance()), ...(await continueWaiting()) }),
    async start() {
      // With port 0 the address, and with it the DID, is known only after the server listens.
      const isAddressKnown = config.url !== undefined || config.port !== 0;
      if (db.dialect === 'sqlite') await exchanges.releaseStaleClaims();
      if (isAddressKnown) await dids.ensureNode(theNode);
      const listening = await server.listen(config.host, config.port, options.reserved);
      if (!isAddressKnown) {
        address = serviceUrl({ ...config, port: Number(new URL(listening).port) }, options.tls !== undefined, options.localName);
        await dids.ensureNode(theNode);
      }
      sweepers.set('maintenance', startSweeper(log, runMaintenance, clock)).set('exchanges', startSweeper(log, continueWaiting));
      modules.auditExports.start();
      return listening;
    },
    drain: probes.drain,
    async stop(graceMs) {
      // A job may be waiting for another service. Its progress is stored, and the next start continues it.
      const jobs = Promise.all([...sweepers.values(), modules.auditExports].map((job) => job.stop()));
      await Promise.all([server.close(graceMs), waitAtMost(graceMs, jobs)]);
      await Promise.all(Object.values(stores).map((store) => store.close()));
      await db.close();
    },
  };
}
