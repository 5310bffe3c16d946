// Code rules that can be checked automatically. docs/map.md explains them.
import { globSync, readFileSync } from 'node:fs';
import { placeOf, resolveImport, roomFaults } from './rooms.ts';

const MAX_LINES = 400;

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export function sourceFiles(): SourceFile[] {
  return globSync('{src,console,scripts,bench,conformance,test,packaging}/**/*.ts')
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

export const lineCount = (text: string): number => text.split('\n').length - 1;

export function oversized(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !path.endsWith('.test.ts') && lineCount(text) > MAX_LINES)
    .map(({ path, text }) => `${path}: ${lineCount(text)} lines; split it by noun, ${MAX_LINES} is the limit`);
}

function importsOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/^(?:import|export)\s[^'"]*?from\s+'([^']+)'/gm), ...text.matchAll(/\bimport\('([^']+)'\)/g)].map(
    ([, target]) => target!,
  );
}

const USES_SQL = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<[^>]*>)?`/;
/** Direct calls are easily forgotten in new code. The caches of the database do the check for everyone. */
const READS_FEED = /\bfeed\.live\(/;
/** service.ts reads it for the metrics. */
const mayReadFeed = (path: string): boolean => path.startsWith('src/platform/database/') || path.endsWith('/service.ts');

/** Code that answers from memory, without a promise: a token, a user by id, what a user may do in an application, an access token. */
const ANSWERS_FROM_MEMORY = [
  'src/platform/',
  'src/identity/access/',
  'src/identity/login/tokens/',
  ...['user-cache', 'users.rules'].map((name) => `src/identity/directory/users/${name}.ts`),
  ...['user-permissions', 'assignments.rules', 'assignments.routes'].map(
    (name) => `src/identity/applications/app-roles/${name}.ts`,
  ),
  ...['lists', 'lists.routes'].map((name) => `src/identity/role-credentials/issued/${name}.ts`),
  ...['provider/access-tokens', 'provider/user-information', 'keyrock/oauth2.routes'].map(
    (name) => `src/identity/openid/${name}.ts`,
  ),
];

/** A test acts at a point; the code only passes it (platform/test-points.ts). */
const ACTS_AT_POINT = /\bactAt\b/;
const declaresPoints = (path: string): boolean => path.endsWith('/test-points.ts');

const isStore = (path: string): boolean => path.endsWith('.store.ts') || path.startsWith('src/platform/database/');

function faultsOf(file: SourceFile): string[] {
  const { path } = file;
  const from = placeOf(path);
  const faults: string[] = [];
  const isTest = path.endsWith('.test.ts');
  for (const target of importsOf(file)) {
    if (!target.startsWith('.')) {
      if (target === 'fastify' && !path.startsWith('src/platform/http/'))
        faults.push(`${path}: only platform/http names the web framework`);
      continue;
    }
    const resolved = resolveImport(path, target);
    if (!resolved.startsWith('src/')) {
      if (!isTest) faults.push(`${path}: src imports ${resolved}`);
      continue;
    }
    const to = placeOf(resolved);
    if (from.service === 'platform' && to.service !== 'platform') faults.push(`${path}: platform imports ${resolved}`);
    if (from.service === 'verifiable' && !['platform', 'verifiable'].includes(to.service))
      faults.push(`${path}: verifiable imports ${resolved}`);
    if (from.service === 'identity' && to.service === 'wallet') faults.push(`${path}: identity imports the wallet`);
    if (from.service === 'wallet' && to.service === 'identity') faults.push(`${path}: the wallet imports identity`);
    if (!isTest) faults.push(...roomFaults(path, resolved));
    const isWithin = to.service === from.service && to.module === from.module;
    const entry = `src/${to.service}/${to.module}/index.ts`;
    if (to.module && !isWithin && resolved !== entry && resolved !== `src/platform/${to.module}`) {
      faults.push(`${path}: imports ${resolved}; another module is used through its index.ts`);
    }
    if (resolved === 'src/platform/maybe-promise.ts' && !ANSWERS_FROM_MEMORY.some((prefix) => path.startsWith(prefix)))
      faults.push(`${path}: uses platform/maybe-promise.ts; a plain promise will do`);
    if (path.endsWith('.rules.ts') && resolved.endsWith('.routes.ts')) faults.push(`${path}: rules import routes`);
    if (path.endsWith('.routes.ts') && isWithin && resolved.endsWith('.store.ts') && !typesOnly(file, target)) {
      faults.push(`${path}: routes import the store ${resolved}`);
    }
  }
  for (const [, target] of file.text.matchAll(/^import\s+'([^']+)'/gm))
    faults.push(`${path}: imports ${target} for its side effect; call a function instead`);
  if (!isStore(path) && !isTest && USES_SQL.test(file.text)) faults.push(`${path}: only stores and platform/database speak SQL`);
  if (!mayReadFeed(path) && !isTest && READS_FEED.test(file.text))
    faults.push(`${path}: asks whether the feed is live; db.cached() does that for everybody`);
  if (!declaresPoints(path) && !isTest && ACTS_AT_POINT.test(file.text)) faults.push(`${path}: only tests act at a test point`);
  return faults;
}

function typesOnly({ text }: SourceFile, target: string): boolean {
  return new RegExp(`import type [^;]*from '${target.replace(/[.]/g, '\\.')}'`).test(text);
}

export function importFaults(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => path.startsWith('src/')).flatMap(faultsOf);
}
