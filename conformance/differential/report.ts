// Finds the reasons of differences, and writes the page of results.
import { keystoneVersion } from '../support/keystone.ts';
import { whenAndWhat } from '../support/results.ts';
import { AREAS } from './areas/index.ts';
import type { Difference } from './compare.ts';
import type { Reason } from './reason.ts';
import { REASONS } from './reasons.ts';
import type { ApiRequest, Area } from './request.ts';

export interface Comparison {
  readonly area: string;
  readonly request: ApiRequest;
  /** Of a method and path that Gatehouse serves. Others are not compared. */
  readonly served: boolean;
  readonly differences: readonly Difference[];
}

interface ExplainedComparison extends Omit<Comparison, 'differences'> {
  readonly differences: readonly { readonly difference: Difference; readonly reason: Reason | undefined }[];
}

const shown = ({ method, path, as: persona }: ApiRequest): string =>
  `${method} ${path.length > 160 ? `${path.slice(0, 160)}...` : path} as ${persona}`;
const shownDifference = ({ at, keystone, ours }: Difference): string => `${at} ${keystone} -> ${ours}`.trim();
const shownBody = ({ body, raw }: ApiRequest): string => {
  const text = raw ?? (body === undefined ? '' : JSON.stringify(body));
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
};

const reasonOf = (request: ApiRequest, difference: Difference): Reason | undefined =>
  REASONS.find(
    ({ kind, difference: pattern, request: asked }) =>
      kind === difference.kind &&
      pattern.test(shownDifference(difference)) &&
      (asked?.test(`${shown(request)} ${shownBody(request)}`) ?? true),
  );

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

export interface Report {
  readonly page: string;
  readonly summary: string;
  /** A line for each difference without a reason, and for each reason without a difference. */
  readonly failures: readonly string[];
}

function areaRows(all: readonly ExplainedComparison[], areas: readonly Area[]): string[] {
  return areas.map(({ title }) => {
    const mine = all.filter(({ area }) => area === title);
    const same = mine.filter(({ differences, served }) => served && differences.every(({ reason }) => reason?.everywhere)).length;
    const unserved = mine.filter(({ served }) => !served).length;
    const failed = mine.filter(({ differences }) => differences.some(({ reason }) => !reason)).length;
    return `| ${title} | ${mine.length} | ${same} | ${mine.length - same - unserved - failed} | ${unserved} | ${failed} |`;
  });
}

function summaryOf(all: readonly ExplainedComparison[]): string {
  const unserved = all.filter(({ served }) => !served).length;
  const same = all.filter(({ differences, served }) => served && differences.every(({ reason }) => reason?.everywhere)).length;
  const failed = all.filter(({ differences }) => differences.some(({ reason }) => !reason)).length;
  return `${all.length} requests: ${same} answered the same, ${all.length - same - unserved - failed} different with a reason, ${unserved} not served, ${failed} FAILED.`;
}

/** `areas`: those that were run. */
export function report(compared: readonly Comparison[], areas: readonly Area[]): Report {
  const all: ExplainedComparison[] = compared.map((one) => ({
    ...one,
    differences: one.differences.map((difference) => ({ difference, reason: reasonOf(one.request, difference) })),
  }));
  const everything = all.flatMap(({ request, differences }) => differences.map((each) => ({ request, ...each })));
  const unexplained = everything.filter(({ reason }) => !reason);
  const reasonRows = REASONS.map((reason) => {
    const mine = everything.filter((each) => each.reason === reason);
    const [first] = mine;
    const example = first ? `\`${cell(shown(first.request))}\`: ${cell(shownDifference(first.difference))}` : '';
    return `| ${reason.kind} | ${cell(reason.why)} | ${mine.length} | ${example} |`;
  });
  const failureRows = unexplained.map(
    ({ request, difference }) =>
      `| \`${cell(shown(request))}\` | ${cell(shownBody(request))} | ${difference.kind} | ${cell(shownDifference(difference))} |`,
  );
  const summary = summaryOf(all);
  const isWhole = areas.length === AREAS.length;
  const page = `# Keystone and Gatehouse, request by request: results

Written by \`conformance/differential/run.ts\`. Keystone ${keystoneVersion()} of Debian. ${whenAndWhat()}

${summary}${isWhole ? '' : ` Only these areas were run, of ${AREAS.length}.`}

| Area | Requests | The same | Different, with a reason | Not served | FAILED |
|---|---|---|---|---|---|
${areaRows(all, areas).join('\n')}

## Differences and their reasons

In the example: what Keystone answers, then what Gatehouse answers.

| Kind | Reason | How often | Example |
|---|---|---|---|
${reasonRows.join('\n')}
${failureRows.length === 0 ? '' : `\n## Differences without a reason\n\n| Request | Body | Kind | Keystone -> Gatehouse |\n|---|---|---|---|\n${failureRows.join('\n')}\n`}`;
  const needless = REASONS.filter((reason) => isWhole && !everything.some((each) => each.reason === reason));
  return {
    page,
    summary,
    failures: [
      ...unexplained.map(
        ({ request, difference }) => `${shown(request)} ${shownBody(request)}: ${difference.kind} ${shownDifference(difference)}`,
      ),
      ...needless.map(({ kind, difference, why }) => `a reason about nothing: ${kind} ${difference} (${why})`),
    ],
  };
}
