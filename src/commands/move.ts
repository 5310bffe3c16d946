// move-to-postgres: from one machine with SQLite to PostgreSQL.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSealOrFail, KEY_FILE, masterKeys } from '../data-folder.ts';
import { ConfigError } from '../platform/config/index.ts';
import { loadCopyToPostgres, lockFolder } from '../platform/database/index.ts';
import type { Command } from './command.ts';
import { existingDataFolder, print, settings } from './support.ts';

/** When a later database could not be copied: how to go on. */
const howToGoOn = (copied: readonly string[]): string =>
  `${copied.join(', ')}: copied, and not touched again. When the other database is repaired, run this command again, with ` +
  `${copied.map((name) => `${settingOf(name)}=`).join(' ')} (empty) in front of it\n`;

const settingOf = (name: string): string => `GATEHOUSE_${name.toUpperCase()}_DATABASE_URL`;

async function move(): Promise<void> {
  const { shared, identity, wallet } = settings();
  const folder = existingDataFolder(shared.dataDir);
  if (!identity.databaseUrl && !wallet.databaseUrl)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_DATABASE_URL: set it to an empty database of PostgreSQL, and GATEHOUSE_WALLET_DATABASE_URL to another',
    );
  const { checkDatabases } = await import('../setting-rules.ts');
  checkDatabases({ shared, identity, wallet }, 1);
  if (!shared.masterKey)
    throw new ConfigError(`GATEHOUSE_MASTER_KEY must be set to the key of the data folder: ${join(folder, KEY_FILE)}`);
  const { MIGRATIONS: IDENTITY_MIGRATIONS } = await import('../identity/service.ts');
  const { MIGRATIONS: WALLET_MIGRATIONS } = await import('../wallet/service.ts');
  const { actAsEveryone } = await import('../wallet/access/index.ts');
  const databases = [
    { name: 'identity', url: identity.databaseUrl, migrations: IDENTITY_MIGRATIONS },
    { name: 'wallet', url: wallet.databaseUrl, migrations: WALLET_MIGRATIONS, prepare: actAsEveryone },
  ].flatMap(({ name, url, ...rest }) => {
    const file = join(folder, `${name}.sqlite`);
    return url && existsSync(file) ? [{ name, file, url, setting: settingOf(name), ...rest }] : [];
  });
  if (databases.length === 0) throw new ConfigError(`GATEHOUSE_DATA_DIR: ${folder} has nothing that could be copied there`);
  const lock = lockFolder(folder);
  try {
    // With the keys of the settings, which the services on PostgreSQL will have. What they do not open would be lost.
    const { verifyDatabases } = await import('../verify-backup.ts');
    await verifyDatabases(folder, createSealOrFail(masterKeys(shared, folder, true)));
    const { checkCopy, copyToPostgres } = await loadCopyToPostgres();
    for (const database of databases) await checkCopy(database);
    const copied: string[] = [];
    for (const database of databases) {
      const rows = await copyToPostgres(database).catch((error: unknown) => {
        if (copied.length > 0) process.stderr.write(howToGoOn(copied));
        throw error;
      });
      copied.push(database.name);
      print(`${database.name}: ${rows} rows are in PostgreSQL now`);
    }
  } finally {
    lock.release();
  }
}

export const moveCommand: Command = {
  words: 'move-to-postgres',
  about: 'copy the data of the data folder (SQLite) into the empty PostgreSQL databases of the settings',
  more:
    'Stop the service first. GATEHOUSE_MASTER_KEY must be the key of the data folder (master.key). Each database is copied completely or not at all. ' +
    'The files of SQLite stay as they are: remove them when the service works with PostgreSQL.',
  run: move,
};
