// SQLite has one process. The lock is SQLite's own, on a file beside the data: the system drops it when the process ends, however it ends.
import { DatabaseSync } from 'node:sqlite';

export class FolderInUse extends Error {}

export interface FolderLock {
  release(): void;
}

export function lockFolder(folder: string): FolderLock {
  const handle = new DatabaseSync(`${folder}/gatehouse.lock`);
  try {
    handle.exec('pragma locking_mode = exclusive; begin exclusive; create table if not exists holder (pid integer)');
    handle.exec(`delete from holder; insert into holder values (${process.pid}); commit`);
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
