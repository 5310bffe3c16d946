// How the first administrator's password gets to a person: on a terminal once, else by a file only its owner may read. Never in a log,
// which others keep and read.
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeepPassword } from './identity/service.ts';
import { replaceFile, syncFolder, uniqueSuffix } from './platform/durable-file.ts';
import type { Log } from './platform/log/index.ts';

const FILE = 'admin-password';
const NEW = `${FILE}.new-`;

interface PasswordDelivery {
  readonly folder: string;
  /** It is a setting: whoever gave it knows it. */
  readonly isGiven: boolean;
  readonly log: Log;
  /** To a person. */
  say(line: string): void;
}

/**
 * The file is written before the account is: one that was killed between the two leaves a file too many, never an account nobody can
 * log in to. Processes that start together have a file each until it is known whose account it became.
 */
export function deliverFirstPassword({ folder, isGiven, log, say }: PasswordDelivery): KeepPassword {
  return (password) => {
    if (isGiven)
      return { stored: () => say('First administrator: admin, with the password of GATEHOUSE_ADMIN_PASSWORD'), discarded() {} };
    if (process.stderr.isTTY)
      return { stored: () => say(`First administrator: admin, password ${password} (shown only now)`), discarded() {} };
    const [file, fresh] = [join(folder, FILE), join(folder, `${NEW}${uniqueSuffix()}`)];
    replaceFile(fresh, `${password}\n`);
    return {
      stored() {
        const isRenamed = ifExists(() => {
          renameSync(fresh, file);
          return true;
        });
        // Gone: another start found the account before we came here, and took the file for a leftover.
        if (isRenamed) syncFolder(folder);
        else replaceFile(file, `${password}\n`);
        removeNewFiles(folder);
        announceFile({ file, log, say });
      },
      discarded: () => rmSync(fresh, { force: true }),
    };
  };
}

function announceFile({ file, log, say }: { file: string } & Pick<PasswordDelivery, 'log' | 'say'>): void {
  log.info({ file }, 'the password of the first administrator is in this file; remove it when it was read');
  say(`First administrator: admin, password in ${file} (remove it when it was read)`);
}

/** Half written ones are not among them. */
const IS_NEW = new RegExp(`^${FILE}\\.new-\\d+(?:-[\\da-f]+)?$`);

/** Of starts that were killed before the account was made. */
function removeNewFiles(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(NEW)) rmSync(join(folder, name), { force: true });
}

/** Undefined where another start was faster with the file. */
function ifExists<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * For a start that finds the account made: one that was killed just after it made the account left the only copy of its password
 * under the name it had before. What is not the password, or no longer, goes.
 */
export async function recoverFirstPassword(
  { folder, log, say }: Omit<PasswordDelivery, 'isGiven'>,
  isPassword: (text: string) => Promise<boolean>,
): Promise<void> {
  const left = readdirSync(folder)
    .filter((name) => IS_NEW.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: ifExists(() => statSync(path).mtimeMs) ?? 0 }))
    // The one that made the account was the last.
    .sort((one, other) => other.at - one.at);
  const file = join(folder, FILE);
  let isFound = false;
  for (const { path } of left) {
    const text = isFound ? undefined : ifExists(() => readFileSync(path, 'utf8').trim());
    if (text && (await isPassword(text))) {
      isFound = true;
      ifExists(() => {
        chmodSync(path, 0o600);
        renameSync(path, file);
        syncFolder(folder);
        announceFile({ file, log, say });
      });
    } else rmSync(path, { force: true });
  }
}

/** It is no longer the password. */
export function removeFirstPassword(folder: string): void {
  rmSync(join(folder, FILE), { force: true });
  removeNewFiles(folder);
}
