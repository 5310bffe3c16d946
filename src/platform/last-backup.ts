// When a backup was last made, checked, or failed. Files beside the databases: only the service writes to those.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './durable-file.ts';

const FILE = 'last-backup.json';
const FAILURE_FILE = 'backup-failure.json';

export interface LastBackup {
  readonly madeAt: string;
  /** Names of the files in it. */
  readonly files: readonly string[];
  /** When one was last test-restored: this one, or one before; absent: never. */
  readonly verifiedAt?: string | undefined;
  /**
   * When one of the schedule was last test-restored: those that somebody asks for take nothing from it. Null: never; absent: as `verifiedAt`, because
   * an earlier version noted it.
   */
  readonly scheduledAt?: string | null | undefined;
}

export interface BackupFailure {
  readonly at: string;
  readonly reason: string;
  /** Somebody had asked for it. */
  readonly isAsked?: boolean | undefined;
}

/**
 * A backup that was test-restored ends the report of a failure. One that was not tells nothing about those on a schedule: their last
 * success and their failure stay.
 */
export function noteBackup(
  folder: string,
  { isAsked = false, ...backup }: Omit<LastBackup, 'scheduledAt'> & { readonly isAsked?: boolean },
): void {
  const before = lastBackup(folder);
  const verifiedAt = backup.verifiedAt ?? before?.verifiedAt;
  const scheduledAt = (isAsked ? undefined : backup.verifiedAt) ?? lastScheduled(before) ?? null;
  replaceFile(join(folder, FILE), `${JSON.stringify({ ...backup, verifiedAt, scheduledAt })}\n`);
  if (backup.verifiedAt !== undefined) rmSync(join(folder, FAILURE_FILE), { force: true });
}

export const noteBackupFailure = (folder: string, failure: BackupFailure): void =>
  replaceFile(join(folder, FAILURE_FILE), `${JSON.stringify(failure)}\n`);

function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

const isTime = (text: unknown): text is string => typeof text === 'string' && !Number.isNaN(Date.parse(text));

/** Clocks are set back by a little now and then. */
const TOLERANCE_MS = 5 * 60_000;

/** Noted while the clock was wrong. Taken for true, it would stop backups and warnings until then. */
export const isInFuture = (time: string, now: number): boolean => Date.parse(time) > now + TOLERANCE_MS;

/** Undefined if there is none. A time in the future counts as absent. */
export function lastBackup(folder: string, now = Date.now()): LastBackup | undefined {
  const found = readJson<LastBackup>(join(folder, FILE));
  if (!isTime(found?.madeAt) || isInFuture(found.madeAt, now) || !Array.isArray(found.files)) return undefined;
  const { madeAt, files, verifiedAt, scheduledAt } = found;
  const isPast = (text: unknown): text is string => isTime(text) && !isInFuture(text, now);
  return {
    madeAt,
    files: files.map(String),
    ...(isPast(verifiedAt) ? { verifiedAt } : {}),
    ...(scheduledAt === undefined ? {} : { scheduledAt: isPast(scheduledAt) ? scheduledAt : null }),
  };
}

/** When one of the schedule was last test-restored; undefined: never. */
export const lastScheduled = (backup: LastBackup | undefined): string | undefined =>
  (backup?.scheduledAt === undefined ? backup?.verifiedAt : backup.scheduledAt) ?? undefined;

/** Whether this one was test-restored, and not only one before. */
export const isVerified = ({ madeAt, verifiedAt }: LastBackup): boolean =>
  verifiedAt !== undefined && Date.parse(verifiedAt) >= Date.parse(madeAt);

/** The failure of the last attempt; undefined if it succeeded. */
export function lastBackupFailure(folder: string): BackupFailure | undefined {
  const found = readJson<BackupFailure>(join(folder, FAILURE_FILE));
  return isTime(found?.at)
    ? { at: found.at, reason: String(found.reason), ...(found.isAsked === true ? { isAsked: true } : {}) }
    : undefined;
}
