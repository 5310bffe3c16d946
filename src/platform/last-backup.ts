// When `gatehouse backup` last ran. A file beside the databases: only the service writes to them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './durable-file.ts';

const FILE = 'last-backup.json';

export interface LastBackup {
  readonly madeAt: string;
  /** Names of the files in it. */
  readonly files: readonly string[];
}

export const noteBackup = (folder: string, backup: LastBackup): void =>
  replaceFile(join(folder, FILE), `${JSON.stringify(backup)}\n`);

/** Undefined if there is none. */
export function lastBackup(folder: string): LastBackup | undefined {
  try {
    const { madeAt, files } = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as LastBackup;
    return Number.isNaN(Date.parse(madeAt)) ? undefined : { madeAt, files: files.map(String) };
  } catch {
    return undefined;
  }
}
