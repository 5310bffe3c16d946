// Compares Keystone's mapping engine with ours and writes RESULTS.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenCases, type MappingCase, mappingCases } from './cases.ts';
import { characterFaults } from './characters.ts';
import { difference, type Outcome, ours, sameOutcome, theirs } from './compare.ts';
import { differences } from './differences.ts';
import { type EdgeCase, edgeCases } from './edge-cases.ts';
import { installKeystone, KEYSTONE, type Keystone } from './keystone.ts';
import { patternCases, searched } from './patterns.ts';

const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));
const SEED = 19;
const CASES = 1000;

/** A table of the results, and the disagreements found for it. */
interface Chapter {
  readonly title: string;
  readonly head: string;
  readonly rows: readonly string[];
  readonly faults: readonly string[];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', '\\n');
const shown = (value: unknown): string => JSON.stringify(value).slice(0, 2000);

function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `| ${cell(name)} | ${count} |`);
}

async function compared(keystone: Keystone, title: string, cases: readonly MappingCase[]): Promise<Chapter> {
  const answers = await keystone.ask(cases.map((one) => ({ kind: 'mapping', ...one })));
  const faults: string[] = [];
  const names = cases.map((one, index) => {
    const [our, their] = [ours(one), theirs(answers[index])];
    const name = difference(our, their);
    if (name === false) faults.push(`${shown(one)}\n  Keystone: ${shown(their)}\n  Gatehouse: ${shown(our)}`);
    return name === undefined ? `the same: ${our.outcome}` : name === false ? 'DISAGREEMENT' : `difference: ${name}`;
  });
  return { title, head: '| Outcome | Cases |\n|---|---|', rows: counted(names), faults };
}

const outcomeOf = (answer: any): Outcome | { readonly outcome: 'timeout' } =>
  answer.timeout ? { outcome: 'timeout' } : theirs(answer);

function edgeFault({ difference: wanted }: EdgeCase, our: Outcome, their: ReturnType<typeof outcomeOf>): boolean {
  const isSame = their.outcome !== 'timeout' && sameOutcome(our, their);
  if (!wanted) return !isSame;
  return isSame || wanted.keystone !== their.outcome || wanted.ours !== our.outcome;
}

/** The outcome. For differences also the result, without empty parts. */
function made({ outcome, ...rest }: ReturnType<typeof outcomeOf>, { difference: isDifference }: EdgeCase): string {
  const result = 'result' in rest ? rest.result : undefined;
  if (!isDifference || !result) return outcome;
  const parts = Object.entries(result).filter(([key, value]) =>
    key === 'user' ? Object.keys(value).length > 1 : value.length > 0,
  );
  const text = JSON.stringify(Object.fromEntries(parts));
  return `${outcome} \`${cell(text.length > 200 ? `${text.slice(0, 200)}...` : text)}\``;
}

async function edges(keystone: Keystone): Promise<Chapter> {
  const cases = [...edgeCases, ...differences];
  const answers = await keystone.ask(cases.map((one) => ({ kind: 'mapping', ...one })));
  const faults: string[] = [];
  const rows = cases.map((one, index) => {
    const [our, their] = [ours(one), outcomeOf(answers[index])];
    const isFault = edgeFault(one, our, their);
    if (isFault) faults.push(`${one.title}\n  Keystone: ${shown(their)}\n  Gatehouse: ${shown(our)}`);
    const verdict = isFault ? 'DISAGREEMENT' : one.difference ? 'difference' : 'the same';
    return `| ${cell(one.title)} | ${made(their, one)} | ${made(our, one)} | ${verdict} |`;
  });
  return { title: 'Hand-written cases', head: '| Case | Keystone | Gatehouse | Verdict |\n|---|---|---|---|', rows, faults };
}

async function expressions(keystone: Keystone): Promise<Chapter> {
  const cases = patternCases(SEED, CASES * 5);
  const answers = await keystone.ask(cases.map((one) => ({ kind: 'regex', ...one })));
  const faults: string[] = [];
  const names = cases.map((one, index) => {
    const name = searched(one, answers[index]);
    if (name === false) faults.push(`${shown(one)}\n  Python: ${shown(answers[index])}`);
    return name === false ? 'DISAGREEMENT' : name;
  });
  return { title: 'Regular expressions', head: '| Outcome | Expressions |\n|---|---|', rows: counted(names), faults };
}

async function characters(keystone: Keystone): Promise<Chapter> {
  const [known] = await keystone.ask([{ kind: 'characters' }]);
  const faults = characterFaults(known);
  const rows = [
    `| \\w, \\d, \\s of all characters that this Python knows | ${faults.categories.length === 0 ? 'the same' : 'DISAGREEMENT'} |`,
    `| letters that are equal when case is ignored, all ${known.alike.length} | ${faults.alike.length === 0 ? 'the same' : 'DISAGREEMENT'} |`,
  ];
  return { title: 'Characters', head: '| What | Result |\n|---|---|', rows, faults: [...faults.categories, ...faults.alike] };
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
let chapters: Chapter[] = [];
let python = '';
try {
  const keystone = installKeystone(folder);
  python = keystone.python;
  chapters = [
    await edges(keystone),
    await compared(keystone, `Generated mappings and assertions (seed ${SEED})`, mappingCases(SEED, CASES)),
    await compared(keystone, `Generated mappings with one error (seed ${SEED})`, brokenCases(SEED, CASES)),
    await expressions(keystone),
    await characters(keystone),
  ];
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const faults = chapters.flatMap((chapter) => chapter.faults);
const summary = faults.length === 0 ? 'No disagreement.' : `${faults.length} DISAGREEMENTS.`;
writeFileSync(
  RESULTS,
  `# Keystone's mapping engine: results

Written by \`conformance/mapping/run.ts\`. Keystone ${KEYSTONE} from PyPI, Python ${python.split('.').slice(0, 2).join('.')}. ${summary}

${chapters.map(({ title, head, rows }) => `## ${title}\n\n${head}\n${rows.join('\n')}\n`).join('\n')}`,
);
for (const fault of faults.slice(0, 20)) console.log(fault);
console.log(summary);
process.exit(faults.length > 0 ? 1 : 0);
