// Runs the services in this process.
import cluster from 'node:cluster';
import { flushCompileCache } from 'node:module';
import { createDataBackups } from './data-backups.ts';
import { createSealOrFail, masterKeys, openDataFolder } from './data-folder.ts';
import { deliverFirstPassword, recoverFirstPassword } from './first-password.ts';
import type { DataBackups } from './identity/ground/module-options.ts';
import { checkTogether } from './identity/ground/service-settings/index.ts';
import { type IdentityConfig, identitySettings } from './identity/ground/settings/index.ts';
import type { IdentityService } from './identity/service.ts';
import { createMasterKeyRotation } from './master-key-rotation.ts';
import { systemClock } from './platform/clock.ts';
import { effectiveSettings, explainListenErrors } from './platform/config/index.ts';
import { type FolderLock, lockFolder } from './platform/database/index.ts';
import { giveBackWhenIdle } from './platform/give-back-memory.ts';
import { otherNamesOf } from './platform/http/index.ts';
import { createLog, type Log } from './platform/log/index.ts';
import { answerPrimary, createMetrics, type Metrics, registerProcess, serveMetrics } from './platform/metrics/index.ts';
import type { Tracing } from './platform/otlp/index.ts';
import type { ReservedPort } from './platform/reserved-port.ts';
import type { MasterSeal } from './platform/seal/index.ts';
import { waitAtMost } from './platform/wait-at-most.ts';
import { reservePorts } from './ports.ts';
import { checkBackupFolder } from './scheduled-backups.ts';
import { checkWallet, configuredProvider, type RunOptions, tlsOf } from './setting-rules.ts';
import { type SharedConfig, sharedSettings } from './settings.ts';
import { onSignal, type Stoppable, stopServices } from './stopping.ts';
import { version } from './version.ts';
import { type WalletConfig, walletSettings } from './wallet/ground/settings.ts';
import type { WalletService } from './wallet/service.ts';
import { removeHalfWritten, removeLeftovers } from './work-folder.ts';

/** A backup that is being made removes its temporary files. */
const BACKUP_STOP_MS = 1_000;
/** Spans that a collector does not take in this time are lost. */
const TRACES_STOP_MS = 2_000;

/** What both services need. */
interface ServiceContext {
  readonly shared: SharedConfig;
  readonly folder: string;
  /** By default each service has a log with its name. */
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Shared by both services if the key is in the data folder. */
  readonly seal?: MasterSeal | undefined;
  /** Undefined without a database in the data folder. */
  readonly backups?: DataBackups | undefined;
  /** The wallet node, once it runs in this process. */
  readonly running?: { wallet?: WalletService };
}

const sealOf = ({ shared, folder }: ServiceContext, databaseUrl: string | undefined): MasterSeal =>
  createSealOrFail(masterKeys(shared, folder, databaseUrl !== undefined));

function common(context: ServiceContext, service: 'identity' | 'wallet', databaseUrl: string | undefined) {
  const { shared, folder, log, metrics } = context;
  return {
    dataDir: folder,
    seal: context.seal ?? sealOf(context, databaseUrl),
    log: log ?? createLog(shared.logLevel, undefined, service),
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

export async function createIdentity(
  identity: IdentityConfig,
  context: ServiceContext,
  reserved?: readonly ReservedPort[],
): Promise<IdentityService> {
  checkTogether(identity, context.folder);
  const settings = effectiveSettings(process.env, sharedSettings, identitySettings, walletSettings);
  const { shared, folder, seal, running } = context;
  const masterKey = seal && createMasterKeyRotation({ shared, folder, seal, wallet: () => running?.wallet });
  // As the wallet node below: a process without it does not load it.
  const { createIdentityService } = await import('./identity/service.ts');
  return createIdentityService({
    config: identity,
    settings,
    ...common(context, 'identity', identity.databaseUrl),
    reserved,
    masterKey,
    backups: identity.databaseUrl ? undefined : context.backups,
    worker: cluster.worker?.id,
  });
}

/** Starts the wallet node with its provider, which may be the identity service in the same process. */
async function startWallet(
  config: WalletConfig,
  identity: IdentityService | undefined,
  context: ServiceContext,
  reserved: readonly ReservedPort[] | undefined,
): Promise<[WalletService, string]> {
  const configured = configuredProvider(config);
  // Resolved once the address of the node is known.
  const registered = Promise.withResolvers<{ clientId: string; clientSecret: string }>();
  // Imported here, so that the identity service need not wait for it, and does not load it if it runs alone.
  const { createWalletService } = await import('./wallet/service.ts');
  const service = await createWalletService({
    config,
    ...common(context, 'wallet', config.databaseUrl),
    reserved,
    beside: identity?.asSigner(),
    // Beside the identity service, it is on the same machine. Other providers may know it by its IP address.
    localName: !configured && new URL(identity!.issuer()).hostname === 'localhost' ? 'localhost' : '127.0.0.1',
    provider: configured ?? {
      issuer: identity!.issuer(),
      knowsOtherNames: true,
      scopes: config.oidcScopes ?? 'openid profile email roles offline_access',
      client: () => registered.promise,
    },
  });
  const address = await explainListenErrors({ ...config, prefix: 'GATEHOUSE_WALLET' }, () => service.start());
  if (!configured)
    registered.resolve(
      await identity!.registerWallet(service.url(), {
        adminRole: config.adminRole,
        keepOtherAddresses: config.url === undefined,
        otherNames: otherNamesOf(service.url(), config.host),
      }),
    );
  return [service, address];
}

/** Prints a line for the operator on standard error; standard output is for the log. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function announce(address: string, mail: string, isFirst: boolean): void {
  say(`Gatehouse identity service: ${address}`);
  say(`Console: ${address}/console   Account: ${address}/account`);
  say(`Mail: ${mail}`);
  if (!isFirst) return;
  say(`Try:  openstack --os-auth-url ${address}/v3 --os-username admin --os-password ... --os-project-name admin`);
  say('      --os-user-domain-id default --os-project-domain-id default token issue');
}

async function startIdentity(service: IdentityService, config: IdentityConfig, folder: string, log: Log) {
  const keep = deliverFirstPassword({ folder, log, say, isGiven: config.adminPassword !== undefined });
  const started = await explainListenErrors({ ...config, prefix: 'GATEHOUSE_IDENTITY' }, () => service.start(keep));
  await recoverFirstPassword({ folder, log, say }, service.isAdminPassword);
  return started;
}

/** OpenTelemetry is loaded only for this. */
async function startTraces(log: Log): Promise<Tracing> {
  const { startTracing, tracingSettingsOf } = await import('./platform/otlp/index.ts');
  return startTracing(tracingSettingsOf(process.env, version), log);
}

export async function runInThisProcess(options: RunOptions, log: Log, isPrimary: boolean): Promise<void> {
  const { shared, identity, wallet } = options;
  if (wallet) checkWallet(wallet, identity === undefined);
  const embedded = [identity, wallet].some((config) => config && !config.databaseUrl);
  checkBackupFolder(shared, shared.dataDir, { identity, wallet });
  const folder = openDataFolder(shared.dataDir);
  const lock: FolderLock | undefined = embedded ? lockFolder(folder) : undefined;
  // Workers get their ports from the primary.
  const ports = isPrimary ? await reservePorts(options) : undefined;
  if (lock) removeLeftovers(folder);
  removeHalfWritten(folder, lock !== undefined);
  const metrics = createMetrics();
  registerProcess(metrics, { version, certFile: tlsOf(shared)?.certFile });
  // First, so that the primary gets an answer while the services are still starting.
  if (!isPrimary) answerPrimary(metrics);
  const tracing = shared.traces && process.env.OTEL_SDK_DISABLED !== 'true' ? await startTraces(log) : undefined;
  const isKeyInFolder = !shared.masterKey && [identity, wallet].every((config) => !config?.databaseUrl);
  const seal = isKeyInFolder ? createSealOrFail(masterKeys(shared, folder, false)) : undefined;
  const backups = embedded ? createDataBackups({ shared, folder, log, metrics }) : undefined;
  const context = { shared, folder, metrics, seal, backups, running: {} as { wallet?: WalletService } };
  const running: Stoppable[] = [];

  const service = identity && (await createIdentity(identity, context, ports?.identity));
  if (service) running.push(service);
  const started = service && identity && (await startIdentity(service, identity, folder, log));
  const [node, walletAddress] = wallet ? await startWallet(wallet, service, context, ports?.wallet) : [];
  if (node) {
    running.push(node);
    context.running.wallet = node;
  }

  backups?.start();
  const metricsServer = ports && (await serveMetrics(ports.metrics, () => metrics.registry.metrics()));
  // Now and not only at exit: a killed process would leave no compile cache for the next start.
  flushCompileCache();
  if (service && identity && started && (isPrimary || started.adminPassword !== undefined))
    announce(service.issuer(), service.mail.about(), started.adminPassword !== undefined);
  if (wallet && isPrimary) say(`Gatehouse wallet node: ${node!.url()}`);
  if (shared.collectAfterStart) giveBackWhenIdle();
  onSignal(log, async () => {
    const ended = backups?.stop();
    await stopServices(running, shared.drainSeconds);
    if (ended) await waitAtMost(BACKUP_STOP_MS, ended);
    if (tracing) await waitAtMost(TRACES_STOP_MS, tracing.stop());
    metricsServer?.close();
    lock?.release();
  });
  // Last, because scripts and tests wait for these lines and may stop the process afterwards.
  if (walletAddress) log.info({ address: walletAddress }, 'wallet node listens');
  if (started) log.info({ address: started.address }, 'identity service listens');
}
