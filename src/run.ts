// Runs the services: in this process, or in several workers behind one port.
import cluster from 'node:cluster';
import { DATABASE_UNREACHABLE_EXIT } from './platform/database/index.ts';
import { giveBackWhenIdle } from './platform/give-back-memory.ts';
import { createLog, type Log } from './platform/log/index.ts';
import { gatherFromWorkers, serveMetrics } from './platform/metrics/index.ts';
import { waitAtMost } from './platform/wait-at-most.ts';
import { reservePorts } from './ports.ts';
import { checkClientCertificates, checkDatabases, type RunOptions, workersOf } from './setting-rules.ts';
import { onSignal, stopTimeoutMs } from './stopping.ts';

/** The primary owns the ports and the metrics; workers serve. A worker that exits is replaced. */
async function runWorkers(options: RunOptions, log: Log, count: number): Promise<void> {
  const { shared } = options;
  let stopping = false;
  const ports = await reservePorts(options);
  // The workers bind them again and share them.
  await Promise.all([...(ports.identity ?? []), ...(ports.wallet ?? [])].map((port) => port.release()));
  const metricsServer = await serveMetrics(ports.metrics, gatherFromWorkers());
  cluster.on('exit', (worker, code) => {
    if (stopping) return;
    // The next worker would fail for the same reason.
    if (code === 2 || code === DATABASE_UNREACHABLE_EXIT) process.exit(code);
    log.error({ worker: worker.id, code }, 'a worker ended; starting another');
    setTimeout(() => {
      if (!stopping) cluster.fork();
    }, 1000);
  });
  for (let i = 0; i < count; i++) cluster.fork();
  if (shared.collectAfterStart) giveBackWhenIdle();
  onSignal(log, async () => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    await waitAtMost(stopTimeoutMs(shared.drainSeconds), Promise.all(ended));
    for (const worker of workers) worker.process.kill('SIGKILL');
    metricsServer.close();
  });
}

export async function runServices(options: RunOptions): Promise<void> {
  const { shared } = options;
  const log = createLog(shared.logLevel);
  const count = workersOf(shared);
  checkDatabases(options, count);
  checkClientCertificates(options);
  if (count > 1 && cluster.isPrimary) return runWorkers(options, log, count);
  // Imported here, because the primary does not need the services: they are two thirds of its memory.
  const { runInThisProcess } = await import('./run-here.ts');
  await runInThisProcess(options, log, cluster.isPrimary);
}
