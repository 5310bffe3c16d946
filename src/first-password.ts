// Delivers the password of the first administrator: once on a terminal, otherwise in a file that only its owner may read. Never in a log,
// which others can read.
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliverPassword } from './identity/service.ts';
import { replaceFile, syncFolder, uniqueSuffix } from './platform/durable-file.ts';
import type { Log } from './platform/log/index.ts';

const FILE = 'admin-password';
const NEW = `${FILE}.new-`;

interface PasswordDelivery {
  readonly folder: string;
  /** The password comes from a setting, so the operator knows it. */
  readonly isGiven: boolean;
  readonly log: Log;
  /** Prints a line for the operator. */
  say(line: string): void;
}

/**
 * The file is written before the account is created. A process killed in between leaves a useless file, but never an account nobody
 * can log in to. Processes that start together write one file each, until it is known which of them created the account.
 */
export function deliverFirstPassword({ folder, isGiven, log, say }: PasswordDelivery): DeliverPassword {
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
        // If the file is gone, another start found the account in the meantime and removed the file as a leftover.
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

/** Does not match files that are only half written. */
const IS_NEW = new RegExp(`^${FILE}\\.new-\\d+(?:-[\\da-f]+)?$`);

/** Removes the files of starts that were killed before they created the account. */
function removeNewFiles(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(NEW)) rmSync(join(folder, name), { force: true });
}

/** Undefined if the file is gone, because another start was faster. */
function ifExists<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * For a start that finds the account already created. A start killed right after it created the account left the only copy of the
 * password under its temporary name. Files that do not hold the current password are removed.
 */
export async function recoverFirstPassword(
  { folder, log, say }: Omit<PasswordDelivery, 'isGiven'>,
  isPassword: (text: string) => Promise<boolean>,
): Promise<void> {
  const left = readdirSync(folder)
    .filter((name) => IS_NEW.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: ifExists(() => statSync(path).mtimeMs) ?? 0 }))
    // The newest file belongs to the start that created the account.
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

/** Removes the file after the password was changed. */
export function removeFirstPassword(folder: string): void {
  rmSync(join(folder, FILE), { force: true });
  removeNewFiles(folder);
}
