// `npm run mutants -- FOLDER [--only FILE] [--tests GLOB]... [--max N] [--processes N] [--out FILE] [--again] [--list]`: changes the code
// of a folder in small ways, one at a time, and says which changes no test notices. test/README.md explains it, and has the results.
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutated, withSyntax } from './mutants/syntax.ts';
import { type MeasuredFile, type Tests, testsIn } from './mutants/tests.ts';

interface Result {
  readonly place: string;
  readonly change: string;
  readonly result: 'killed' | 'survived' | 'not reached';
  readonly by?: string;
  readonly seconds?: number;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    tests: { type: 'string', multiple: true },
    max: { type: 'string' },
    processes: { type: 'string', default: '2' },
    out: { type: 'string' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    'npm run mutants -- FOLDER [--only FILE] [--tests GLOB]... [--max N] [--processes N] [--out FILE] [--again] [--list]',
  );
  process.exit(2);
}

const NO_SOURCE = /\.(?:test|documentation|d)\.ts$/;
const LEFT_OUT = new Set(['node_modules', '.git']);

/** Every mutant of the folder, and the files with all of them. */
function makeMutants(files: readonly string[]): {
  readonly mutants: readonly Mutant[];
  readonly texts: ReadonlyMap<string, string>;
} {
  return withSyntax(files, (sourceOf) => {
    const mutants: Mutant[] = [];
    const texts = new Map<string, string>();
    for (const file of files) {
      const made = mutated(sourceOf(file), file, mutants.length + 1);
      mutants.push(...made.mutants);
      texts.set(file, made.text);
    }
    return { mutants, texts };
  });
}

const nameOf = ({ place, change }: Pick<Result, 'place' | 'change'>): string => `${place} ${change}`;

/** What an earlier run found, so that this one continues it. */
function earlierResults(): Map<string, Result> {
  const lines = options.out && existsSync(options.out) ? readFileSync(options.out, 'utf8').split('\n').filter(Boolean) : [];
  const results = lines.map((line) => JSON.parse(line) as Result);
  return new Map(results.map((result) => [nameOf(result), result]));
}

/** So many of them, from all parts of the folder. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  return all.length <= most ? all : Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]!);
}

/** Does the work for each, so many at the same time, in order. */
async function inProcesses<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Number(options.processes) }, worker));
}

async function measureFiles(tests: Tests): Promise<readonly MeasuredFile[]> {
  const measured: MeasuredFile[] = [];
  const files = (options.tests ?? [`${folder}/**/*.test.ts`]).flatMap((pattern) => globSync(pattern)).sort();
  await inProcesses([...new Set(files)], async (file) => {
    const one = await tests.measure(file);
    if (one) measured.push(one);
  });
  return measured;
}

/** Test files that noticed most mutants of the same source file come first, then fast ones. */
function createOrder() {
  const kills = new Map<string, number>();
  const keyOf = (place: string, file: string): string => `${place.split(':')[0]} ${file}`;
  const killsOf = (place: string, file: string): number => kills.get(keyOf(place, file)) ?? 0;
  return {
    of: (place: string, files: readonly MeasuredFile[]): MeasuredFile[] =>
      files.toSorted((a, b) => killsOf(place, b.file) - killsOf(place, a.file) || a.seconds - b.seconds),
    killedBy: (place: string, file: string): void => void kills.set(keyOf(place, file), killsOf(place, file) + 1),
  };
}

function makeCopy(work: string, texts: ReadonlyMap<string, string>): string {
  const copy = join(work, 'copy');
  mkdirSync(copy);
  for (const name of globSync('{*,.*}').filter((one) => !LEFT_OUT.has(one))) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  return copy;
}

function report(results: readonly Result[]): void {
  const count = (result: Result['result']): string => `${results.filter((one) => one.result === result).length} ${result}`;
  for (const one of results) if (one.result !== 'killed') console.log(`${one.result}: ${nameOf(one)}`);
  console.log(`${results.length} mutants: ${count('killed')}, ${count('survived')}, ${count('not reached')}`);
}

async function tryMutants(
  work: string,
  texts: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
  save: (result: Result) => void,
): Promise<void> {
  const tests = testsIn(work, makeCopy(work, texts));
  const measured = await measureFiles(tests);
  for (const { file, seconds, reached } of measured) console.log(`${file}: ${seconds.toFixed(1)} s, reaches ${reached.size}`);
  const order = createOrder();
  await inProcesses(mutants, async ({ id, place, change }) => {
    const able = measured.filter(({ reached }) => reached.has(id));
    if (able.length === 0) return save({ place, change, result: 'not reached' });
    const { failure, file, seconds } = await tests.tryMutant(id, order.of(place, able));
    if (file) order.killedBy(place, file);
    save({ place, change, seconds, ...(failure ? { result: 'killed', by: `${file}: ${failure}` } : { result: 'survived' }) });
  });
  tests.end();
}

async function main(work: string): Promise<void> {
  const files = globSync(`${folder}/**/*.ts`).filter((file) => !NO_SOURCE.test(file));
  const { mutants, texts } = makeMutants(files.sort());
  const wanted = mutants.filter(({ place }) => !options.only || place.includes(`/${options.only}:`));
  const chosen = spread(wanted, Number(options.max ?? wanted.length));
  if (options.list) {
    for (const mutant of chosen) console.log(nameOf(mutant));
    return console.log(`${chosen.length} mutants`);
  }
  const results = earlierResults();
  const left = chosen.filter((mutant) => {
    const { result } = results.get(nameOf(mutant)) ?? {};
    return result === undefined || (options.again && result !== 'killed');
  });
  let done = 0;
  const save = (result: Result): void => {
    results.set(nameOf(result), result);
    if (options.out) appendFileSync(options.out, `${JSON.stringify(result)}\n`);
    console.log(`${++done}/${left.length} ${result.result}: ${nameOf(result)}${result.by ? ` (${result.by})` : ''}`);
  };
  if (left.length > 0) await tryMutants(work, texts, left, save);
  report(chosen.map((mutant) => results.get(nameOf(mutant))!));
}

const work = mkdtempSync(join(tmpdir(), 'gatehouse-mutants-'));
try {
  await main(work);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}
