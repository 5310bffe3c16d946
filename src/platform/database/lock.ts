// Only one process may use the SQLite files. The lock is SQLite's own, on a file beside the data. The operating system releases it when
// the process ends, however it ends.
import { DatabaseSync } from 'node:sqlite';
import { isUnwritable } from './errors.ts';

export class FolderInUse extends Error {}

export interface FolderLock {
  release(): void;
}

/**
 * Writes the process id, for people who look for the owner. The lock outlives this transaction, and also works when a full disk refuses
 * the write.
 */
function writeHolder(handle: DatabaseSync): void {
  try {
    handle.exec(
      `create table if not exists holder (pid integer); delete from holder; insert into holder values (${process.pid}); commit`,
    );
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    if (handle.isTransaction) handle.exec('rollback');
  }
}

/** `name`: of the file. By default the lock of who serves from the folder. */
export function lockFolder(folder: string, name = 'gatehouse.lock'): FolderLock {
  const handle = new DatabaseSync(`${folder}/${name}`);
  try {
    handle.exec('pragma locking_mode = exclusive; begin exclusive');
    writeHolder(handle);
  } catch (error) {
    handle.close();
    if (/locked|busy/i.test((error as Error).message)) {
      throw new FolderInUse(
        `${folder} is in use by another gatehouse process; stop it first, or use PostgreSQL to run several (GATEHOUSE_IDENTITY_DATABASE_URL)`,
      );
    }
    throw error;
  }
  return { release: () => handle.close() };
}
