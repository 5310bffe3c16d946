// Secrets that a file refers to, and files for secrets that the service generates. Only files below one folder can be named, so that a
// file from somebody else cannot send other files of this machine to a provider of theirs.
import { lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment } from '../platform/config/index.ts';
import { createFile, replaceFile } from '../platform/durable-file.ts';
import { Refusal } from './client.ts';
import { readSecretFile } from './credentials.ts';
import type { SecretRef, SetupItem } from './model.ts';
import { SetupError, shown } from './text.ts';

export interface Secrets {
  read(reference: SecretRef): string;
  /** Why a file cannot be written. */
  refusal(file: string): string | undefined;
  /** Whether a file was reserved and never written: an earlier run was interrupted. */
  isUnwritten(file: string): boolean;
  /** Creates the file before the secret exists, so that it is not lost because it cannot be written. */
  reserve(file: string): { write(secret: string): void; release(): void };
}

/** The content until the secret exists. A file that somebody emptied is not one that waits for a secret. */
const RESERVED = 'reserved by gatehouse apply\n';

const isReserved = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === RESERVED.length && readFileSync(path, 'utf8') === RESERVED;
};

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

export function createSecrets(folder: string, env: Environment): Secrets {
  /** Links are followed first: what they lead to counts. */
  function place(file: string): string {
    const root = realpathSync(folder);
    const path = resolve(root, file);
    let real: string;
    try {
      real = join(realpathSync(dirname(path)), basename(path));
    } catch {
      throw new SetupError(`there is no folder ${shown(dirname(path))}`);
    }
    if (!isBelow(root, real))
      throw new SetupError(`${shown(file)} is outside of ${shown(root)}; name another folder with --secrets`);
    return real;
  }

  return {
    read(reference) {
      if ('variable' in reference) {
        const value = env[reference.variable];
        if (!value) throw new SetupError(`the variable ${reference.variable} is not set`);
        return value;
      }
      const path = place(reference.file);
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
        if (!isBelow(realpathSync(folder), realpathSync(path)))
          throw new SetupError(`${shown(reference.file)} is a link that leads outside of ${shown(folder)}`);
      }
      return readSecretFile(path);
    },

    refusal(file) {
      try {
        const path = place(file);
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found && !isReserved(path) && (!found.isFile() || found.size > 0))
          return `a secret would be written to ${shown(path)}, which exists already; move it away, or name another file`;
        return undefined;
      } catch (error) {
        if (error instanceof SetupError) return error.message;
        throw error;
      }
    },

    isUnwritten(file) {
      try {
        return isReserved(place(file));
      } catch (error) {
        if (error instanceof SetupError) return false;
        throw error;
      }
    },

    reserve(file) {
      const path = place(file);
      const old = lstatSync(path, { throwIfNoEntry: false });
      if (old?.isFile() && (old.size === 0 || isReserved(path))) rmSync(path);
      try {
        if (!createFile(path, RESERVED)) throw new SetupError(`${shown(path)} exists already`);
      } catch (error) {
        if (error instanceof SetupError) throw error;
        throw new SetupError(`${shown(path)} cannot be created: ${(error as NodeJS.ErrnoException).code}`);
      }
      return {
        write: (secret) => replaceFile(path, `${secret}\n`),
        release() {
          if (isReserved(path)) rmSync(path, { force: true });
        },
      };
    },
  };
}

/** Why something cannot be created without its secrets. */
export function missingSecret(secrets: Secrets, { secrets: references = {}, secretTo }: SetupItem): string | undefined {
  if (secretTo !== undefined) return secrets.refusal(secretTo);
  for (const [field, reference] of Object.entries(references)) {
    try {
      secrets.read(reference);
    } catch (error) {
      if (error instanceof SetupError) return `${field}: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

/** Creates something whose secret the service generates, and returns its id. The file exists before the secret does. */
export async function createWithSecret(
  secrets: Secrets,
  secretTo: string | undefined,
  create: () => Promise<{ id: string; secret: string }>,
): Promise<string> {
  const file = secretTo === undefined ? undefined : secrets.reserve(secretTo);
  let made: { id: string; secret: string };
  try {
    made = await create();
  } catch (error) {
    // Without an answer it may exist; applying the file again finds it, and the reserved file.
    if (error instanceof Refusal && error.status < 500) file?.release();
    throw error;
  }
  file?.write(made.secret);
  return made.id;
}
