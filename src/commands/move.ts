// move-to-postgres: from one machine with SQLite to PostgreSQL.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSealOrFail, masterKeys } from '../data-folder.ts';
import { MIGRATIONS as IDENTITY_MIGRATIONS } from '../identity/service.ts';
import { ConfigError } from '../platform/config/index.ts';
import { loadCopyToPostgres, lockFolder } from '../platform/database/index.ts';
import type { Command } from './command.ts';
import { existingDataFolder, print, settings } from './support.ts';

async function move(): Promise<void> {
  const { shared, identity, wallet } = settings();
  const folder = existingDataFolder(shared.dataDir);
  if (!identity.databaseUrl && !wallet.databaseUrl)
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_DATABASE_URL: set it to an empty database of PostgreSQL, and GATEHOUSE_WALLET_DATABASE_URL to another',
    );
  const { MIGRATIONS: WALLET_MIGRATIONS } = await import('../wallet/service.ts');
  const { actAsEveryone } = await import('../wallet/access/index.ts');
  const databases = [
    { name: 'identity', url: identity.databaseUrl, migrations: IDENTITY_MIGRATIONS },
    { name: 'wallet', url: wallet.databaseUrl, migrations: WALLET_MIGRATIONS, prepare: actAsEveryone },
  ];
  const lock = lockFolder(folder);
  try {
    // With the keys of the settings, which the services on PostgreSQL will have. What they do not open would be lost.
    const { verifyDatabases } = await import('../verify-backup.ts');
    await verifyDatabases(folder, createSealOrFail(masterKeys(shared, folder, true)));
    const { copyToPostgres } = await loadCopyToPostgres();
    for (const { name, url, ...rest } of databases) {
      const file = join(folder, `${name}.sqlite`);
      if (!url || !existsSync(file)) continue;
      const setting = `GATEHOUSE_${name.toUpperCase()}_DATABASE_URL`;
      print(`${name}: ${await copyToPostgres({ file, url, setting, ...rest })} rows are in PostgreSQL now`);
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
