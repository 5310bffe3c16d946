// backup and restore.
import { openDataFolder } from '../data-folder.ts';
import { ConfigError } from '../platform/config/index.ts';
import type { Command } from './command.ts';
import { checkFolderOf, existingDataFolder, print, settings } from './support.ts';

/** PostgreSQL has tools of its own, and the data folder is not where its data is. */
function sqliteFolder(): string {
  const { shared, identity } = settings();
  if (identity.databaseUrl)
    throw new ConfigError('backup and restore are for SQLite; with PostgreSQL use pg_dump and pg_restore');
  return shared.dataDir;
}

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    about: 'write the data folder into one file, also while the service runs (SQLite)',
    more: 'The file holds the databases and the master key: whoever has it has everything. Nothing is written over.',
    args: [{ name: 'FILE', about: 'the file to write; it must not exist yet' }],
    async run({ args: [file] }) {
      const folder = existingDataFolder(sqliteFolder());
      checkFolderOf(file!);
      const { backup } = await import('../backup.ts');
      print(`${file}: ${(await backup(folder, file!)).join(', ')}`);
    },
  },
  {
    words: 'restore',
    about: 'put a backup into an empty data folder',
    more: 'Everything in it is checked before anything is put in place.',
    args: [{ name: 'FILE', about: 'a file that gatehouse backup has written' }],
    async run({ args: [file] }) {
      const { restore } = await import('../backup.ts');
      print(`restored: ${(await restore(openDataFolder(sqliteFolder()), file!)).join(', ')}`);
    },
  },
];
