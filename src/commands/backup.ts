// backup and restore of the data folder.
import { openDataFolder } from '../data-folder.ts';
import { ConfigError } from '../platform/config/index.ts';
import { type Command, UsageError } from './command.ts';
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
    words: 'scheduled-backup',
    about: 'write a backup with a new name into a folder, test-restore it, and remove old ones (SQLite)',
    more: 'For cron or a systemd timer. The service does the same by itself if GATEHOUSE_BACKUP_FOLDER is set. The overview of the console and gatehouse doctor show a failure.',
    args: [{ name: 'FOLDER', about: 'the folder; it is created, for its owner only' }],
    options: {
      keep: { value: 'NUMBER', about: 'how many backups to keep; GATEHOUSE_BACKUP_KEEP if it is not given' },
      asked: { about: 'beside those on a schedule: it has another name, and as many of this kind are kept' },
    },
    async run({ args: [to], options: { keep, asked } }) {
      const folder = existingDataFolder(sqliteFolder());
      const { shared, identity } = settings();
      if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep))
        throw new UsageError(`gatehouse scheduled-backup: --keep must be a number from 1 to 99999, not "${keep}"`);
      const { backupInto, checkBackupFolder } = await import('../scheduled-backups.ts');
      checkBackupFolder({ backupFolder: to! }, folder, { identity });
      const how = { keep: Number(keep ?? shared.backupKeep), isAsked: asked !== undefined };
      const { file, removed, verification } = await backupInto(folder, to!, how, shared);
      const counts = Object.entries(verification.counts).map(([table, count]) => `${table} ${count}`);
      print(`${file}: test-restored: ${counts.join(', ')}; ${verification.secrets} secrets open`);
      if (verification.damaged.length > 0)
        print(
          `${verification.damaged.length} secrets are damaged, here and in the service: ${verification.damaged.slice(0, 20).join(', ')}`,
        );
      if (removed.length > 0) print(`removed: ${removed.join(', ')}`);
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
