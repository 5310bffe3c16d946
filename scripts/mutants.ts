// `npm run mutants -- FOLDER [--only FILE] [--tests GLOB]... [--max N] [--seconds N] [--processes N] [--out FILE] [--minutes N] [--again]
// [--list]`: changes the code of a folder in small ways, one at a time, and says which changes no test notices. test/README.md explains it, and has
// the results.
import { createHash } from 'node:crypto';
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
  readonly result: 'killed' | 'survived' | 'not reached' | 'not tried';
  readonly by?: string;
  readonly seconds?: number;
  /** How many tests reach it, and how many of them had a turn. */
  readonly reachedBy?: number;
  readonly ran?: number;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    tests: { type: 'string', multiple: true },
    max: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '2' },
    out: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    'npm run mutants -- FOLDER [--only FILE] [--tests GLOB]... [--max N] [--seconds N] [--processes N] [--out FILE] [--minutes N] [--again] [--list]',
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

/** When a run with `--minutes` begins nothing new. */
const endsAt = Date.now() + Number(options.minutes) * 60_000;

const nameOf = ({ place, change }: Pick<Result, 'place' | 'change'>): string => `${place} ${change}`;

/** What earlier runs kept in a file beside `--out`, or in it. */
function kept<T>(suffix = ''): readonly T[] {
  const path = options.out + suffix;
  if (!options.out || !existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
}

function keep(one: unknown, suffix = ''): void {
  if (options.out) appendFileSync(options.out + suffix, `${JSON.stringify(one)}\n`);
}

/** So many of them, from all parts of the folder. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  return all.length <= most ? all : Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]!);
}

/** Does the work for each, so many at the same time, in order. False if the time ended before. */
async function inProcesses<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<boolean> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    while (left.length > 0 && Date.now() < endsAt) await work(left.shift()!);
  };
  await Promise.all(Array.from({ length: Number(options.processes) }, worker));
  return left.length === 0;
}

/** What is kept of a measured file, for as long as neither it nor the code with the mutants changes. */
interface KeptFile {
  readonly hash: string;
  /** `null`: it fails without a mutant. */
  readonly measured: MeasuredFile | null;
}

/** All test files; undefined if the time ended before. */
async function measureFiles(tests: Tests, texts: ReadonlyMap<string, string>): Promise<readonly MeasuredFile[] | undefined> {
  const measured: MeasuredFile[] = [];
  const earlier = new Map(kept<KeptFile>('.reached').map((one) => [one.hash, one.measured]));
  const files = (options.tests ?? [`${folder}/**/*.test.ts`]).flatMap((pattern) => globSync(pattern)).sort();
  const areAll = await inProcesses([...new Set(files)], async (file) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([...texts, file, readFileSync(file, 'utf8')]))
      .digest('hex');
    let one = earlier.get(hash);
    if (one === undefined) {
      one = (await tests.measure(file)) ?? null;
      keep({ hash, measured: one } satisfies KeptFile, '.reached');
    }
    if (!one) return;
    measured.push(one);
    const reached = new Set([...one.tests, ...one.around].flatMap((part) => part.reached));
    console.log(`${file}: ${one.seconds.toFixed(1)} s, ${one.tests.length} tests, reaches ${reached.size}`);
  });
  return areAll ? measured : undefined;
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
  const isNews = ({ result }: Result): boolean => result !== 'killed' && result !== 'not tried';
  const some = ({ ran = 0, reachedBy = 0 }: Result): string => (ran < reachedBy ? ` (${ran} of ${reachedBy} tests)` : '');
  for (const one of results) if (isNews(one)) console.log(`${one.result}: ${nameOf(one)}${some(one)}`);
  const notTried = results.some(({ result }) => result === 'not tried') ? `, ${count('not tried')}` : '';
  console.log(`${results.length} mutants: ${count('killed')}, ${count('survived')}, ${count('not reached')}${notTried}`);
}

async function tryMutants(
  work: string,
  texts: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
  save: (result: Result) => void,
): Promise<void> {
  const tests = testsIn(work, makeCopy(work, texts), Number(options.seconds));
  const measured = await measureFiles(tests, texts);
  if (!measured) return tests.end();
  tests.use(measured);
  await inProcesses(mutants, async (mutant) => {
    const { place, change } = mutant;
    const tried = await tests.tryMutant(mutant);
    const notKilled = tried.reachedBy === 0 ? 'not reached' : 'survived';
    save({ place, change, result: tried.by ? 'killed' : notKilled, ...tried });
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
  const results = new Map(kept<Result>().map((result) => [nameOf(result), result]));
  const left = chosen.filter((mutant) => {
    const { result } = results.get(nameOf(mutant)) ?? {};
    return result === undefined || (options.again && result !== 'killed');
  });
  let done = 0;
  const save = (result: Result): void => {
    results.set(nameOf(result), result);
    keep(result);
    console.log(`${++done}/${left.length} ${result.result}: ${nameOf(result)}${result.by ? ` (${result.by})` : ''}`);
  };
  if (left.length > 0) await tryMutants(work, texts, left, save);
  report(chosen.map((mutant) => results.get(nameOf(mutant)) ?? { ...mutant, result: 'not tried' }));
}

// In memory if there is such a folder: services wait for the disk at every change.
const work = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gatehouse-mutants-'));
try {
  await main(work);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}
