// SQLite has one process. The lock is SQLite's own, on a file beside the data: the system drops it when the process ends, however it ends.
import { DatabaseSync } from 'node:sqlite';
import { isUnwritable } from './errors.ts';

export class FolderInUse extends Error {}

export interface FolderLock {
  release(): void;
}

/** For people who look. In this mode the lock outlives the transaction; on a full disk it holds without the note. */
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

export function lockFolder(folder: string): FolderLock {
  const handle = new DatabaseSync(`${folder}/gatehouse.lock`);
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
