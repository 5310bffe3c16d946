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
  /** When it was restored for a try; absent if it was not. */
  readonly verifiedAt?: string | undefined;
}

export interface BackupFailure {
  readonly at: string;
  readonly reason: string;
}

/** A success ends the report of a failure. */
export function noteBackup(folder: string, backup: LastBackup): void {
  replaceFile(join(folder, FILE), `${JSON.stringify(backup)}\n`);
  rmSync(join(folder, FAILURE_FILE), { force: true });
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

/** Undefined if there is none. */
export function lastBackup(folder: string): LastBackup | undefined {
  const found = readJson<LastBackup>(join(folder, FILE));
  if (!isTime(found?.madeAt) || !Array.isArray(found.files)) return undefined;
  const { madeAt, files, verifiedAt } = found;
  return { madeAt, files: files.map(String), ...(isTime(verifiedAt) ? { verifiedAt } : {}) };
}

/** The failure of the last attempt; undefined if it succeeded. */
export function lastBackupFailure(folder: string): BackupFailure | undefined {
  const found = readJson<BackupFailure>(join(folder, FAILURE_FILE));
  return isTime(found?.at) ? { at: found.at, reason: String(found.reason) } : undefined;
}
