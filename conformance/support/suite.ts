// Results of a foreign test suite: one row for each test, Gatehouse beside Keystone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { keystoneVersion } from './keystone.ts';
import { whenAndWhat } from './results.ts';

/** What a suite says about a test, or about the set-up or clean-up of a test class. */
export interface TestLine {
  /** Full name of the test, or of the class if its set-up was skipped or failed. */
  readonly name: string;
  readonly outcome: 'ok' | 'FAILED' | 'skipped';
  readonly reason: string | undefined;
}

export interface TestResult {
  readonly test: string;
  readonly module: string;
  readonly outcome: TestLine['outcome'] | 'not served';
  readonly note: string;
}

/** Appended to the name of a class: its clean-up failed. */
export const CLEANING = '.tearDownClass';

export interface Suite {
  readonly title: string;
  /** A sentence: which package and which tests. */
  readonly about: string;
  /** Parts of the API that are not served, by module. Their tests run, too. */
  readonly notServed: Readonly<Record<string, string>>;
  moduleOf(test: string): string;
}

export function resultOf(suite: Suite, test: string, about: TestLine | undefined): TestResult {
  const module = suite.moduleOf(test);
  const outcome = about?.outcome ?? 'FAILED';
  const missing = suite.notServed[module];
  // A test of a part that is not served can still pass, if it only expects refusals.
  if (missing && outcome !== 'ok') return { test, module, outcome: 'not served', note: missing };
  return { test, module, outcome, note: about ? (outcome === 'skipped' ? (about.reason ?? '') : '') : 'did not run' };
}

/** A test without a line of its own gets the result of its class. Without that it did not run and counts as failed. */
export function resultsOf(suite: Suite, listed: readonly string[], seen: readonly TestLine[]): TestResult[] {
  const said = new Map<string, TestLine>();
  for (const line of seen) if (said.get(line.name)?.outcome !== 'FAILED') said.set(line.name, line);
  const tests = listed.map((test) => test.replace(/\[.*$/, ''));
  // A failed clean-up counts as a failure of the service, although it belongs to no test.
  const failedCleaning = seen
    .filter(({ name, outcome }) => name.endsWith(CLEANING) && outcome === 'FAILED')
    .map(({ name }) => name);
  return [...new Set([...tests, ...failedCleaning])].sort().map((test) => {
    return resultOf(suite, test, said.get(test) ?? said.get(test.slice(0, test.lastIndexOf('.'))));
  });
}

/** Keystone's column: kept in a file, because it changes with Keystone only. `--beside keystone` writes it again. */
export interface KeystoneColumn {
  readonly version: string;
  readonly outcomes: Readonly<Record<string, string>>;
}

const NOTHING: KeystoneColumn = { version: '', outcomes: {} };

export const readColumn = (file: string): KeystoneColumn => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NOTHING);

export function writeColumn(file: string, results: readonly TestResult[]): KeystoneColumn {
  const outcomes = Object.fromEntries(results.map(({ test, outcome, note }) => [test, note ? `${outcome}: ${note}` : outcome]));
  const column = { version: keystoneVersion(), outcomes };
  writeFileSync(file, `${JSON.stringify(column, null, 2)}\n`);
  return column;
}

function countsOf(outcomes: readonly string[]): string {
  const count = (wanted: string): number => outcomes.filter((outcome) => outcome.startsWith(wanted)).length;
  const parts = [`${count('ok')} ok`, `${count('FAILED')} FAILED`, `${count('not served')} not served`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped`);
  return parts.join(', ');
}

/** What fails here and does not fail in Keystone. */
export const failuresOf = (results: readonly TestResult[], { outcomes }: KeystoneColumn): TestResult[] =>
  results.filter(({ test, outcome }) => outcome === 'FAILED' && !outcomes[test]?.startsWith('FAILED'));

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function resultPage(
  { title, about }: Suite,
  runner: string,
  results: readonly TestResult[],
  keystone: KeystoneColumn,
): { page: string; summary: string } {
  const theirs = results.map(({ test }) => keystone.outcomes[test]).filter((outcome) => outcome !== undefined);
  const rows = results.map(({ test, module, outcome, note }) => {
    const short = test.split('.').slice(-2).join('.');
    return `| ${module} | ${short} | ${outcome}${note ? `: ${cell(note)}` : ''} | ${cell(keystone.outcomes[test] ?? '')} |`;
  });
  const summary = `${results.length} tests: ${countsOf(results.map(({ outcome }) => outcome))}`;
  const page = `# ${title}: results

Written by \`${runner}\`. ${about} ${whenAndWhat()}

Gatehouse: ${summary}.${theirs.length > 0 ? `\n\nKeystone ${keystone.version}: ${theirs.length} tests: ${countsOf(theirs)}.` : ''}

| Module | Test | Gatehouse | Keystone |
|---|---|---|---|
${rows.join('\n')}
`;
  return { page, summary };
}
