// Backups that the service makes itself: on a schedule, and when an administrator asks for one. One at a time, in another process, so that
// requests do not wait for the checks.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AskedBackup, DataBackups, KeptBackup } from './identity/ground/module-options.ts';
import { type Job, repeat } from './platform/jobs/index.ts';
import { lastBackup, lastBackupFailure } from './platform/last-backup.ts';
import type { Log } from './platform/log/index.ts';
import type { MetricDefinitions, Metrics } from './platform/metrics/index.ts';
import { backupNamed, besideData, isBackupDue, RETRY_MS, runBackup } from './scheduled-backups.ts';
import type { SharedConfig } from './settings.ts';

const CHECK_MS = 10_000;
const MAX_SHOWN = 100;

export const backupMetrics = {
  made: {
    name: 'gatehouse_backup_timestamp_seconds',
    type: 'gauge',
    help: 'When the last backup was made; 0: never. Only on SQLite',
    aggregation: 'max',
  },
  verified: {
    name: 'gatehouse_backup_verified_timestamp_seconds',
    type: 'gauge',
    help: 'When a backup was last test-restored; 0: never. Only on SQLite',
    aggregation: 'max',
  },
  failed: {
    name: 'gatehouse_backup_failed',
    type: 'gauge',
    help: '1 if the last attempt at a backup failed. Only on SQLite',
    aggregation: 'max',
  },
} as const satisfies MetricDefinitions;

function registerBackups(metrics: Metrics, folder: string): void {
  const secondsOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text) / 1000);
  metrics.gauge(backupMetrics.made, () => secondsOf(lastBackup(folder)?.madeAt));
  metrics.gauge(backupMetrics.verified, () => secondsOf(lastBackup(folder)?.verifiedAt));
  metrics.gauge(backupMetrics.failed, () => Number(lastBackupFailure(folder) !== undefined));
}

/** Those that this service gave a name, the newest first. There is no folder before the first of them. */
async function keptIn(backupFolder: string): Promise<KeptBackup[]> {
  const names = await readdir(backupFolder).catch((): string[] => []);
  const found = names.flatMap((file) => backupNamed(file) ?? []).sort((a, b) => (a.file < b.file ? 1 : -1));
  const kept = found.slice(0, MAX_SHOWN).map(async (one) => {
    // Gone, or a link: nothing that this service has made.
    const state = await lstat(join(backupFolder, one.file)).catch(() => undefined);
    return state?.isFile() ? [{ ...one, bytes: state.size }] : [];
  });
  return (await Promise.all(kept)).flat();
}

export interface DataBackupsOptions {
  readonly shared: SharedConfig;
  readonly folder: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Makes one. Tests replace it. */
  readonly run?: typeof runBackup;
}

/** For a process that has the data folder; there is one. */
export function createDataBackups({ shared, folder, log, metrics, run = runBackup }: DataBackupsOptions) {
  const isScheduled = shared.backupFolder !== undefined;
  const backupFolder = shared.backupFolder ?? besideData(folder);
  const stopping = new AbortController();
  let current: Promise<void> | undefined;
  let asked: AskedBackup | undefined;
  let schedule: Job | undefined;
  // Besides the note of it, which a full disk may not take.
  let failedAt = Number.NEGATIVE_INFINITY;

  async function make(isAsked: boolean): Promise<void> {
    try {
      await run(folder, { ...shared, backupFolder }, stopping.signal, { isAsked });
      log.info({ folder: backupFolder }, 'made a backup, and test-restored it');
    } catch (error) {
      // One that was asked for keeps none of the schedule waiting.
      if (!isAsked) failedAt = performance.now();
      throw error;
    } finally {
      current = undefined;
    }
  }
  const begin = (isAsked: boolean): Promise<void> => (current = make(isAsked));

  async function makeAsked(startedAt: number): Promise<void> {
    asked = { startedAt, outcome: 'running' };
    try {
      await begin(true);
      asked = { startedAt, outcome: 'made' };
    } catch (error) {
      const noted = lastBackupFailure(folder);
      const reason = noted && Date.parse(noted.at) >= startedAt ? noted.reason : undefined;
      asked = { startedAt, outcome: 'failed', reason };
      if (!stopping.signal.aborted) log.warn({ err: error }, 'the backup that was asked for failed');
    }
  }

  const backups: DataBackups = {
    isScheduled,
    begin() {
      if (current !== undefined || stopping.signal.aborted) return false;
      void makeAsked(Date.now());
      return true;
    },
    state: () => ({ isRunning: current !== undefined, asked }),
    kept: () => keptIn(backupFolder),
  };
  registerBackups(metrics, folder);

  return {
    ...backups,
    start(): void {
      if (!isScheduled) return;
      schedule = repeat({
        everyMs: CHECK_MS,
        async run() {
          const isDue = performance.now() - failedAt >= RETRY_MS && isBackupDue(folder, shared, Date.now());
          if (isDue && current === undefined) await begin(false);
        },
        log,
        failure: 'the scheduled backup failed',
      });
    },
    /** Ends the one that is being made. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([schedule?.stop(), current?.catch(() => {})]);
    },
  };
}
