// RESULTS.md: a line for each module, with a reason where it did not simply pass.
import { whenAndWhat } from '../../support/results.ts';
import type { Outcome, Variant } from './api.ts';
import type { PlanLeft } from './plans.ts';
import { REASONS } from './reasons.ts';

export interface ModuleResult {
  readonly plan: string;
  readonly variant: Variant;
  readonly module: string;
  readonly result: Outcome;
  /** What the suite, or the driver, said. */
  readonly complaints: readonly string[];
}

const MAX_COMPLAINTS = 3;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
const variantText = (variant: Variant): string =>
  Object.entries(variant)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

/** Ours if there is one: it says what the text of the specification is, or why the suite is wrong. */
const reasonOf = ({ module, result, complaints }: ModuleResult): string =>
  result === 'PASSED' ? '' : (REASONS[module]?.[result] ?? complaints.slice(0, MAX_COMPLAINTS).join('; '));

export const isGood = (one: ModuleResult): boolean => one.result === 'PASSED' || REASONS[one.module]?.[one.result] !== undefined;

export function resultsPage(suite: string, results: readonly ModuleResult[], left: readonly PlanLeft[]): string {
  const good = results.filter(isGood).length;
  const rows = results.map((one) =>
    [`\`${one.plan}\``, variantText(one.variant), `\`${one.module}\``, one.result, reasonOf(one)].map(cell).join(' | '),
  );
  return `# The OpenID Foundation's conformance suite: results

Written by \`conformance/openid/run.ts\`. ${whenAndWhat()} The suite: ${suite}.

${results.length} modules: ${good} pass, or have a reason; ${results.length - good} do not.

| Plan | Variant | Module | Result | Reason |
|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}

## Not run

| Plan | Why |
|---|---|
${left.map(({ plan, why }) => `| \`${plan}\` | ${cell(why)} |`).join('\n')}
`;
}
