// backup and restore of the data folder.
import { openDataFolder } from '../data-folder.ts';
import { ConfigError } from '../platform/config/index.ts';
import type { Command } from './command.ts';
import { checkFolderOf, existingDataFolder, print, settings } from './support.ts';

/** PostgreSQL has its own tools, and its data is not in the data folder. */
function sqliteFolder(): string {
  const { shared, identity } = settings();
  if (identity.databaseUrl)
    throw new ConfigError('backup and restore are for SQLite; with PostgreSQL use pg_dump and pg_restore');
  return shared.dataDir;
}

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    about: 'write the data folder into one file, also while the service is running (SQLite)',
    more: 'The file contains the databases and the master key, so keep it safe. An existing file is never overwritten.',
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
    about: 'restore a backup into an empty data folder',
    more: 'The whole backup is checked before any file is restored.',
    args: [{ name: 'FILE', about: 'a file written by gatehouse backup' }],
    async run({ args: [file] }) {
      const { restore } = await import('../backup.ts');
      print(`restored: ${(await restore(openDataFolder(sqliteFolder()), file!)).join(', ')}`);
    },
  },
];
