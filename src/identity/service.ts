// The identity service: its database, its modules (modules.ts), its routes and its server.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { serviceUrl } from '../platform/config/index.ts';
import {
  type DatabaseReader,
  type DatabaseWait,
  databaseWaitOf,
  openDatabase as open,
  readSqlite,
  withoutTimeLimit,
} from '../platform/database/index.ts';
import { createApp, createServer, mountProbes, type Server } from '../platform/http/index.ts';
import type { Job } from '../platform/jobs/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import type { ReservedPort } from '../platform/reserved-port.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';
import { authorize, createAuthenticate, type IdentityApp } from './access/index.ts';
import {
  bootstrap,
  ensureBuiltInApplication,
  isAdminPassword,
  type KeepPassword,
  resetAdminPassword,
} from './bootstrap/index.ts';
import type { Consumers } from './consumers/index.ts';
import type { Database, Tables } from './database.ts';
import { startSweeper } from './jobs/index.ts';
import { buildModules, type ModuleOptions } from './modules.ts';
import type { OpenidKeys, WalletOptions } from './openid/index.ts';
import { commonHeaders, keystoneErrors, oauthErrors, REQUEST_ID_HEADER } from './resource/index.ts';
import { mountIdentity } from './routes.ts';
import { type Connections, canonicalUrl, scimErrors } from './scim/index.ts';
import type { IdentityConfig } from './settings.ts';
import type { TokenKeys } from './tokens/index.ts';

export type { KeepPassword };

const SCIM = '/scim/';
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

export interface ServiceOptions extends Omit<ModuleOptions, 'issuer'> {
  readonly dataDir: string;
  /** Questions that are answered from memory go past the web framework. */
  readonly memoryAdapter?: boolean;
  readonly trustedProxies: readonly string[];
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Its port, where it was taken beforehand. */
  readonly reserved?: ReservedPort | undefined;
  /** How long a start waits for PostgreSQL; not at all when not given. */
  readonly databaseWaitSeconds?: number;
  /** Shared by the services of a process; one of its own when not given. */
  readonly metrics?: Metrics;
  /** Tests: our own answers are held to their schemas. */
  readonly checkReplies?: boolean;
}

export interface IdentityService {
  readonly metrics: Metrics;
  readonly tokenKeys: TokenKeys;
  readonly consumers: Consumers;
  readonly connections: Connections;
  readonly openidKeys: OpenidKeys;
  /** The address its tokens name as their issuer. */
  issuer(): string;
  /** Registers the wallet node as an application, and hands over what it logs in with. */
  registerWallet(walletUrl: string, options?: WalletOptions): Promise<{ clientId: string; clientSecret: string }>;
  /** After a change of the master key: seals every secret anew under the current one, and says how many. */
  reseal(): Promise<number>;
  /**
   * Where it listens, and the administrator's password when this start made one. `keep` gets it before it is stored: nobody could
   * log in without it.
   */
  start(keep?: KeepPassword): Promise<{ address: string; adminPassword: string | undefined }>;
  /** The built-in administrator gets this password, or a new one, which it returns. */
  resetAdminPassword(given: string | undefined): Promise<string>;
  /** Whether it is the built-in administrator's. For the service itself: it counts as nobody's guess. */
  isAdminPassword(text: string): Promise<boolean>;
  /** Says that it is not ready any more, and goes on serving. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

export const openDatabase = (config: IdentityConfig, dataDir: string, waiting?: DatabaseWait): Promise<Database> =>
  open<Tables>(`${dataDir}/identity.sqlite`, MIGRATIONS, {
    ...config,
    setting: 'GATEHOUSE_IDENTITY_DATABASE_URL',
    ...(waiting ? { wait: waiting } : {}),
  });

/** The embedded database for a look beside the service that owns it: nothing is written, migrated or made. */
export const readDatabase = (dataDir: string): DatabaseReader<Tables> => readSqlite<Tables>(`${dataDir}/identity.sqlite`);

export async function createIdentityService(options: ServiceOptions): Promise<IdentityService> {
  const db = await openDatabase(options.config, options.dataDir, databaseWaitOf(options));
  try {
    return await createOn(db, options);
  } catch (error) {
    // A wrong master key, for one: whoever tries again must not find the database taken.
    await db.close();
    throw error;
  }
}

async function createOn(db: Database, options: ServiceOptions): Promise<IdentityService> {
  const { config, log } = options;
  const metrics = options.metrics ?? createMetrics();
  let address = serviceUrl(config, options.tls !== undefined);
  const modules = await buildModules(db, { ...options, issuer: () => address });
  const { parts, deps, passwords, tokens, users, tokenKeys, revocations, notifications } = modules;
  const { logouts, connections, openid, reseal, domainSettings } = modules;
  const ground = { ...deps, passwords, users };
  const { consumers } = parts;
  const app: IdentityApp = createApp();
  mountIdentity(app, parts);
  const probes = mountProbes(app, { database: () => db.ping() });

  // Every worker knows them all.
  metrics.gauge('gatehouse_revoked_tokens', 'Tokens revoked one by one that have not expired', () => revocations.size, 'max');
  metrics.gauge('gatehouse_password_queue', 'Logins waiting for a free core', () => passwords.waiting);
  metrics.gauge('gatehouse_password_hashes', 'Hashes of passwords begun since the start', () => passwords.hashed);
  metrics.gauge(
    'gatehouse_feed_live',
    '1 while changes of other processes arrive, 0 while everything is read from the database',
    () => Number(db.feed.live()),
    'min',
  );
  metrics.labelledGauge('gatehouse_cache_entries', 'Entries in memory, by cache', 'cache', db.cacheSizes, 'sum');

  const server: Server = createServer({
    app,
    mounts: [openid.mount],
    canonicalUrl: (url) => (url.startsWith(SCIM) ? canonicalUrl(url) : url),
    errorFormatOf: (path) => (path.startsWith(SCIM) ? scimErrors : path.startsWith('/openid/') ? oauthErrors : keystoneErrors),
    authenticate: createAuthenticate(tokens, connections),
    authorize,
    ...(options.memoryAdapter === undefined ? {} : { memoryAdapter: options.memoryAdapter }),
    headers: commonHeaders,
    requestIdHeader: REQUEST_ID_HEADER,
    newRequestId: () => `req-${randomUUID()}`,
    log,
    times: metrics.timesOf('identity'),
    publicUrl: () => config.url,
    secure: address.startsWith('https:'),
    trustedProxies: options.trustedProxies,
    bodyLimit: config.bodyLimit,
    tls: options.tls,
    ...(options.checkReplies ? { checkReplies: true } : {}),
  });
  metrics.totals(
    'gatehouse_memory_adapter_requests_total',
    'Requests answered past the web framework: at once from memory (hits), or after a read (misses)',
    'outcome',
    () => ({ ...server.fromMemory }),
  );
  let sweeper: Job | undefined;

  return {
    metrics,
    tokenKeys,
    consumers,
    connections,
    openidKeys: openid.keys,
    issuer: () => address,
    registerWallet: openid.registerWallet,
    reseal: () => withoutTimeLimit(reseal),
    resetAdminPassword: (given) => resetAdminPassword(ground, given),
    isAdminPassword: (text) => isAdminPassword(ground, text),
    async start(keep) {
      const adminPassword = await bootstrap(ground, {
        url: address,
        adminPassword: config.adminPassword,
        keep,
      });
      await ensureBuiltInApplication({ ...deps, consumers });
      await domainSettings.warnOfUnknownDomains(log);
      sweeper = startSweeper({ ...parts, passwords, tokenKeys, records: openid.records, log, metrics });
      notifications.start();
      logouts.start(openid.provider);
      const listening = await server.listen(config.host, config.port, options.reserved);
      // A port of 0 is any that is free: known only now.
      if (!config.url && config.port === 0) address = listening;
      return { address: listening, adminPassword };
    },
    drain: probes.drain,
    async stop(graceMs) {
      // What a job has not done by then the next start does.
      const jobs = Promise.all([sweeper?.stop(), notifications.stop(), logouts.stop()]);
      await Promise.all([server.close(graceMs), waitAtMost(graceMs, jobs)]);
      // Passwords that are still checked for people who have gone.
      await waitAtMost(graceMs, Promise.all([passwords.settled(), parts.auth.settled()]));
      await db.close();
    },
  };
}
