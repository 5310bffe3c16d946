// The data folder: SQLite files and the master key. Only its owner may enter it.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from './platform/config/index.ts';
import { createSeal, newMasterKey } from './platform/seal/index.ts';
import type { SharedConfig } from './settings.ts';

const KEY_FILE = 'master.key';

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

/** Given by a setting, else kept in the data folder, where the first start makes it. The newest line is the key in force. */
export function masterKeys(shared: SharedConfig, folder: string, mustBeGiven: boolean): string[] {
  const old = shared.oldMasterKeys?.split(',').map((key) => key.trim()) ?? [];
  if (shared.masterKey) return [shared.masterKey, ...old];
  if (mustBeGiven)
    throw new ConfigError(
      'GATEHOUSE_MASTER_KEY must be set with PostgreSQL, the same for every replica; make one with: gatehouse master-key new',
    );
  const file = join(folder, KEY_FILE);
  if (!existsSync(file)) writeFileSync(file, `${newMasterKey()}\n`, { mode: 0o600, flag: 'wx' });
  return [...readFileSync(file, 'utf8').split('\n').filter(Boolean), ...old];
}

/** Puts a new key in force, keeping the former ones to open what they sealed. */
export function addMasterKey(folder: string, keys: readonly string[]): string[] {
  const all = [newMasterKey(), ...keys];
  keepMasterKeys(folder, all);
  return all;
}

export function keepMasterKeys(folder: string, keys: readonly string[]): void {
  writeFileSync(join(folder, KEY_FILE), `${keys.join('\n')}\n`, { mode: 0o600 });
}

export function sealWith(keys: readonly string[]): ReturnType<typeof createSeal> {
  try {
    return createSeal(keys);
  } catch (error) {
    throw new ConfigError(`GATEHOUSE_MASTER_KEY ${(error as Error).message}`);
  }
}
