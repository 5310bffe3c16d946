// The scripts of our pages: the files beside this one, as they are.
import { readFileSync } from 'node:fs';
import type { PageScript } from './layout.ts';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

export const scripts: Readonly<Record<PageScript, Buffer>> = {
  passkeys: read('./passkeys.js'),
  passwords: read('./passwords.js'),
  submit: read('./submit.js'),
};
