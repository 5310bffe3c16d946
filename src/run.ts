// Runs the services: in this process, or in several workers behind one port.
import cluster from 'node:cluster';
import { accessSync, constants } from 'node:fs';
import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { masterKeys, openDataFolder, sealWith } from './data-folder.ts';
import { createIdentityService, type IdentityService } from './identity/service.ts';
import type { IdentityConfig } from './identity/settings.ts';
import { systemClock } from './platform/clock.ts';
import { ConfigError } from './platform/config/index.ts';
import { type FolderLock, lockFolder } from './platform/database/index.ts';
import { createLog, type Log } from './platform/log/index.ts';
import { serveMetrics } from './platform/metrics/index.ts';
import type { SharedConfig } from './settings.ts';
import type { WalletConfig } from './wallet/settings.ts';

const GRACE_MS = 10_000;

export interface RunOptions {
  readonly shared: SharedConfig;
  readonly identity: IdentityConfig;
  /** Of the wallet node, when it belongs to this installation. */
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

export function createIdentity({ shared, identity }: RunOptions, folder: string, log: Log): Promise<IdentityService> {
  if (identity.webhookUrl && !identity.webhookSecret)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_WEBHOOK_SECRET must be set with GATEHOUSE_IDENTITY_WEBHOOK_URL; it signs what is sent',
    );
  return createIdentityService({
    config: identity,
    dataDir: folder,
    seal: sealWith(masterKeys(shared, folder, identity.databaseUrl !== undefined)),
    log,
    clock: systemClock,
    rateLimits: shared.rateLimits,
    trustedProxies: shared.trustedProxies,
    outboundAllow: shared.outboundAllow,
    tls: tlsOf(shared),
  });
}

const walletUrl = ({ url, host, port }: WalletConfig): string =>
  url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** For people, and so on standard error: standard output belongs to the log. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function announce(address: string, adminPassword: string | undefined, given: boolean): void {
  say(`Gatehouse identity service: ${address}`);
  if (adminPassword === undefined) return;
  say(
    given
      ? 'First administrator: admin, with the password of GATEHOUSE_ADMIN_PASSWORD'
      : `First administrator: admin, password ${adminPassword} (shown only now)`,
  );
  say(`Try:  openstack --os-auth-url ${address}/v3 --os-username admin --os-password ... --os-project-name admin`);
  say('      --os-user-domain-id default --os-project-domain-id default token issue');
}

/** Stops in reverse order on the first signal; a second one does not wait. */
function onSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal }, 'stopping');
      stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}

async function runHere(options: RunOptions, log: Log, metricsHere: boolean): Promise<void> {
  const { shared, identity } = options;
  const folder = openDataFolder(shared.dataDir);
  const lock: FolderLock | undefined = identity.databaseUrl ? undefined : lockFolder(folder);
  const service = await createIdentity(options, folder, log);
  const { address, adminPassword } = await service.start();
  if (options.wallet && !options.wallet.oidcIssuer) await service.registerWallet(walletUrl(options.wallet));
  const { registry } = service.metrics;
  let metrics: Server | undefined;
  if (metricsHere) metrics = await serveMetrics(shared.metricsHost, shared.metricsPort, () => registry.metrics());
  else AggregatorRegistry.setRegistries(registry as Registry);
  // Now, not only at the end: a process that is killed would leave nothing for the next start.
  flushCompileCache();
  if (metricsHere || adminPassword !== undefined)
    announce(identity.url ?? address, adminPassword, identity.adminPassword !== undefined);
  // Last: whoever waits for this line finds everything else said.
  log.info({ address }, 'identity service listens');
  onSignal(log, async () => {
    metrics?.close();
    await service.stop(GRACE_MS);
    lock?.release();
  });
}

/** The primary owns the port and the metrics; workers serve. A worker that dies is replaced. */
async function runWorkers(options: RunOptions, log: Log, count: number): Promise<void> {
  const { shared } = options;
  let stopping = false;
  const gathered = new AggregatorRegistry();
  cluster.on('exit', (worker, code) => {
    if (stopping) return;
    if (code === 2) process.exit(2);
    log.error({ worker: worker.id, code }, 'a worker ended; starting another');
    setTimeout(() => cluster.fork(), 1000);
  });
  for (let i = 0; i < count; i++) cluster.fork();
  const metrics = await serveMetrics(shared.metricsHost, shared.metricsPort, () => gathered.clusterMetrics());
  onSignal(log, async () => {
    stopping = true;
    metrics.close();
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    await Promise.all(ended);
  });
}

export async function runServices(options: RunOptions): Promise<void> {
  const { shared, identity } = options;
  const log = createLog(shared.logLevel);
  const count = shared.workers === 'auto' ? availableParallelism() : shared.workers;
  if (count > 1 && !identity.databaseUrl) {
    throw new ConfigError(
      'GATEHOUSE_WORKERS: more than one process needs PostgreSQL; set GATEHOUSE_IDENTITY_DATABASE_URL, or 1 worker',
    );
  }
  if (count > 1 && cluster.isPrimary) await runWorkers(options, log, count);
  else await runHere(options, log, cluster.isPrimary);
}
