// Writes files atomically: after a crash there is either the old or the new content. Only the owner may read them, at any moment.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The process id alone is not unique: in two containers that share a folder both processes have id 1. */
export const uniqueSuffix = (): string => `${process.pid}-${randomBytes(4).toString('hex')}`;

/** Makes renames in it durable: they are stored in the folder, not in the file. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writeBeside(path: string, content: string | Uint8Array): string {
  const temporary = `${path}.${uniqueSuffix()}.tmp`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return temporary;
}

/** Creates the file, or replaces it. */
export function replaceFile(path: string, text: string): void {
  const temporary = writeBeside(path, text);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Returns false, and changes nothing, if the file exists. */
export function createFile(path: string, content: string | Uint8Array): boolean {
  const temporary = writeBeside(path, content);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}
