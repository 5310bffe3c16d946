// Builds the identity service: configuration, database, modules, routes, server, in one list that is read from top to bottom.
import { fileURLToPath } from 'node:url';
import type { Clock } from '../platform/clock.ts';
import { openPostgres, openSqlite } from '../platform/database/index.ts';
import { type App, createApp, createServer, mountProbes, type Server, Throttle } from '../platform/http/index.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import type { Seal } from '../platform/seal/index.ts';
import { createAccess } from './access/index.ts';
import { createChanges } from './audit/index.ts';
import { bootstrap } from './bootstrap.ts';
import { type Caller, createAuthenticate } from './caller.ts';
import { createCatalog } from './catalog/index.ts';
import type { Database, Tables } from './database.ts';
import { commonHeaders, keystoneFace, REQUEST_ID_HEADER } from './face.ts';
import { createAssignments, createGrants, createReach, reachableProjectIds } from './grants/index.ts';
import { createGroups } from './groups/index.ts';
import { createPasswords } from './passwords/index.ts';
import { createDomains, createProjects, createTags } from './projects/index.ts';
import { createImpliedRoles, createRoles } from './roles/index.ts';
import { mountIdentity } from './routes.ts';
import type { IdentityConfig } from './settings.ts';
import { startSweeper } from './sweeper.ts';
import { createAuth, createRevocations, createTokenKeys, createTokens, createTokenText, type TokenKeys } from './tokens/index.ts';
import { createUsers } from './users/index.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** Failed attempts, not requests: services that log in often and well are not limited. */
const LIMITS = {
  user: { attempts: 10, perSeconds: 60 },
  address: { attempts: 100, perSeconds: 60 },
};

export interface ServiceOptions {
  readonly config: IdentityConfig;
  readonly dataDir: string;
  readonly seal: Seal;
  readonly log: Log;
  readonly clock: Clock;
  readonly rateLimits: boolean;
  readonly trustedProxies: readonly string[];
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Tests: our own answers are held to their schemas. */
  readonly checkReplies?: boolean;
}

export interface IdentityService {
  readonly metrics: Metrics;
  readonly tokenKeys: TokenKeys;
  /** Where it listens, and the administrator's password when this start made one. */
  start(): Promise<{ address: string; adminPassword: string | undefined }>;
  stop(graceMs: number): Promise<void>;
}

export function openDatabase(config: IdentityConfig, dataDir: string): Promise<Database> {
  return config.databaseUrl
    ? openPostgres<Tables>(config.databaseUrl, MIGRATIONS, config)
    : openSqlite<Tables>(`${dataDir}/identity.sqlite`, MIGRATIONS);
}

/** The address clients use when no other is configured. */
function ownUrl({ url, host, port }: IdentityConfig, tls: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return url ?? `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export async function createIdentityService(options: ServiceOptions): Promise<IdentityService> {
  const { config, clock, log, seal } = options;
  const db = await openDatabase(config, options.dataDir);
  const metrics = createMetrics('identity');
  const change = createChanges(db, clock);
  const access = createAccess(db, clock, config);
  const passwords = await createPasswords({ db, change, clock, config });
  const tokenKeys = await createTokenKeys({ db, change, seal, clock, rules: config });
  const revocations = await createRevocations({ db, change, clock, allowExpiredSeconds: config.allowExpiredSeconds });
  const tokens = createTokens({ access, keys: tokenKeys, revocations, clock, tokenSeconds: config.tokenSeconds });
  const users = createUsers({ db, clock, change, passwords });
  const deps = { db, clock, config, log, change, access, tokens, passwords, users };

  const throttles = {
    user: new Throttle(options.rateLimits ? LIMITS.user : undefined, clock),
    address: new Throttle(options.rateLimits ? LIMITS.address : undefined, clock),
  };
  const domains = createDomains(deps);
  const app: App<Caller> = createApp();
  mountIdentity(app, {
    ...deps,
    throttle: throttles.user,
    auth: createAuth({ ...deps, throttles }),
    tokenText: createTokenText(db),
    revocations,
    domains,
    projects: createProjects({ ...deps, domains }),
    tags: createTags(deps),
    groups: createGroups(deps),
    roles: createRoles(deps),
    implied: createImpliedRoles(deps),
    grants: createGrants(deps),
    assignments: createAssignments(deps),
    reach: createReach(deps),
    catalog: createCatalog(deps),
    projectIdsOf: (userId) => reachableProjectIds(db.read, userId),
  });
  mountProbes(app, { database: () => db.ping() });

  metrics.gauge('gatehouse_access_views', 'Views of users in scopes kept in memory', () => access.size);
  metrics.gauge('gatehouse_revoked_tokens', 'Tokens revoked one by one that have not expired', () => revocations.size);
  metrics.gauge('gatehouse_password_queue', 'Logins waiting for a free core', () => passwords.waiting);
  metrics.gauge(
    'gatehouse_feed_live',
    '1 while changes of other processes arrive, 0 while everything is read from the database',
    () => Number(db.feed.live()),
  );

  const server: Server = createServer({
    app,
    face: keystoneFace,
    authenticate: createAuthenticate(tokens),
    headers: commonHeaders,
    requestIdHeader: REQUEST_ID_HEADER,
    newRequestId: () => `req-${newId().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`,
    log,
    times: metrics.times,
    publicUrl: config.url,
    trustedProxies: options.trustedProxies,
    bodyLimit: config.bodyLimit,
    tls: options.tls,
    ...(options.checkReplies ? { checkReplies: true } : {}),
  });
  let sweeper: ReturnType<typeof startSweeper> | undefined;

  return {
    metrics,
    tokenKeys,
    async start() {
      const adminPassword = await bootstrap(deps, {
        url: ownUrl(config, options.tls !== undefined),
        adminPassword: config.adminPassword,
      });
      sweeper = startSweeper({ revocations, tokenKeys, log, metrics });
      return { address: await server.listen(config.host, config.port), adminPassword };
    },
    async stop(graceMs) {
      await server.close(graceMs);
      await sweeper?.stop();
      await db.close();
    },
  };
}
