// The scripts of our pages: the files beside this one, as they are.
import { readFileSync } from 'node:fs';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

/** The scripts of our own: they ask for passkeys, show passwords, send the form of the page at once, or go on after a sign-out. */
export type PageScript = 'passkeys' | 'passwords' | 'signed-out' | 'submit';

export const scripts: Readonly<Record<PageScript, Buffer>> = {
  passkeys: read('./passkeys.js'),
  passwords: read('./passwords.js'),
  'signed-out': read('./signed-out.js'),
  submit: read('./submit.js'),
};
