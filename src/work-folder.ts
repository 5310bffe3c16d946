// Where a backup or a restore puts secrets while it works. However it ends they go: at its end, at a signal, and, after a kill -9, with
// the next command or start that finds the folder held by nobody.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { FolderInUse, type FolderLock, lockFolder } from './platform/database/index.ts';
import { replaceFile, syncFolder } from './platform/durable-file.ts';

const KINDS = ['backup', 'restore'] as const;
/** Names a file elsewhere that is half written, and ends with the work. */
const PARTIAL = 'partial-file';
/** Names the files that were checked and are being put in place: from here on the work is finished, not undone. */
const INSTALL_LIST = 'placing';
export const PARTIAL_ENDING = '.partial';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class WorkFolder {
  readonly path: string;
  readonly #folder: string;
  readonly #lock: FolderLock;

  /** In the data folder, which others cannot enter. */
  constructor(folder: string, kind: (typeof KINDS)[number]) {
    removeLeftovers(folder);
    this.#folder = folder;
    // First: a signal that comes while the folder is made waits for the end of this turn.
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    [this.path, this.#lock] = newFolder(join(folder, `${kind}-`));
  }

  /** A file outside that shall not outlive the work. */
  willWrite(partial: string): void {
    replaceFile(join(this.path, PARTIAL), partial);
  }

  /** Puts files of this folder into the data folder: all of them, if need be with the next start. */
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

/** Whoever looks for leftovers may be faster than we are with the lock: then there is another folder. */
function newFolder(prefix: string): [path: string, lock: FolderLock] {
  for (;;) {
    const path = mkdtempSync(prefix);
    try {
      const lock = lockFolder(path);
      // It fails where the folder was removed between the two.
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

/** Secrets that were being written beside their place. */
const HALF_WRITTEN = /^(?:master\.key|admin-password).*\.(\d+)-[\da-f]+\.tmp$/;

/** Its own number is that of one that was killed: nothing is written before leftovers are removed. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Of a process that was killed. Whoever holds the lock of the folder is the only one to write them; others leave those of the living. */
export function removeHalfWritten(folder: string, isAlone: boolean): void {
  for (const name of readdirSync(folder)) {
    const pid = HALF_WRITTEN.exec(name)?.[1];
    if (pid !== undefined && (isAlone || !isRunning(Number(pid)))) rmSync(join(folder, name), { force: true });
  }
}

/** Of commands that were killed. What is held by one that runs stays. */
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
