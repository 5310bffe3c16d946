// A folder of keys that Keystone replaces while it runs. It is read again when it changes; when it cannot be read, those read before stay.
// Keys never get into a message: it names the file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';

const CHECK_MS = 1000;
const MAX_BYTES = 8192;

export interface KeyFolderOptions<Key> {
  /** The name of the setting. */
  readonly setting: string;
  readonly folder: string;
  /** Each key may have to be tried for a forged token. */
  readonly most: number;
  /** What it has, in words. */
  readonly what: string;
  /** Which files are keys. */
  readonly isKey: (name: string) => boolean;
  /** Undefined when it is none. */
  readonly parse: (text: string) => Key | undefined;
  readonly log: Log;
}

export function createKeyFolder<Key>({ setting, folder, most, what, isKey, parse, log }: KeyFolderOptions<Key>) {
  let keys: readonly Key[] = [];
  let version: string | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let warned = '';

  const refuse = (why: string): never => {
    throw new ConfigError(`${setting}: ${why}`);
  };

  /** The newest first: most tokens were made with it. */
  function filesNow(): { readonly path: string; readonly version: string }[] {
    const names = readdirSync(folder)
      .filter((name) => !name.startsWith('.') && isKey(name))
      .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
    return names.flatMap((name) => {
      const path = join(folder, name);
      const state = statSync(path);
      // Keystone leaves out one that it is just writing.
      if (!state.isFile() || state.size === 0) return [];
      if (state.size > MAX_BYTES) return refuse(`${path} is too large for a key`);
      return { path, version: `${name} ${state.mtimeMs} ${state.size} ${state.ino}` };
    });
  }

  function read(): boolean {
    const files = filesNow();
    const found = files.map((file) => file.version).join('\n');
    if (found === version) return false;
    if (files.length === 0) refuse(`${folder} has no ${what}`);
    if (files.length > most) refuse(`${folder} has ${files.length} keys; ${most} are read at most`);
    keys = files.map(({ path }) => parse(readFileSync(path, 'utf8')) ?? refuse(`${path} is not one of the ${what}`));
    version = found;
    return true;
  }

  /** Errors of files name the path, and never what is in it. */
  const reasonOf = (error: unknown): string =>
    error instanceof ConfigError
      ? error.message
      : `${setting}: cannot read ${(error as NodeJS.ErrnoException).path ?? folder} (${(error as NodeJS.ErrnoException).code}); give the path of a readable folder with the ${what}`;

  try {
    read();
  } catch (error) {
    throw new ConfigError(reasonOf(error));
  }
  checkedAt = performance.now();

  return {
    /** Another list when they changed. */
    keys(): readonly Key[] {
      const now = performance.now();
      if (now - checkedAt < CHECK_MS) return keys;
      checkedAt = now;
      try {
        if (read()) log.info({ folder, keys: keys.length }, `${what} read again`);
        warned = '';
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== warned) log.warn({ folder, reason }, `${what} cannot be read; those read before stay`);
        warned = reason;
      }
      return keys;
    },
  };
}
