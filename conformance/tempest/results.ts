// Reads what tempest prints.
import { CLEANING, type Suite, type TestLine } from '../support/suite.ts';
import { moduleOf, NOT_SERVED } from './groups.ts';

const LINE =
  /^\{\d+\} (?:(?<phase>setUpClass|tearDownClass) \((?<className>[\w.]+)\)|(?<test>[\w.]+)).*? \.\.\. (?<outcome>ok|FAILED|SKIPPED)(?:: (?<reason>.*))?$/;

/** `{0} tempest.api...test_x [0.1s] ... ok`, or undefined for any other line. */
export function readLine(line: string): TestLine | undefined {
  const { phase, className, test, outcome, reason } = LINE.exec(line)?.groups ?? {};
  const name = className && phase === 'tearDownClass' ? className + CLEANING : (className ?? test);
  if (!name) return undefined;
  return { name, outcome: outcome === 'SKIPPED' ? 'skipped' : (outcome as 'ok' | 'FAILED'), reason };
}

/** The tests of personas. */
export const rbacSuiteOf = (tempest: string, plugin: string): Suite => ({
  title: 'Tempest, personas',
  about: `Every test of \`keystone_tempest_plugin.tests.rbac\` (keystone-tempest-plugin ${plugin}, by tempest ${tempest}), with the scope enforced.`,
  notServed: {},
  moduleOf,
});

export const suiteOf = (tempest: string, plugin: string): Suite => ({
  title: 'Tempest',
  about: `Every test of \`tempest.api.identity\` for the v3 API (Debian's tempest ${tempest}), and of \`keystone_tempest_plugin.tests.api\` (keystone-tempest-plugin ${plugin}).`,
  notServed: NOT_SERVED,
  moduleOf,
});
