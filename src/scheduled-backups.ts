// Backups on a schedule: one file for each time, checked by restoring it; the newest ones are kept. Another process makes them, so that
// requests do not wait for the checks.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createSealOrFail, existingMasterKeys } from './data-folder.ts';
import { ConfigError } from './platform/config/index.ts';
import { type Job, repeat } from './platform/jobs/index.ts';
import { isInFuture, lastBackup, lastBackupFailure, noteBackupFailure } from './platform/last-backup.ts';
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
  if (failure && !isInFuture(failure.at, now) && now - Date.parse(failure.at) < RETRY_MS) return false;
  const verifiedAt = lastBackup(folder, now)?.verifiedAt;
  return verifiedAt === undefined || slotOf(Date.parse(verifiedAt), shared) < slotOf(now, shared);
}

interface DatabaseLocation {
  /** Undefined on SQLite. */
  readonly databaseUrl?: string | undefined;
}

/** Leftovers in the data folder are removed at a start, and a disk that fails takes both. */
export function checkBackupFolder(
  { backupFolder }: Pick<SharedConfig, 'backupFolder'>,
  dataDir: string,
  { identity, wallet }: { readonly identity?: DatabaseLocation | undefined; readonly wallet?: DatabaseLocation | undefined },
): void {
  if (backupFolder === undefined) return;
  if (identity?.databaseUrl && wallet && !wallet.databaseUrl)
    throw new ConfigError(
      'GATEHOUSE_BACKUP_FOLDER is not for an identity service on PostgreSQL beside a wallet node on SQLite: ' +
        'set GATEHOUSE_WALLET_DATABASE_URL, too, and use pg_dump or pgBackRest for both (docs/guide/operating.md)',
    );
  if ([identity, wallet].every((config) => !config || config.databaseUrl))
    throw new ConfigError(
      'GATEHOUSE_BACKUP_FOLDER is for SQLite; with PostgreSQL use pg_dump or pgBackRest (docs/guide/operating.md)',
    );
  const path = relative(resolve(dataDir), resolve(backupFolder));
  if (path === '' || !path.startsWith('..'))
    throw new ConfigError('GATEHOUSE_BACKUP_FOLDER must be outside the data folder, best on another disk');
}

/** One that exists may serve others, too, so its permissions are left to its owner. */
function prepareFolder(folder: string): void {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (!isNew && statSync(folder).mode & 0o077)
    throw new ConfigError(
      `others may enter ${folder}, and backups contain all secrets; use another folder, or run: chmod 700 ${folder}`,
    );
}

/** Only files with a name that this gives, and never the one just made: names of others are later if the clock was wrong. Returns those removed. */
function removeOld(folder: string, keep: number, made: string): string[] {
  const others = readdirSync(folder).filter((name) => NAME.test(name) && name !== made);
  const old = others.sort().slice(0, Math.max(0, others.length + 1 - keep));
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
    const { backup } = await import('./backup.ts');
    await backup(folder, file, {
      async verify(restored) {
        // The key of the backup itself, unless it is given by a setting.
        const keys = existingMasterKeys(shared, restored, false);
        const { verifyRestored } = await import('./verify-backup.ts');
        verification = await verifyRestored(restored, createSealOrFail(keys));
      },
    });
    return { file, removed: removeOld(to, keep, basename(file)), verification: verification! };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    noteBackupFailure(folder, {
      at: new Date(now).toISOString(),
      reason: error instanceof ConfigError ? message : (code ?? message),
    });
    throw error;
  }
}

function runNode(args: readonly string[], stopping: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-2000);
    });
    // It removes its temporary files.
    stopping.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    child.on('error', fail);
    child.on('exit', (code, signal) => {
      const how = signal === null ? `exit status ${code}` : `ended by ${signal}`;
      if (code === 0) done();
      else fail(new Error(said.trim() || how, { cause: how }));
    });
  });
}

/** Makes a backup in another process: this program again, as a command. A failure that it could not note itself is noted here. */
export async function runBackup(
  folder: string,
  { backupFolder, backupKeep }: Pick<SharedConfig, 'backupFolder' | 'backupKeep'>,
  stopping: AbortSignal,
  program: readonly string[] = [...process.execArgv, process.argv[1]!],
): Promise<void> {
  const before = lastBackupFailure(folder);
  try {
    await runNode([...program, 'scheduled-backup', resolve(backupFolder!), '--keep', String(backupKeep)], stopping);
  } catch (error) {
    const noted = lastBackupFailure(folder);
    const isNoted = noted !== undefined && !isDeepStrictEqual(noted, before);
    // Its messages are in the log; they are not shown elsewhere, because they may be about anything.
    const { cause, code } = error as NodeJS.ErrnoException;
    const reason = `the command failed: ${cause ?? code ?? 'unknown error'}; see the log of the service`;
    if (!isNoted && !stopping.aborted) noteBackupFailure(folder, { at: new Date().toISOString(), reason });
    throw error;
  }
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

/** For a process that has the data folder; there is one. */
export function startBackups(shared: SharedConfig, folder: string, log: Log, metrics: Metrics): Job | undefined {
  const { backupFolder } = shared;
  const secondsOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text) / 1000);
  metrics.gauge(backupMetrics.made, () => secondsOf(lastBackup(folder)?.madeAt));
  metrics.gauge(backupMetrics.verified, () => secondsOf(lastBackup(folder)?.verifiedAt));
  metrics.gauge(backupMetrics.failed, () => Number(lastBackupFailure(folder) !== undefined));
  if (backupFolder === undefined) return undefined;
  // Besides the note, which a full disk may not take.
  let failedAt = Number.NEGATIVE_INFINITY;
  return repeat({
    everyMs: CHECK_MS,
    async run(stopping) {
      if (performance.now() - failedAt < RETRY_MS || !isBackupDue(folder, shared, Date.now())) return;
      try {
        await runBackup(folder, shared, stopping);
      } catch (error) {
        failedAt = performance.now();
        throw error;
      }
      log.info({ folder: backupFolder }, 'made a backup, and test-restored it');
    },
    log,
    failure: 'the scheduled backup failed',
  });
}
