// Backups in a folder: one file for each time, checked by restoring it; the newest ones are kept. data-backups.ts says when.
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createSealOrFail, existingMasterKeys } from './data-folder.ts';
import { ConfigError } from './platform/config/index.ts';
import { FolderInUse, type FolderLock, lockFolder } from './platform/database/index.ts';
import { isInFuture, lastBackup, lastBackupFailure, lastScheduled, noteBackupFailure } from './platform/last-backup.ts';
import type { SharedConfig } from './settings.ts';
import type { Verification } from './verify-backup.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A failed one is tried again after this time, not at every check. */
export const RETRY_MS = 15 * MINUTE_MS;
const NAME = /^gatehouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(-asked)?\.tar$/;
/** Held while one is made, by the service or by a command. */
const LOCK = 'backup.lock';

/** Its name begins with the time, so that files sort by age. */
const nameAt = (now: number, isAsked: boolean): string =>
  `gatehouse-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}${isAsked ? '-asked' : ''}.tar`;

/** What the name says; undefined for a file of somebody else. */
export function backupNamed(
  file: string,
): { readonly file: string; readonly madeAt: string; readonly isAsked: boolean } | undefined {
  const [, year, month, day, hours, minutes, seconds, asked] = NAME.exec(file) ?? [];
  if (year === undefined) return undefined;
  const madeAt = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`;
  return Number.isNaN(Date.parse(madeAt)) ? undefined : { file, madeAt, isAsked: asked !== undefined };
}

/** Begins anew every `backupHours`, counted from `backupAt` of a day. */
const slotOf = (now: number, { backupHours, backupAt }: Pick<SharedConfig, 'backupHours' | 'backupAt'>): number =>
  Math.floor((now - backupAt * MINUTE_MS) / (backupHours * HOUR_MS));

/** Whether one of the schedule should be made: none was checked in this interval, and the last failure is not fresh. Those that were asked for do not count. */
export function isBackupDue(folder: string, shared: Pick<SharedConfig, 'backupHours' | 'backupAt'>, now: number): boolean {
  const failure = lastBackupFailure(folder);
  if (failure && !failure.isAsked && !isInFuture(failure.at, now) && now - Date.parse(failure.at) < RETRY_MS) return false;
  const made = lastScheduled(lastBackup(folder, now));
  return made === undefined || slotOf(Date.parse(made), shared) < slotOf(now, shared);
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

/** For those that are asked for where the operator has named no folder. Not in the data folder, whose leftovers are removed at a start. */
export const besideData = (folder: string): string => `${resolve(folder)}-backups`;

/**
 * Nobody has looked at what is beside the data folder. Where that is a disk of its own, as in a container, what is beside it ends with the
 * container; and others who may write there must not say where secrets go.
 */
export function checkBesideData(folder: string): void {
  const [data, to] = [resolve(folder), besideData(folder)];
  const refuse = (why: string): never => {
    throw new ConfigError(`${why}; GATEHOUSE_BACKUP_FOLDER names another folder for backups`);
  };
  const parent = dirname(data);
  if (parent === data || statSync(parent).dev !== statSync(data).dev) refuse('the data folder is a disk of its own');
  const found = lstatSync(to, { throwIfNoEntry: false });
  if (found === undefined) return;
  const owners = [process.getuid?.(), statSync(data).uid];
  if (!found.isDirectory() || !owners.includes(found.uid)) refuse(`${to} is a link, no folder, or somebody else's`);
}

/** One that exists may serve others, too, so its permissions are left to its owner. */
function prepareFolder(folder: string): void {
  let isNew: boolean;
  try {
    isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`the folder for backups cannot be made (${code}); GATEHOUSE_BACKUP_FOLDER names another one`);
  }
  if (!isNew && statSync(folder).mode & 0o077)
    throw new ConfigError(
      `others may enter ${folder}, and backups contain all secrets; use another folder, or run: chmod 700 ${folder}`,
    );
}

/**
 * Only files with a name that this gives, and never the one just made: names of others are later if the clock was wrong. Who asks for many
 * does not push out those on a schedule. Returns those removed.
 */
function removeOld(folder: string, keep: number, made: string, isAsked: boolean): string[] {
  const others = readdirSync(folder).filter((name) => backupNamed(name)?.isAsked === isAsked && name !== made);
  const old = others.sort().slice(0, Math.max(0, others.length + 1 - keep));
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

function lockBackups(folder: string): FolderLock {
  try {
    return lockFolder(folder, LOCK);
  } catch (error) {
    if (error instanceof FolderInUse) throw new ConfigError('another backup is being made; try again when it is there');
    throw error;
  }
}

export interface MadeBackup {
  readonly file: string;
  readonly removed: readonly string[];
  readonly verification: Verification;
}

/** `gatehouse scheduled-backup`: makes a backup, restores it for a try, and removes old ones. A failure is noted for the overview. */
export async function backupInto(
  folder: string,
  to: string,
  { keep, isAsked }: { readonly keep: number; readonly isAsked: boolean },
  shared: SharedConfig,
): Promise<MadeBackup> {
  const now = Date.now();
  let lock: FolderLock | undefined;
  try {
    lock = lockBackups(folder);
    if (isAsked && shared.backupFolder === undefined && resolve(to) === besideData(folder)) checkBesideData(folder);
    prepareFolder(to);
    let verification: Verification | undefined;
    const file = join(to, nameAt(now, isAsked));
    const { backup } = await import('./backup.ts');
    await backup(folder, file, {
      isAsked,
      async verify(restored) {
        // The key of the backup itself, unless it is given by a setting.
        const keys = existingMasterKeys(shared, restored, false);
        const { verifyRestored } = await import('./verify-backup.ts');
        verification = await verifyRestored(restored, createSealOrFail(keys));
      },
    });
    return { file, removed: removeOld(to, keep, basename(file), isAsked), verification: verification! };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    noteBackupFailure(folder, {
      at: new Date(now).toISOString(),
      reason: error instanceof ConfigError ? message : (code ?? message),
      isAsked,
    });
    throw error;
  } finally {
    lock?.release();
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

interface RunOptions {
  /** Somebody asked for it; otherwise it is one of the schedule. */
  readonly isAsked?: boolean;
  readonly program?: readonly string[];
}

/** Makes a backup in another process: this program again, as a command. A failure that it could not note itself is noted here. */
export async function runBackup(
  folder: string,
  { backupFolder, backupKeep }: Pick<SharedConfig, 'backupFolder' | 'backupKeep'>,
  stopping: AbortSignal,
  { isAsked = false, program = [...process.execArgv, process.argv[1]!] }: RunOptions = {},
): Promise<void> {
  const before = lastBackupFailure(folder);
  try {
    const keep = ['--keep', String(backupKeep), ...(isAsked ? ['--asked'] : [])];
    await runNode([...program, 'scheduled-backup', resolve(backupFolder!), ...keep], stopping);
  } catch (error) {
    const noted = lastBackupFailure(folder);
    const isNoted = noted !== undefined && !isDeepStrictEqual(noted, before);
    // Its messages are in the log; they are not shown elsewhere, because they may be about anything.
    const { cause, code } = error as NodeJS.ErrnoException;
    const reason = `the command failed: ${cause ?? code ?? 'unknown error'}; see the log of the service`;
    if (!isNoted && !stopping.aborted) noteBackupFailure(folder, { at: new Date().toISOString(), reason, isAsked });
    throw error;
  }
}
