// Runs the services: in this process, or in several workers behind one port.
import cluster from 'node:cluster';
import { accessSync, constants } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { createSealOrFail, masterKeys, openDataFolder } from './data-folder.ts';
import { deliverFirstPassword, recoverFirstPassword } from './first-password.ts';
import { createIdentityService, type IdentityService } from './identity/service.ts';
import type { IdentityConfig } from './identity/settings.ts';
import { systemClock } from './platform/clock.ts';
import { ConfigError, explainListenErrors, serviceUrl } from './platform/config/index.ts';
import { DATABASE_UNREACHABLE_EXIT, type FolderLock, lockFolder } from './platform/database/index.ts';
import { collectWhenIdle } from './platform/garbage-collection.ts';
import { createLog, type Log } from './platform/log/index.ts';
import { answerPrimary, createMetrics, gatherFromWorkers, type Metrics, serveMetrics } from './platform/metrics/index.ts';
import { ReservedPort } from './platform/reserved-port.ts';
import { waitAtMost } from './platform/wait-at-most.ts';
import type { SharedConfig } from './settings.ts';
import { onSignal, type Stoppable, stopServices, stopTimeoutMs } from './stopping.ts';
import type { WalletService } from './wallet/service.ts';
import type { ProviderOptions } from './wallet/session/index.ts';
import type { WalletConfig } from './wallet/settings.ts';
import { removeHalfWritten, removeLeftovers } from './work-folder.ts';

export interface RunOptions {
  readonly shared: SharedConfig;
  /** Undefined: it does not run here. */
  readonly identity?: IdentityConfig;
  readonly wallet?: WalletConfig;
}

function tlsOf({ tlsCertFile, tlsKeyFile }: SharedConfig): { certFile: string; keyFile: string } | undefined {
  if (!tlsCertFile && !tlsKeyFile) return undefined;
  if (!tlsCertFile || !tlsKeyFile)
    throw new ConfigError('GATEHOUSE_TLS_CERT_FILE and GATEHOUSE_TLS_KEY_FILE go together; set both or neither');
  for (const [key, file] of Object.entries({ GATEHOUSE_TLS_CERT_FILE: tlsCertFile, GATEHOUSE_TLS_KEY_FILE: tlsKeyFile })) {
    try {
      accessSync(file, constants.R_OK);
    } catch (error) {
      throw new ConfigError(
        `${key}: cannot read ${file} (${(error as NodeJS.ErrnoException).code}); give the path of a readable PEM file`,
      );
    }
  }
  return { certFile: tlsCertFile, keyFile: tlsKeyFile };
}

/** What both services are built from. */
interface ServiceContext {
  readonly shared: SharedConfig;
  readonly folder: string;
  readonly log: Log;
  readonly metrics?: Metrics;
}

function common({ shared, folder, log, metrics }: ServiceContext, databaseUrl: string | undefined) {
  return {
    dataDir: folder,
    seal: createSealOrFail(masterKeys(shared, folder, databaseUrl !== undefined)),
    log,
    clock: systemClock,
    databaseWaitSeconds: shared.databaseWaitSeconds,
    rateLimits: shared.rateLimits,
    memoryAdapter: shared.memoryAdapter,
    trustedProxies: shared.trustedProxies,
    outboundAllow: shared.outboundAllow,
    tls: tlsOf(shared),
    ...(metrics ? { metrics } : {}),
  };
}

export function createIdentity(
  identity: IdentityConfig,
  ground: ServiceContext,
  reserved?: ReservedPort,
): Promise<IdentityService> {
  if (identity.webhookUrl && !identity.webhookSecret)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_WEBHOOK_SECRET must be set with GATEHOUSE_IDENTITY_WEBHOOK_URL; it signs what is sent',
    );
  return createIdentityService({ config: identity, ...common(ground, identity.databaseUrl), reserved });
}

/** A provider that was configured; undefined when it is to be the identity service beside it. */
function configuredProvider({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
  oidcScopes,
}: WalletConfig): ProviderOptions | undefined {
  if (oidcIssuer === undefined) return undefined;
  if (oidcClientId === undefined)
    throw new ConfigError('GATEHOUSE_WALLET_OIDC_CLIENT_ID must be set with GATEHOUSE_WALLET_OIDC_ISSUER');
  return {
    issuer: oidcIssuer,
    scopes: oidcScopes ?? 'openid profile email',
    client: async () => ({ clientId: oidcClientId, clientSecret: oidcClientSecret }),
  };
}

/** What can be seen from its settings is said before anything is made. */
function checkWallet(config: WalletConfig, isAlone: boolean): void {
  if (config.url && new URL(config.url).pathname !== '/')
    throw new ConfigError('GATEHOUSE_WALLET_URL must have no path: DIDs of the node are made of its host');
  if (!configuredProvider(config) && isAlone)
    throw new ConfigError(
      'GATEHOUSE_WALLET_OIDC_ISSUER must be set for a wallet node that runs alone: the OpenID provider people log in through',
    );
}

/** Starts the wallet node on its provider, which may be the identity service that runs beside it. */
async function startWallet(
  config: WalletConfig,
  identity: IdentityService | undefined,
  ground: ServiceContext,
  reserved: ReservedPort | undefined,
): Promise<[WalletService, string]> {
  const configured = configuredProvider(config);
  // Registered when it is known where the node listens.
  const registered = Promise.withResolvers<{ clientId: string; clientSecret: string }>();
  // Read when it is needed: the identity service beside it need not wait for its modules, nor one that runs alone hold them.
  const { createWalletService } = await import('./wallet/service.ts');
  const service = await createWalletService({
    config,
    ...common(ground, config.databaseUrl),
    reserved,
    provider: configured ?? {
      issuer: identity!.issuer(),
      scopes: config.oidcScopes ?? 'openid profile email roles offline_access',
      client: () => registered.promise,
    },
  });
  const address = await explainListenErrors({ ...config, prefix: 'GATEHOUSE_WALLET' }, () => service.start());
  if (!configured)
    registered.resolve(
      await identity!.registerWallet(
        config.port === 0 && !config.url ? address : serviceUrl(config, tlsOf(ground.shared) !== undefined),
        { adminRole: config.adminRole, beside: config.url === undefined },
      ),
    );
  return [service, address];
}

/** For people, and so on standard error: standard output belongs to the log. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function announce(address: string, isFirst: boolean): void {
  say(`Gatehouse identity service: ${address}`);
  if (!isFirst) return;
  say(`Try:  openstack --os-auth-url ${address}/v3 --os-username admin --os-password ... --os-project-name admin`);
  say('      --os-user-domain-id default --os-project-domain-id default token issue');
}

async function startIdentity(service: IdentityService, config: IdentityConfig, { folder, log }: ServiceContext) {
  const keep = deliverFirstPassword({ folder, log, say, isGiven: config.adminPassword !== undefined });
  const begun = await explainListenErrors({ ...config, prefix: 'GATEHOUSE_IDENTITY' }, () => service.start(keep));
  await recoverFirstPassword({ folder, log, say }, service.isAdminPassword);
  return begun;
}

interface ReservedPorts {
  readonly identity: ReservedPort | undefined;
  readonly wallet: ReservedPort | undefined;
  readonly metrics: ReservedPort;
}

/** Before anything is made: a start that cannot listen leaves nothing behind, and no password that was shown for nothing. */
async function reservePorts({ shared, identity, wallet }: RunOptions): Promise<ReservedPorts> {
  const take = (prefix: string, { host, port }: { host: string; port: number }) =>
    explainListenErrors({ prefix, host, port }, () => ReservedPort.take(host, port));
  const forService = async (prefix: string, config: { host: string; port: number }) => {
    const taken = await take(prefix, config);
    if (config.host !== 'localhost') return taken;
    // That is two addresses on most machines: the server takes both itself.
    await taken.release();
    return undefined;
  };
  return {
    identity: identity && (await forService('GATEHOUSE_IDENTITY', identity)),
    wallet: wallet && (await forService('GATEHOUSE_WALLET', wallet)),
    metrics: await take('GATEHOUSE_METRICS', { host: shared.metricsHost, port: shared.metricsPort }),
  };
}

async function runInThisProcess(options: RunOptions, log: Log, metricsHere: boolean): Promise<void> {
  const { shared, identity, wallet } = options;
  if (wallet) checkWallet(wallet, identity === undefined);
  const folder = openDataFolder(shared.dataDir);
  const embedded = [identity, wallet].some((config) => config && !config.databaseUrl);
  const lock: FolderLock | undefined = embedded ? lockFolder(folder) : undefined;
  // Workers have theirs from the primary.
  const ports = metricsHere ? await reservePorts(options) : undefined;
  if (lock) removeLeftovers(folder);
  removeHalfWritten(folder, lock !== undefined);
  const measured = createMetrics();
  // Before anything else: the primary is answered also while the services are being made.
  if (!metricsHere) answerPrimary(measured);
  const ground = { shared, folder, log, metrics: measured };
  const running: Stoppable[] = [];

  const service = identity && (await createIdentity(identity, ground, ports?.identity));
  if (service) running.push(service);
  const begun = service && identity && (await startIdentity(service, identity, ground));
  const [node, walletAddress] = wallet ? await startWallet(wallet, service, ground, ports?.wallet) : [];
  if (node) running.push(node);

  const metrics = ports && (await serveMetrics(ports.metrics, () => measured.registry.metrics()));
  // Now, not only at the end: a process that is killed would leave nothing for the next start.
  flushCompileCache();
  if (identity && begun && (metricsHere || begun.adminPassword !== undefined))
    announce(identity.url ?? begun.address, begun.adminPassword !== undefined);
  if (wallet && metricsHere) say(`Gatehouse wallet node: ${wallet.url ?? walletAddress}`);
  if (shared.collectAfterStart) collectWhenIdle();
  onSignal(log, async () => {
    await stopServices(running, shared.drainSeconds);
    metrics?.close();
    lock?.release();
  });
  // Last: whoever waits for these lines finds everything else said, and may stop it.
  if (walletAddress) log.info({ address: walletAddress }, 'wallet node listens');
  if (begun) log.info({ address: begun.address }, 'identity service listens');
}

/** The primary owns the port and the metrics; workers serve. A worker that dies is replaced. */
async function runWorkers(options: RunOptions, log: Log, count: number): Promise<void> {
  const { shared } = options;
  let stopping = false;
  const ports = await reservePorts(options);
  // The workers take them again, all of them together.
  await Promise.all([ports.identity?.release(), ports.wallet?.release()]);
  const metrics = await serveMetrics(ports.metrics, gatherFromWorkers());
  cluster.on('exit', (worker, code) => {
    if (stopping) return;
    // What ended this one would end the next as well.
    if (code === 2 || code === DATABASE_UNREACHABLE_EXIT) process.exit(code);
    log.error({ worker: worker.id, code }, 'a worker ended; starting another');
    setTimeout(() => {
      if (!stopping) cluster.fork();
    }, 1000);
  });
  for (let i = 0; i < count; i++) cluster.fork();
  onSignal(log, async () => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    await waitAtMost(stopTimeoutMs(shared.drainSeconds), Promise.all(ended));
    for (const worker of workers) worker.process.kill('SIGKILL');
    metrics.close();
  });
}

export async function runServices(options: RunOptions): Promise<void> {
  const { shared, identity, wallet } = options;
  const log = createLog(shared.logLevel);
  const count = shared.workers === 'auto' ? availableParallelism() : shared.workers;
  const urls = { GATEHOUSE_IDENTITY_DATABASE_URL: identity, GATEHOUSE_WALLET_DATABASE_URL: wallet };
  const missing = Object.entries(urls).find(([, config]) => config && !config.databaseUrl)?.[0];
  if (count > 1 && missing)
    throw new ConfigError(`GATEHOUSE_WORKERS: more than one process needs PostgreSQL; set ${missing}, or 1 worker`);
  if (identity?.databaseUrl && identity.databaseUrl === wallet?.databaseUrl)
    throw new ConfigError('GATEHOUSE_WALLET_DATABASE_URL must name another database than GATEHOUSE_IDENTITY_DATABASE_URL');
  if (count > 1 && cluster.isPrimary) await runWorkers(options, log, count);
  else await runInThisProcess(options, log, cluster.isPrimary);
}
