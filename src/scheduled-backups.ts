// Backups on a schedule: one file for each time, checked by restoring it; the newest ones are kept. Another process makes them, so that
// requests do not wait for the checks.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { backup } from './backup.ts';
import { createSealOrFail, existingMasterKeys } from './data-folder.ts';
import { ConfigError } from './platform/config/index.ts';
import { type Job, repeat } from './platform/jobs/index.ts';
import { lastBackup, lastBackupFailure, noteBackupFailure } from './platform/last-backup.ts';
import type { Log } from './platform/log/index.ts';
import type { MetricDefinitions, Metrics } from './platform/metrics/index.ts';
import type { SharedConfig } from './settings.ts';
import type { Verification } from './verify-backup.ts';

const CHECK_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A failed one is tried again after this time, not at every check. */
const RETRY_MS = 15 * MINUTE_MS;
const NAME = /^gatehouse-\d{8}T\d{6}Z\.tar$/;

/** Its name begins with the time, so that files sort by age. */
const nameAt = (now: number): string => `gatehouse-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}.tar`;

/** Begins anew every `backupHours`, counted from `backupAt` of a day. */
const slotOf = (now: number, { backupHours, backupAt }: Pick<SharedConfig, 'backupHours' | 'backupAt'>): number =>
  Math.floor((now - backupAt * MINUTE_MS) / (backupHours * HOUR_MS));

/** Whether a backup should be made: none was checked in this interval, and the last failure is not fresh. */
export function isBackupDue(folder: string, shared: Pick<SharedConfig, 'backupHours' | 'backupAt'>, now: number): boolean {
  const failure = lastBackupFailure(folder);
  if (failure && now - Date.parse(failure.at) < RETRY_MS) return false;
  const verifiedAt = lastBackup(folder)?.verifiedAt;
  return verifiedAt === undefined || slotOf(Date.parse(verifiedAt), shared) < slotOf(now, shared);
}

/** Leftovers in the data folder are removed at a start, and a disk that fails takes both. */
export function checkBackupFolder(
  { backupFolder }: Pick<SharedConfig, 'backupFolder'>,
  dataDir: string,
  isEmbedded: boolean,
): void {
  if (backupFolder === undefined) return;
  if (!isEmbedded)
    throw new ConfigError(
      'GATEHOUSE_BACKUP_FOLDER is for SQLite; with PostgreSQL use pg_dump or pgBackRest (docs/guide/operating.md)',
    );
  const path = relative(resolve(dataDir), resolve(backupFolder));
  if (path === '' || !path.startsWith('..'))
    throw new ConfigError('GATEHOUSE_BACKUP_FOLDER must be outside the data folder, best on another disk');
}

function prepareFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).mode & 0o077) chmodSync(folder, 0o700);
}

/** Only files with a name that this gives. Returns those removed. */
function removeOld(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  const old = names.sort().slice(0, Math.max(0, names.length - keep));
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

export interface MadeBackup {
  readonly file: string;
  readonly removed: readonly string[];
  readonly verification: Verification;
}

/** `gatehouse scheduled-backup`: makes a backup, restores it for a try, and removes old ones. A failure is noted for the overview. */
export async function backupInto(folder: string, to: string, keep: number, shared: SharedConfig): Promise<MadeBackup> {
  const now = Date.now();
  try {
    prepareFolder(to);
    let verification: Verification | undefined;
    const file = join(to, nameAt(now));
    await backup(folder, file, {
      async verify(restored) {
        // The key of the backup itself, unless it is given by a setting.
        const keys = existingMasterKeys(shared, restored, false);
        const { verifyRestored } = await import('./verify-backup.ts');
        verification = await verifyRestored(restored, createSealOrFail(keys));
      },
    });
    return { file, removed: removeOld(to, keep), verification: verification! };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    noteBackupFailure(folder, {
      at: new Date(now).toISOString(),
      reason: error instanceof ConfigError ? message : (code ?? message),
    });
    throw error;
  }
}

/** This program again, as a command. */
function runCommand(args: readonly string[], stopping: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-2000);
    });
    // It removes its temporary files.
    stopping.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.on('error', fail);
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error(said.trim() || `exit status ${code}`))));
  });
}

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
    help: 'When a backup was last restored for a try; 0: never. Only on SQLite',
    aggregation: 'max',
  },
  failed: {
    name: 'gatehouse_backup_failed',
    type: 'gauge',
    help: '1 if the last attempt at a backup failed. Only on SQLite',
    aggregation: 'max',
  },
} as const satisfies MetricDefinitions;

/** For a process that has the data folder; there is one. */
export function startBackups(shared: SharedConfig, folder: string, log: Log, metrics: Metrics): Job | undefined {
  const { backupFolder, backupKeep } = shared;
  const secondsOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text) / 1000);
  metrics.gauge(backupMetrics.made, () => secondsOf(lastBackup(folder)?.madeAt));
  metrics.gauge(backupMetrics.verified, () => secondsOf(lastBackup(folder)?.verifiedAt));
  metrics.gauge(backupMetrics.failed, () => Number(lastBackupFailure(folder) !== undefined));
  if (backupFolder === undefined) return undefined;
  return repeat({
    everyMs: CHECK_MS,
    async run(stopping) {
      if (!isBackupDue(folder, shared, Date.now())) return;
      await runCommand(['scheduled-backup', resolve(backupFolder), '--keep', String(backupKeep)], stopping);
      log.info({ folder: backupFolder }, 'made a backup, and restored it for a try');
    },
    log,
    failure: 'the scheduled backup failed',
  });
}
