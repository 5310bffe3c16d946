// A new master key while the service runs, for a key in the data folder (SQLite). One process has the folder, so there is nobody to wait for.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addMasterKey, existingMasterKeys, storeMasterKeys } from './data-folder.ts';
import { ConfigError } from './platform/config/index.ts';
import { type MasterSeal, masterKeyId } from './platform/seal/index.ts';
import type { ResealResult } from './platform/sealed/index.ts';
import type { SharedConfig } from './settings.ts';

export interface RotationDeps {
  readonly shared: SharedConfig;
  readonly folder: string;
  readonly seal: MasterSeal;
  /** The wallet node in this process; undefined if there is none. */
  wallet(): { reseal(): Promise<ResealResult> } | undefined;
}

export function createMasterKeyRotation({ shared, folder, seal, wallet }: RotationDeps) {
  const oldKeys = shared.oldMasterKeys?.split(',').map((key) => key.trim()) ?? [];
  let running: Promise<{ id: string } | undefined> | undefined;

  /** None if the file is missing, empty or damaged. */
  function keysInFile(): readonly string[] {
    try {
      return existingMasterKeys({ ...shared, oldMasterKeys: undefined }, folder, false);
    } catch (error) {
      if (error instanceof ConfigError) return [];
      throw error;
    }
  }

  async function rotate(resealIdentity: () => Promise<number>): Promise<{ id: string } | undefined> {
    const former = keysInFile();
    // A file that was moved away or exchanged does not have the key in use. Writing it anew would lose the key that everything is sealed under.
    if (former[0] === undefined || masterKeyId(former[0]) !== seal.keyId) return undefined;
    // Stored before it is used: what it seals must open after a crash.
    const keys = addMasterKey(folder, former);
    seal.use([...keys, ...oldKeys]);
    await resealIdentity();
    const node = wallet();
    const isWhole = node ? (await node.reseal()).damaged.length === 0 : !existsSync(join(folder, 'wallet.sqlite'));
    // The former key stays: cookies of the wallet are sealed under it until their sessions end. Older ones go, unless a row may need them.
    if (isWhole) storeMasterKeys(folder, keys.slice(0, 2));
    return { id: seal.keyId };
  }

  return {
    /** Whoever asks meanwhile gets the same new key. Undefined, and nothing is changed, if the file does not have the key in use. */
    rotate(resealIdentity: () => Promise<number>): Promise<{ id: string } | undefined> {
      running ??= rotate(resealIdentity).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
