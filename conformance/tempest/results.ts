// Turns tempest's output into a table with one row per test.
import { moduleOf, notServed } from './groups.ts';

/** One line of tempest's report: about a test, or about the set-up or tear-down of a test class. */
export interface TempestLine {
  /** Full name of the test, or of the class if its set-up was skipped or failed. */
  readonly name: string;
  readonly outcome: 'ok' | 'FAILED' | 'skipped';
  readonly reason: string | undefined;
}

export interface TempestResult {
  readonly test: string;
  readonly module: string;
  readonly outcome: 'ok' | 'FAILED' | 'not served' | 'skipped';
  readonly note: string;
}

const LINE =
  /^\{\d+\} (?:(?<phase>setUpClass|tearDownClass) \((?<className>[\w.]+)\)|(?<test>[\w.]+)).*? \.\.\. (?<outcome>ok|FAILED|SKIPPED)(?:: (?<reason>.*))?$/;
const CLEANING = '.tearDownClass';

/** `{0} tempest.api...test_x [0.1s] ... ok`, or undefined for any other line. */
export function readLine(line: string): TempestLine | undefined {
  const { phase, className, test, outcome, reason } = LINE.exec(line)?.groups ?? {};
  const name = className && phase === 'tearDownClass' ? className + CLEANING : (className ?? test);
  if (!name) return undefined;
  return { name, outcome: outcome === 'SKIPPED' ? 'skipped' : (outcome as 'ok' | 'FAILED'), reason };
}

export function resultOf(test: string, about: TempestLine | undefined): TempestResult {
  const module = moduleOf(test);
  const outcome = about?.outcome ?? 'FAILED';
  const missing = notServed(module);
  // A test of a part that is not served can still pass, if it only expects refusals.
  if (missing && outcome !== 'ok') return { test, module, outcome: 'not served', note: missing };
  return { test, module, outcome, note: about ? (about.reason ?? '') : 'did not run' };
}

/** A test without a line of its own gets the result of its class. Without that it did not run and counts as failed. */
export function resultsOf(listed: readonly string[], seen: readonly TempestLine[]): TempestResult[] {
  const said = new Map(seen.map((one) => [one.name, one]));
  const tests = listed.map((test) => test.replace(/\[.*$/, ''));
  // A failed tear-down counts as a failure of the service, although it belongs to no test.
  const failedCleaning = seen
    .filter(({ name, outcome }) => name.endsWith(CLEANING) && outcome === 'FAILED')
    .map(({ name }) => name);
  return [...new Set([...tests, ...failedCleaning])].sort().map((test) => {
    return resultOf(test, said.get(test) ?? said.get(test.slice(0, test.lastIndexOf('.'))));
  });
}

function countsOf(results: readonly TempestResult[]): string {
  const count = (wanted: TempestResult['outcome']): number => results.filter(({ outcome }) => outcome === wanted).length;
  const parts = [`${count('ok')} ok`, `${count('FAILED')} FAILED`, `${count('not served')} not served`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped by tempest`);
  return parts.join(', ');
}

/** Without dates and durations, so that the page changes only when a result does. */
export function resultPage(results: readonly TempestResult[], version: string): { page: string; summary: string } {
  const summary = `${results.length} tests: ${countsOf(results)}`;
  const rows = results.map(({ test, module, outcome, note }) => {
    const short = test.split('.').slice(-2).join('.');
    return `| ${module} | ${short} | ${outcome}${note ? `: ${note}` : ''} |`;
  });
  const page = `# Tempest: results

Written by \`conformance/tempest/run.ts\`. Tempest ${version}, every test of \`tempest.api.identity\` for the v3 API.

${summary}.

| Module | Test | Result |
|---|---|---|
${rows.join('\n')}
`;
  return { page, summary };
}
