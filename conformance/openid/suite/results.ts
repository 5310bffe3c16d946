// RESULTS.md: a section for each plan in each of its variants, with a line for each module and a reason where it did not simply pass. A run replaces the
// sections of what it ran, so that each says when, and with which version.
import { whenAndWhat } from '../../support/results.ts';
import type { Outcome, Variant } from './api.ts';
import type { Ended } from './drive.ts';
import type { PlanLeft } from './plan.ts';
import { REASONS } from './reasons.ts';

export interface ModuleResult extends Pick<Ended, 'result' | 'complaints'> {
  readonly module: string;
  /** What the suite adds to that of the plan. */
  readonly variant: Variant;
}

export interface PlanResult {
  readonly plan: string;
  readonly variant: Variant;
  readonly modules: readonly ModuleResult[];
}

const MAX_COMPLAINTS = 3;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
const variantText = (variant: Variant): string =>
  Object.entries(variant)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const OUTCOMES = ['PASSED', 'WARNING', 'SKIPPED', 'REVIEW', 'FAILED'] as const;
type Counted = (typeof OUTCOMES)[number];
/** What ended otherwise is no success. */
const counted = (result: Outcome): Counted =>
  result === 'NOT APPLICABLE' ? 'SKIPPED' : (OUTCOMES.find((one) => one === result) ?? 'FAILED');

/** What is good in one plan need not be in another one. */
const knownReason = (plan: string, { module, result }: ModuleResult): string | undefined =>
  (REASONS[`${plan}/${module}`] ?? REASONS[module])?.[result];
/** Ours if there is one: it says what the text of the specification is, or why the suite is wrong. */
const reasonOf = (plan: string, one: ModuleResult): string =>
  one.result === 'PASSED' ? '' : (knownReason(plan, one) ?? one.complaints.slice(0, MAX_COMPLAINTS).join('; '));

/** It passed, or there is a reason for that very result in this plan. */
export const isGood = (plan: string, one: ModuleResult): boolean =>
  one.result === 'PASSED' || knownReason(plan, one) !== undefined;

const TITLE = '## ';
/** Of its section. */
const titleOf = ({ plan, variant }: Pick<PlanResult, 'plan' | 'variant'>): string =>
  [`\`${plan}\``, variantText(variant)].filter(Boolean).join(': ');

/** The counts of a section, as its first line has them: what the table of all sections is made of. */
const countsOf = (modules: readonly ModuleResult[]): string =>
  OUTCOMES.map((one) => modules.filter(({ result }) => counted(result) === one).length).join(' | ');

function sectionOf(run: PlanResult): string {
  const rows = run.modules.map((one) => {
    const own = Object.fromEntries(Object.entries(one.variant).filter(([name, value]) => run.variant[name] !== value));
    return [`\`${one.module}\``, variantText(own), one.result, reasonOf(run.plan, one)].map(cell).join(' | ');
  });
  return `${TITLE}${titleOf(run)}

${whenAndWhat()} Passed | warns | skipped | to review | failed: ${countsOf(run.modules)}

| Module | Variant of the module | Result | Reason |
|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

const NOT_RUN = 'Not run';

/** Sections of an earlier page, by their titles. */
function sectionsIn(page: string): Map<string, string> {
  const [, ...sections] = page.split(`\n${TITLE}`);
  const named = sections.map((text) => [text.slice(0, text.indexOf('\n')), `${TITLE}${text.trimEnd()}\n`] as const);
  return new Map(named.filter(([title]) => title !== NOT_RUN));
}

/** In the order of the plans, which `titles` has. */
export const titlesOf = (plans: readonly Pick<PlanResult, 'plan' | 'variant'>[]): string[] => plans.map(titleOf);

/** The page before, with these results in the place of what it had about the same plans. */
export function resultsPage(
  before: string,
  results: readonly PlanResult[],
  titles: readonly string[],
  left: readonly PlanLeft[],
): string {
  const sections = sectionsIn(before);
  for (const run of results) sections.set(titleOf(run), sectionOf(run));
  const present = titles.filter((title) => sections.has(title));
  const counts = present.map((title) => `| ${title} | ${/failed: ([\d |]+)/.exec(sections.get(title)!)?.[1] ?? ''} |`);
  const missing = titles.filter((title) => !sections.has(title)).map((title) => `| ${title} | not yet |`);
  const notRun = [
    ...missing,
    ...left.map(({ plan, variants, why }) => `| \`${plan}\`${variants ? `: ${variants}` : ''} | ${cell(why)} |`),
  ];
  return `# The OpenID Foundation's conformance suite: results

Written by \`conformance/openid/run.ts\`, not by hand. Each section says when it was run, and on which commit; reasons are those of \`suite/reasons.ts\`.

| Plan and variant | Passed | Warns | Skipped | To review | Failed |
|---|---|---|---|---|---|
${counts.join('\n')}

${present.map((title) => sections.get(title)!).join('\n')}
${TITLE}${NOT_RUN}

| Plan | Why |
|---|---|
${notRun.join('\n')}
`;
}
