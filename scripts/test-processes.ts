// Which test files share a process, and in which order the processes begin. Loading the modules of a service takes longer than many of
// its test files; so does the start of a browser.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What only `npm run test:all` runs, and `npm test` if it is named: each takes long, and a file of `npm test` takes the same way for a moment
 * (CONTRIBUTING.md, "What runs when").
 */
const AT_LENGTH_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  // What developers run themselves. Name these files after a change of them.
  scripts: ['mutants', 'types'],
  test: [
    'backup-interrupted',
    'bulk-killed',
    'database-hosts',
    'import-killed',
    'migration-kills',
    'move-to-postgres-killed',
    'stopping-requests',
    'wallet-kill',
  ],
  // Messages of every kind go through issuance.test.ts and presentation.test.ts.
  'test/peers': ['authorization', 'sphereon'],
  'test/long': ['clock', 'disk', 'overload', 'slow-clients', 'soak'],
  // The walk through the console (without-a-shell.test.ts) and the API tests of the same acts remain.
  'test/browser': [
    'account-access',
    'account-profile',
    'account-roles',
    'bad-network',
    'console-credentials',
    'console-domain-settings',
    'console-every-screen',
    'console-languages',
    'console-look',
    'console-mail',
    'console-options',
    'console-providers',
    'console-service',
    'console-settings',
    'console-snippets',
    'dashboard',
    'example-role-credential',
    'invitations',
    'providers',
    'role-credential-circle',
    'wallet-pages-look',
    'wallet-pages-phone',
    'wallet-sign-in',
    'walks',
    'wallet-beside',
    'without-scripts',
  ],
};
const AT_LENGTH = new Set(
  Object.entries(AT_LENGTH_FOLDERS).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}.test.ts`)),
);

/** The files of these that `npm test` runs. */
export const usualFiles = (files: readonly string[]): readonly string[] => files.filter((file) => !AT_LENGTH.has(file));

interface Sharing {
  readonly files: RegExp;
  readonly inAProcess: number;
  /** By which part of a run its last process begins: 0 at once, 1 as the last of all. Those that take long begin early, so that all end together. */
  readonly begunBy: number;
}

/** The first one that matches a file. */
const SHARING: readonly Sharing[] = [
  // A library for key devices is loaded once for a process, with one folder of tokens.
  { files: /pkcs11/, inAProcess: 1, begunBy: 0 },
  { files: /^test\/browser\//, inAProcess: 7, begunBy: 0 },
  { files: /^src\//, inAProcess: 24, begunBy: 0.8 },
  { files: /^(?:conformance|test\/peers)\//, inAProcess: 5, begunBy: 0 },
  // Whole services, within the process of the test.
  {
    files:
      /^test\/(?:api-page|console-|haip|methods|openapi|plot|references|requests|role-credential-losses|role-credentials-wallet|schemas|settings|together|wallet-(?:display|login|secrets|sessions|sign-in|tenancy))/,
    inAProcess: 8,
    begunBy: 0.5,
  },
  // The others start processes, measure, or replace what a process has once.
  { files: /^/, inAProcess: 1, begunBy: 1 },
];

const HOOK = join(import.meta.dirname, '../test/support/runner-hook.ts');
const addressOf = (file: string): string => JSON.stringify(pathToFileURL(resolve(file)).href);

const groupsOf = (files: readonly string[], size: number): (readonly string[])[] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, index) => files.slice(index * size, (index + 1) * size));

/** Test files of neighbouring folders share a process, by a file that imports them. Returns what to run, and how to remove those files. */
export function testProcesses(files: readonly string[]): { readonly paths: readonly string[]; remove(): void } {
  const sharingOf = (file: string): number => SHARING.findIndex((one) => one.files.test(file));
  // Those that compute and those that wait for processes of their own run side by side.
  const groups = SHARING.flatMap(({ inAProcess, begunBy }, index) => {
    const own = files.filter((file) => sharingOf(file) === index);
    return groupsOf(own, inAProcess).map((group, at, { length }) => ({ group, begins: (begunBy * at) / length }));
  })
    .sort((one, other) => one.begins - other.begins)
    .map(({ group }) => group);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-processes-'));
  const paths = groups.map((group, index) => {
    // The test runner begins files in the order of their names.
    const path = join(folder, `${String(index + 1).padStart(3, '0')}.mjs`);
    const imports = group.map((file) => `await import(${addressOf(file)});\n`);
    writeFileSync(path, [`import { stopFollowing } from ${addressOf(HOOK)};\n`, ...imports, 'stopFollowing();\n'].join(''));
    return path;
  });
  return { paths, remove: () => rmSync(folder, { recursive: true }) };
}
