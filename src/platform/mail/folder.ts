// Writes each message to a file that mail programs can open. For development, and the default.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../durable-file.ts';
import { compose } from './compose.ts';
import type { Message, Transport } from './transport.ts';

/** Begins with the time, so that files sort by age. */
const nameOf = ({ id, at }: Message): string => `${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}-${id}.eml`;
const OWN = /^\d{8}T\d{6}Z-[\w-]+\.eml$/;
/** Left behind by a process that was killed. */
const HALF_WRITTEN = /^\d{8}T\d{6}Z-[\w-]+\.eml\.\d+-\w+\.tmp$/;
const HOUR_MS = 3_600_000;

/** Undefined if another process has removed it. */
function ageOf(path: string): number | undefined {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Keeps the newest `kept` files. */
export function createFolderTransport(folder: string, { kept = 1000 }: { readonly kept?: number } = {}): Transport {
  return {
    about: `files in ${folder}`,

    async send(message) {
      const { bytes } = await compose(message);
      // Links in mails are secrets, so only the owner may enter the folder.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      createFile(join(folder, nameOf(message)), bytes);
    },

    sweep() {
      const names = readNames(folder);
      const old = names.filter((name) => OWN.test(name)).sort();
      const half = names.filter((name) => HALF_WRITTEN.test(name) && (ageOf(join(folder, name)) ?? 0) > HOUR_MS);
      const gone = [...old.slice(0, Math.max(0, old.length - kept)), ...half];
      for (const name of gone) rmSync(join(folder, name), { force: true });
      return gone.length;
    },
  };
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder is made with the first mail.
    return [];
  }
}
