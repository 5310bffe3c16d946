// The results of the tests of personas: for each part of the API, how many of each persona's tests passed.
import { whenAndWhat } from '../support/results.ts';
import type { KeystoneColumn, Suite, TestResult } from '../support/suite.ts';

const PERSONAS = ['System', 'Domain', 'Project'].flatMap((scope) => ['Admin', 'Member', 'Reader'].map((role) => scope + role));

const personaOf = (test: string): string => /\.(\w+?)Tests?(\.|$)/.exec(test)?.[1] ?? '';

/** `6` when all passed, `5 of 6` otherwise, and nothing when there are none. Those that the suite skips do not count. */
function countOf(outcomes: readonly string[]): string {
  const passed = outcomes.filter((outcome) => outcome === 'ok').length;
  const failed = outcomes.filter((outcome) => outcome === 'FAILED').length;
  if (passed + failed === 0) return '';
  return failed === 0 ? String(passed) : `${passed} of ${passed + failed}`;
}

function tableOf(results: readonly TestResult[]): string {
  const modules = Map.groupBy(results, ({ module }) => module);
  const rows = [...modules].map(([module, tests]) => {
    const cells = PERSONAS.map((persona) =>
      countOf(tests.filter(({ test }) => personaOf(test) === persona).map(({ outcome }) => outcome)),
    );
    return `| ${module.replace(/^rbac\.v3\.test_/, '')} | ${cells.join(' | ')} |`;
  });
  const names = PERSONAS.map((persona) => persona.replace(/(Admin|Member|Reader)$/, ' $1').toLowerCase());
  return `| | ${names.join(' | ')} |\n|---${'|---'.repeat(names.length)}|\n${rows.join('\n')}`;
}

export function rbacPage(
  { title, about }: Suite,
  runner: string,
  results: readonly TestResult[],
  keystone: KeystoneColumn,
): { page: string; summary: string } {
  const others = results.filter(({ outcome }) => outcome !== 'ok');
  const failed = others.filter(({ outcome }) => outcome === 'FAILED');
  const theirs = results.map(({ test }) => keystone.outcomes[test]).filter((outcome) => outcome !== undefined);
  const summary = `${results.length} tests: ${results.length - others.length} ok, ${failed.length} FAILED, ${others.length - failed.length} skipped by the suite`;
  const list = others.map(
    ({ test, outcome, note }) => `- ${test.split('.').slice(-3).join('.')}: ${outcome}${note ? `, ${note}` : ''}`,
  );
  const page = `# ${title}: results

Written by \`${runner}\`. ${about} ${whenAndWhat()}

Gatehouse: ${summary}.${theirs.length > 0 ? `\n\nKeystone ${keystone.version}: ${theirs.length} tests: ${theirs.filter((outcome) => outcome === 'ok').length} ok.` : ''}

How many tests of each persona passed:

${tableOf(results)}
${list.length > 0 ? `\nThe others:\n\n${list.join('\n')}\n` : ''}`;
  return { page, summary };
}
