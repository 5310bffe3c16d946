// Shared by the commands: the settings, the data folder, and the service without its server. Commands load what they need when they run:
// the whole service takes most of a second, and help does not need it.
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openDataFolder } from '../data-folder.ts';
import type { Reader } from '../identity/ground/database/index.ts';
import { identitySettings } from '../identity/ground/settings/index.ts';
import type { IdentityService } from '../identity/service.ts';
import { ConfigError, load, refuseUnknownKeys } from '../platform/config/index.ts';
import { lockFolder } from '../platform/database/index.ts';
import { createLog } from '../platform/log/index.ts';
import type { RunOptions } from '../setting-rules.ts';
import { sharedSettings } from '../settings.ts';
import { walletSettings } from '../wallet/ground/settings.ts';

export const print = (text: string): void => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);

export function settings(): Required<RunOptions> {
  refuseUnknownKeys(process.env, sharedSettings, identitySettings, walletSettings);
  return {
    shared: load(sharedSettings, process.env),
    identity: load(identitySettings, process.env),
    wallet: load(walletSettings, process.env),
  };
}

/** Runs work on the service's data without starting its server. */
export async function withService(
  { shared, identity }: Required<RunOptions>,
  work: (service: IdentityService, folder: string) => Promise<string>,
): Promise<void> {
  const { createIdentity } = await import('../run-here.ts');
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl ? undefined : lockFolder(folder);
  const service = await createIdentity(identity, { shared, folder, log: createLog('silent') });
  try {
    print(await work(service, folder));
  } finally {
    await service.stop(0);
    lock?.release();
  }
}

/** For commands that only read: a missing folder is not created. */
export function existingDataFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  if (!existsSync(folder)) throw new ConfigError(`GATEHOUSE_DATA_DIR: there is no folder ${folder}`);
  return folder;
}

/** Reads the database of the identity service, also while services use it. */
export async function withReader(work: (db: Reader) => Promise<void>): Promise<void> {
  const { shared, identity } = settings();
  const folder = identity.databaseUrl ? shared.dataDir : existingDataFolder(shared.dataDir);
  const { readDatabase } = await import('../identity/service.ts');
  const { read, close } = await readDatabase(identity, folder);
  try {
    await work(read);
  } catch (error) {
    if (/no such (table|column)|(relation|column) .* does not exist/.test((error as Error).message))
      throw new ConfigError('the database is not of this version; the next start of the service updates it');
    throw error;
  } finally {
    await close();
  }
}

/** Checks the folder of a file before it is written. */
export function checkFolderOf(file: string): void {
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new ConfigError(`there is no folder ${folder}; make it first, or name a file elsewhere`);
  if (!statSync(folder).isDirectory()) throw new ConfigError(`${folder} is not a folder; name a file elsewhere`);
}
