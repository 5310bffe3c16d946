// A temporary folder with secrets for a backup or a restore. It is always removed: at the end, at a signal, or, after kill -9, by the
// next command or start that finds the folder unlocked.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { FolderInUse, type FolderLock, lockFolder } from './platform/database/index.ts';
import { replaceFile, syncFolder } from './platform/durable-file.ts';

const KINDS = ['backup', 'restore'] as const;
/** Contains the path of a half-written file elsewhere, which is removed together with the folder. */
const PARTIAL = 'partial-file';
/** Lists the checked files that are being moved into the data folder. Once it exists, the restore is completed, not undone. */
const INSTALL_LIST = 'placing';
export const PARTIAL_ENDING = '.partial';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class WorkFolder {
  readonly path: string;
  readonly #folder: string;
  readonly #lock: FolderLock;

  /** Inside the data folder, to which others have no access. */
  constructor(folder: string, kind: (typeof KINDS)[number]) {
    removeLeftovers(folder);
    this.#folder = folder;
    // First: a signal that arrives while the folder is being created is handled after this turn of the event loop.
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    [this.path, this.#lock] = newFolder(join(folder, `${kind}-`));
  }

  /** A file elsewhere that must be removed if the work does not finish. */
  willWrite(partial: string): void {
    replaceFile(join(this.path, PARTIAL), partial);
  }

  /** Moves files of this folder into the data folder. If interrupted, the next start completes it. */
  install(names: readonly string[]): void {
    replaceFile(join(this.path, INSTALL_LIST), names.join('\n'));
    installFiles(this.#folder, this.path);
  }

  remove(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    removeFolder(this.#folder, this.path);
    this.#lock.release();
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.remove();
    process.exit(128 + constants.signals[signal]);
  };
}

/** Another process that removes leftovers may lock the new folder first. Then another folder is created. */
function newFolder(prefix: string): [path: string, lock: FolderLock] {
  for (;;) {
    const path = mkdtempSync(prefix);
    try {
      const lock = lockFolder(path);
      // Fails if the folder was removed in the meantime.
      writeFileSync(join(path, 'held'), '');
      return [path, lock];
    } catch (error) {
      if (existsSync(path) && !(error instanceof FolderInUse)) throw error;
    }
  }
}

function installFiles(folder: string, work: string): void {
  const list = join(work, INSTALL_LIST);
  if (!existsSync(list)) return;
  for (const name of readFileSync(list, 'utf8').split('\n')) {
    const [from, to] = [join(work, basename(name)), join(folder, basename(name))];
    if (existsSync(from) && !existsSync(to)) renameSync(from, to);
  }
  syncFolder(folder);
}

function removeFolder(folder: string, work: string): void {
  installFiles(folder, work);
  const note = join(work, PARTIAL);
  const partial = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (partial.endsWith(PARTIAL_ENDING)) rmSync(partial, { force: true });
  rmSync(work, { recursive: true, force: true });
}

/** Temporary files of secrets that were being written. */
const HALF_WRITTEN = /^(?:master\.key|admin-password).*\.(\d+)-[\da-f]+\.tmp$/;

/** A file with our own process id is from a killed process, because leftovers are removed before anything is written. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Removes half-written files of killed processes. With the folder lock all of them are leftovers; without it, files of running
 * processes stay.
 */
export function removeHalfWritten(folder: string, isAlone: boolean): void {
  for (const name of readdirSync(folder)) {
    const pid = HALF_WRITTEN.exec(name)?.[1];
    if (pid !== undefined && (isAlone || !isRunning(Number(pid)))) rmSync(join(folder, name), { force: true });
  }
}

/** Removes the folders of killed commands. A folder that is locked by a running one stays. */
export function removeLeftovers(folder: string): void {
  const found = readdirSync(folder, { withFileTypes: true });
  for (const entry of found) {
    if (!entry.isDirectory() || !KINDS.some((kind) => entry.name.startsWith(`${kind}-`))) continue;
    const work = join(folder, entry.name);
    try {
      const lock = lockFolder(work);
      removeFolder(folder, work);
      lock.release();
    } catch (error) {
      if (error instanceof FolderInUse || !existsSync(work)) continue;
      throw error;
    }
  }
}
