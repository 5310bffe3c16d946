// The data folder: SQLite files and the master key. Only its owner has access.
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from './platform/config/index.ts';
import { createFile, replaceFile } from './platform/durable-file.ts';
import { createSeal, newMasterKey } from './platform/seal/index.ts';
import type { SharedConfig } from './settings.ts';

export const KEY_FILE = 'master.key';
/** What to do without a usable file. */
const MEND = 'put the file back from a backup, or give the key by GATEHOUSE_MASTER_KEY or GATEHOUSE_MASTER_KEY_FILE';

export const DATABASES = ['identity.sqlite', 'wallet.sqlite'];

export function openDataFolder(path: string): string {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    throw new ConfigError(
      `GATEHOUSE_DATA_DIR: cannot use ${folder} (${(error as NodeJS.ErrnoException).code}); give a folder this user may write to`,
    );
  }
  return folder;
}

/** From a setting, else from the data folder, where the first start creates the key. The first key is the current one. */
export function masterKeys(shared: SharedConfig, folder: string, mustBeGiven: boolean): string[] {
  const old = shared.oldMasterKeys?.split(',').map((key) => key.trim()) ?? [];
  if (shared.masterKey) return [shared.masterKey, ...old];
  if (mustBeGiven)
    throw new ConfigError(
      'GATEHOUSE_MASTER_KEY must be set with PostgreSQL, the same for every replica; make one with: gatehouse master-key new',
    );
  const file = join(folder, KEY_FILE);
  if (!existsSync(file)) makeMasterKey(folder, file);
  return [...keysIn(file), ...old];
}

function keysIn(file: string): string[] {
  const keys = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (keys.length === 0) throw new ConfigError(`GATEHOUSE_MASTER_KEY: ${file} is empty; ${MEND}`);
  try {
    createSeal(keys);
  } catch (error) {
    throw new ConfigError(`GATEHOUSE_MASTER_KEY: ${file}: each line ${(error as Error).message}; ${MEND}`);
  }
  return keys;
}

/** The same without creating one. Empty if there is none. */
export function existingMasterKeys(shared: SharedConfig, folder: string, mustBeGiven: boolean): string[] {
  const isMissing = !shared.masterKey && (mustBeGiven || !existsSync(join(folder, KEY_FILE)));
  return isMissing ? [] : masterKeys(shared, folder, mustBeGiven);
}

/** Never creates a key beside an existing database: it could not open anything in it, but would look like the right one. */
function makeMasterKey(folder: string, file: string): void {
  const database = DATABASES.find((name) => existsSync(join(folder, name)));
  if (database !== undefined)
    throw new ConfigError(
      `GATEHOUSE_MASTER_KEY: ${file} is missing, and ${database} beside it cannot be opened without it; ${MEND}`,
    );
  createFile(file, `${newMasterKey()}\n`);
}

/** Adds a new current key. The old ones are kept to open what they sealed. */
export function addMasterKey(folder: string, keys: readonly string[]): string[] {
  const all = [newMasterKey(), ...keys];
  storeMasterKeys(folder, all);
  return all;
}

export function storeMasterKeys(folder: string, keys: readonly string[]): void {
  replaceFile(join(folder, KEY_FILE), `${keys.join('\n')}\n`);
}

export function createSealOrFail(keys: readonly string[]): ReturnType<typeof createSeal> {
  try {
    return createSeal(keys);
  } catch (error) {
    throw new ConfigError(`GATEHOUSE_MASTER_KEY ${(error as Error).message}`);
  }
}
