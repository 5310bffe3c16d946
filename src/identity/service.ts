// The identity service: database, rooms (modules.ts), routes and server.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { identityOpenApi } from '../openapi.ts';
import { createAuditExports, createDestinations } from '../platform/audit-export/index.ts';
import { type EffectiveSetting, serviceUrl } from '../platform/config/index.ts';
import {
  type DatabaseReader,
  type DatabaseWait,
  databaseWaitOf,
  openDatabase as open,
  readDatabase as read,
} from '../platform/database/index.ts';
import { withoutTimeLimit } from '../platform/deadline.ts';
import { createApp, createServer, type ErrorFormat, mountProbes, type Server } from '../platform/http/index.ts';
import type { Job } from '../platform/jobs/index.ts';
import { createMetrics, type Metrics } from '../platform/metrics/index.ts';
import { createApiPages, createGuidePages } from '../platform/pages/index.ts';
import type { ReservedPort } from '../platform/reserved-port.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';
import { version } from '../version.ts';
import { authorize, createAuthenticate, type IdentityApp } from './access/rules/index.ts';
import type { Consumers } from './applications/consumers/index.ts';
import type { Database, Tables } from './ground/database/index.ts';
import type { Links } from './ground/links/index.ts';
import { pageErrors } from './ground/look/index.ts';
import type { Mail } from './ground/mail/index.ts';
import type { ModuleOptions } from './ground/module-options.ts';
import { commonHeaders, keystoneErrors, oauthErrors, REQUEST_ID_HEADER } from './ground/resource/index.ts';
import { createServiceSettings } from './ground/service-settings/index.ts';
import type { IdentityConfig } from './ground/settings/index.ts';
import type { TokenKeys } from './login/tokens/index.ts';
import { identityMetrics, registerIdentity } from './metrics.ts';
import { buildModules } from './modules.ts';
import { opensPage, wantsPage } from './openid/paths/index.ts';
import type { OpenidKeys, WalletRegistrationOptions } from './openid/provider/index.ts';
import { identityCadf } from './operations/audit-export/index.ts';
import {
  bootstrap,
  type DeliverPassword,
  ensureBuiltInApplication,
  isAdminPassword,
  localNameOf,
  resetAdminPassword,
  warnWithoutAdministrator,
} from './operations/bootstrap/index.ts';
import { startSweeper } from './operations/jobs/index.ts';
import type { AccountDeletion } from './provisioning/account-deletion/index.ts';
import type { Imports } from './provisioning/import/index.ts';
import type { Waiting } from './provisioning/registration/index.ts';
import { type Connections, canonicalUrl, scimErrors } from './provisioning/scim/index.ts';
import type { IssuerKeys, KnownSigner } from './role-credentials/issuer/index.ts';
import { mountIdentity } from './routes.ts';

export type { DeliverPassword };

const SCIM = '/scim/';
/** Keystone's token endpoint of OAuth2, beside its own API. */
const OAUTH2_TOKEN = '/v3/OS-OAUTH2/token';
export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

export interface IdentityServiceOptions extends Omit<ModuleOptions, 'issuer' | 'onRequest' | 'serviceSettings'> {
  /** Where each setting comes from, to be shown to administrators. What the operator has set cannot be changed by them. */
  readonly settings?: readonly EffectiveSetting[];
  /** Requests answered from memory bypass the web framework. */
  readonly memoryAdapter?: boolean;
  readonly trustedProxies: readonly string[];
  /** The port, when it was reserved before the start. */
  readonly reserved?: readonly ReservedPort[] | undefined;
  /** How long the start waits for PostgreSQL; not at all by default. */
  readonly databaseWaitSeconds?: number;
  /** Shared by the services of a process; its own by default. */
  readonly metrics?: Metrics;
  /** For tests: responses are checked against their schemas. */
  readonly checkReplies?: boolean;
}

export interface IdentityService {
  readonly metrics: Metrics;
  readonly tokenKeys: TokenKeys;
  readonly consumers: Consumers;
  readonly connections: Connections;
  readonly openidKeys: OpenidKeys;
  readonly issuerKeys: IssuerKeys;
  readonly mail: Mail;
  readonly links: Links;
  readonly accountDeletion: AccountDeletion;
  readonly waiting: Pick<Waiting, 'sweep'>;
  readonly imports: Imports;
  /** The issuer in its OpenID tokens. */
  issuer(): string;
  /** How wallets know what it signs. */
  asSigner(): KnownSigner;
  /** Registers the wallet node as an application, and returns its client id and secret. */
  registerWallet(walletUrl: string, options?: WalletRegistrationOptions): Promise<{ clientId: string; clientSecret: string }>;
  /** After a change of the master key: encrypts every secret again with the current one. Returns how many. */
  reseal(): Promise<number>;
  /** Makes the data of a new service, as a start does, for commands that need it without a server. */
  prepare(deliver?: DeliverPassword): Promise<void>;
  /**
   * Returns the address, and the administrator's password when this start created one. `deliver` gets the password before it is
   * stored: if it were lost, nobody could log in.
   */
  start(deliver?: DeliverPassword): Promise<{ address: string; adminPassword: string | undefined }>;
  /** Sets the password of the built-in administrator, or generates one. Returns it. */
  resetAdminPassword(chosen: string | undefined): Promise<string>;
  /** Whether this is the password of the built-in administrator. For the service itself: not counted as a guess. */
  isAdminPassword(text: string): Promise<boolean>;
  /** Reports that it is no longer ready, and continues to serve. */
  drain(): void;
  stop(graceMs: number): Promise<void>;
}

const setting = 'GATEHOUSE_IDENTITY_DATABASE_URL';

export const openDatabase = (config: IdentityConfig, dataDir: string, wait?: DatabaseWait): Promise<Database> =>
  open<Tables>(`${dataDir}/identity.sqlite`, MIGRATIONS, {
    ...config,
    setting,
    ...(wait ? { wait } : {}),
  });

/** Opens the database read-only while services use it. Nothing is written, migrated or created. */
export const readDatabase = ({ databaseUrl }: IdentityConfig, dataDir: string): Promise<DatabaseReader<Tables>> =>
  read<Tables>(`${dataDir}/identity.sqlite`, { databaseUrl, setting });

export async function createIdentityService(options: IdentityServiceOptions): Promise<IdentityService> {
  const db = await openDatabase(options.config, options.dataDir, databaseWaitOf(options));
  try {
    return await createServiceOn(db, options);
  } catch (error) {
    // For example a wrong master key. The database must not stay locked for the next try.
    await db.close();
    throw error;
  }
}

function errorFormatOfPath(path: string): ErrorFormat {
  if (path.startsWith(SCIM)) return scimErrors;
  return path.startsWith('/openid/') || path === OAUTH2_TOKEN ? oauthErrors : keystoneErrors;
}

/** What a first start makes. Returns the administrator's password if there was none. */
async function makeData(
  modules: Awaited<ReturnType<typeof buildModules>>,
  { adminPassword }: IdentityConfig,
  url: string,
  deliver: DeliverPassword | undefined,
): Promise<string | undefined> {
  await modules.domainSettings.start();
  const generated = await bootstrap(modules, { url, adminPassword, deliver });
  await ensureBuiltInApplication(modules);
  return generated;
}

async function createServiceOn(db: Database, options: IdentityServiceOptions): Promise<IdentityService> {
  const serviceSettings = createServiceSettings({ db, ...options });
  await serviceSettings.start();
  const { config } = serviceSettings;
  const { log } = options;
  const metrics = options.metrics ?? createMetrics();
  const localName = await localNameOf(db);
  let address = serviceUrl(config, options.tls !== undefined, localName);
  const called = metrics.counter(identityMetrics.outbound);
  const modules = await buildModules(db, {
    ...options,
    config,
    serviceSettings,
    issuer: () => address,
    onRequest: (kind, outcome) => called({ kind, outcome }),
  });
  const { passwords, auth, tokens, tokenKeys, openidKeys, consumers, notifications, peopleSettled, directories } = modules;
  const { replicas } = modules;
  const { mail, links, logouts, signInRequests, connections, openid, reseal, domainSettings, passkeyPolicy, walletSignIn } =
    modules;
  const destinations = createDestinations(config, { service: 'identity', outbound: modules.outbound, clock: options.clock });
  const auditExports = createAuditExports({ ...modules, destinations, days: config.auditDays, toCadf: identityCadf });
  const app: IdentityApp = createApp();
  mountIdentity(app, modules);
  const probes = mountProbes(app, { database: () => db.ping() });
  const apiPages = createApiPages({
    title: 'Gatehouse',
    version,
    read: () => identityOpenApi(address),
  });

  const server: Server = createServer({
    app,
    mounts: [openid.mount, apiPages, createGuidePages()],
    canonicalUrl: (url) => (url.startsWith(SCIM) ? canonicalUrl(url) : url),
    errorFormatOf: (path, headers) => (wantsPage(path, headers) ? pageErrors(headers, openid.brand()) : errorFormatOfPath(path)),
    authenticate: createAuthenticate(tokens, connections),
    answersOptions: true,
    authorize,
    ...(options.memoryAdapter === undefined ? {} : { memoryAdapter: options.memoryAdapter }),
    headers: commonHeaders,
    requestIdHeader: REQUEST_ID_HEADER,
    newRequestId: () => `req-${randomUUID()}`,
    log,
    times: metrics.timesOf('identity'),
    onAnswer: connections.recordAnswer,
    publicUrl: () => config.url,
    pages: { url: () => address, isPage: opensPage },
    secure: address.startsWith('https:'),
    trustedProxies: options.trustedProxies,
    bodyLimit: config.bodyLimit,
    tls: options.tls && { ...options.tls, asksClients: config.tlsClientCertificates },
    ...(options.checkReplies ? { checkReplies: true } : {}),
  });
  let sweeper: Job | undefined;
  registerIdentity(metrics, {
    ...modules,
    auditExports,
    grants: openid.grants,
    keys: { token: tokenKeys, openid: openidKeys, issuer: modules.issuerIdentity.keys },
    fromMemory: () => server.fromMemory,
    sweepLagSeconds: () => sweeper?.lagSeconds(),
  });

  return {
    metrics,
    tokenKeys,
    consumers,
    connections,
    openidKeys,
    issuerKeys: modules.issuerIdentity.keys,
    mail,
    links,
    accountDeletion: modules.accountDeletion,
    waiting: modules.waiting,
    imports: modules.imports,
    issuer: () => address,
    asSigner: () => modules.issuerIdentity.asSigner(modules.verifierKeys),
    registerWallet: openid.registerWallet,
    reseal: () => withoutTimeLimit(() => reseal()),
    resetAdminPassword: (chosen) => resetAdminPassword(modules, chosen),
    isAdminPassword: (text) => isAdminPassword(modules, text),
    async prepare(deliver) {
      await makeData(modules, config, address, deliver);
    },
    async start(deliver) {
      mail.prepare();
      const adminPassword = await makeData(modules, config, address, deliver);
      await warnWithoutAdministrator(modules);
      await domainSettings.warnOfUnknownDomains(log);
      await passkeyPolicy.refuseImpossible(address);
      await passkeyPolicy.warnImpossible(log, address);
      await walletSignIn.refuseImpossible();
      await Promise.all(modules.followers.map((one) => one.start()));
      await directories.start();
      sweeper = startSweeper({
        ...modules,
        issuerKeys: modules.issuerIdentity.keys,
        auditExports,
      });
      notifications.start();
      auditExports.start();
      mail.start();
      connections.start();
      logouts.start(openid.provider);
      signInRequests.start();
      const listening = await server.listen(config.host, config.port, options.reserved);
      replicas.start();
      // Port 0 means any free port, which is known only now.
      if (config.port === 0)
        address = serviceUrl({ ...config, port: Number(new URL(listening).port) }, options.tls !== undefined, localName);
      return { address: listening, adminPassword };
    },
    drain: probes.drain,
    async stop(graceMs) {
      // Unfinished jobs are continued by the next start.
      const running = [sweeper, notifications, auditExports, mail, logouts, signInRequests, directories, replicas];
      const jobs = Promise.all(running.map((job) => job?.stop()));
      await Promise.all([server.close(graceMs), waitAtMost(graceMs, jobs)]);
      await waitAtMost(graceMs, connections.stop());
      // Waits for password checks whose clients have disconnected.
      await waitAtMost(graceMs, Promise.all([passwords.settled(), auth.settled(), peopleSettled()]));
      domainSettings.stop();
      serviceSettings.stop();
      for (const one of modules.followers) one.stop();
      await db.close();
    },
  };
}
