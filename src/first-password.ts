// How the first administrator's password gets to a person: on a terminal once, else by a file only its owner may read. Never in a log,
// which others keep and read.
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeepPassword } from './identity/service.ts';
import { replaceFile, syncFolder } from './platform/durable-file.ts';
import type { Log } from './platform/log/index.ts';

const FILE = 'admin-password';
const NEW = `${FILE}.new-`;

interface Place {
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
export function keepFirstPassword({ folder, isGiven, log, say }: Place): KeepPassword {
  return (password) => {
    if (isGiven)
      return { stored: () => say('First administrator: admin, with the password of GATEHOUSE_ADMIN_PASSWORD'), discarded() {} };
    if (process.stderr.isTTY)
      return { stored: () => say(`First administrator: admin, password ${password} (shown only now)`), discarded() {} };
    const [file, fresh] = [join(folder, FILE), join(folder, `${NEW}${process.pid}`)];
    replaceFile(fresh, `${password}\n`);
    return {
      stored() {
        renameSync(fresh, file);
        syncFolder(folder);
        forgetOthers(folder);
        log.info({ file }, 'the password of the first administrator is in this file; remove it when it was read');
        say(`First administrator: admin, password in ${file} (remove it when it was read)`);
      },
      discarded: () => rmSync(fresh, { force: true }),
    };
  };
}

/** Of starts that were killed before the account was made. */
function forgetOthers(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(NEW)) rmSync(join(folder, name), { force: true });
}

/** It is no longer the password. */
export function forgetFirstPassword(folder: string): void {
  rmSync(join(folder, FILE), { force: true });
  forgetOthers(folder);
}
