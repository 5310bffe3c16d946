// Test files that run in one process. Loading the modules of a service takes longer than many of its test files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Tests of a module of a service. Tests below test/ start processes, measure, or use a browser: each of them has its own process. */
const MAY_SHARE = /^src\/(?:identity|wallet)\//;
/** A library for key devices is loaded once for a process, with one folder of tokens. */
const OWN_PROCESS = /pkcs11/;
const FILES_IN_A_PROCESS = 8;

/** Test files of the same folders share a process, by a file that imports them. Returns what to run, and how to remove those files. */
export function sharedProcesses(files: readonly string[]): { readonly paths: readonly string[]; remove(): void } {
  const sharing = files.filter((file) => MAY_SHARE.test(file) && !OWN_PROCESS.test(file));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-processes-'));
  const paths: string[] = [];
  for (let first = 0; first < sharing.length; first += FILES_IN_A_PROCESS) {
    const group = sharing.slice(first, first + FILES_IN_A_PROCESS);
    const path = join(folder, `${String(paths.length + 1).padStart(2, '0')}.mjs`);
    writeFileSync(path, group.map((file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)});\n`).join(''));
    paths.push(path);
  }
  return {
    paths: [...paths, ...files.filter((file) => !sharing.includes(file))],
    remove: () => rmSync(folder, { recursive: true }),
  };
}
