// Which tests try a mutant, in which order, and what counts as noticed.
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './syntax.ts';
import { WITHIN } from './test-runner.ts';
import { createWorkers, type Ran } from './workers.ts';

/** What a test file does without a mutant. */
export interface MeasuredFile {
  readonly file: string;
  readonly seconds: number;
  readonly tests: readonly { readonly path: string; readonly seconds: number; readonly reached: readonly number[] }[];
  /** The hooks of each suite. */
  readonly around: readonly { readonly path: string; readonly reached: readonly number[] }[];
  /** Reached while it and what it imports were loaded, as far as no file of the process had loaded that before. */
  readonly loading: readonly number[];
}

interface Candidate {
  readonly file: string;
  readonly path: string;
  readonly seconds: number;
  /** The test itself reaches the mutant, not only what is around it. */
  readonly isDirect: boolean;
}

export interface Tried {
  /** The first test that failed, with its file. */
  readonly by?: string;
  readonly seconds: number;
  /** Tests that reach it, and how many of them had a turn. */
  readonly reachedBy: number;
  readonly ran: number;
}

const sourceOf = ({ place }: Mutant): string => place.split(':')[0]!;

/** How many folders lie between two files. */
function distance(one: string, other: string): number {
  const a = dirname(one).split('/');
  const b = dirname(other).split('/');
  let common = 0;
  while (common < a.length && a[common] === b[common]) common++;
  return a.length + b.length - 2 * common;
}

/** Which tests reach a mutant. */
function createReach(files: readonly MeasuredFile[]) {
  const candidates = new Map<number, Candidate[]>();
  // Whatever it breaks, each file may have loaded it.
  const isLoading = new Set(files.flatMap(({ loading }) => loading));
  const add = (id: number, one: Candidate): void => {
    const all = candidates.get(id);
    if (all) all.push(one);
    else candidates.set(id, [one]);
  };
  for (const { file, tests, around } of files) {
    for (const { path, seconds, reached } of tests) {
      for (const id of reached) add(id, { file, path, seconds, isDirect: true });
      const hooks = around.filter((one) => one.path === '' || path.startsWith(one.path + WITHIN));
      const others = new Set([...isLoading, ...hooks.flatMap((one) => one.reached)]).difference(new Set(reached));
      for (const id of others) add(id, { file, path, seconds, isDirect: false });
    }
  }
  return {
    of: (id: number): readonly Candidate[] => candidates.get(id) ?? [],
    isLoading: (id: number): boolean => isLoading.has(id),
  };
}

/** Tests that noticed a mutant near this one come first, then those that reach it themselves, then those nearby, then fast ones. */
function createOrder() {
  const kills = new Map<string, { readonly id: number; readonly key: string }[]>();
  const keyOf = ({ file, path }: Candidate): string => `${file} ${path}`;
  return {
    of(mutant: Mutant, all: readonly Candidate[]): readonly Candidate[] {
      const source = sourceOf(mutant);
      const nearest = new Map<string, number>();
      for (const { id, key } of kills.get(source) ?? [])
        nearest.set(key, Math.min(nearest.get(key) ?? Infinity, Math.abs(id - mutant.id)));
      const ranks = new Map(
        all.map((one) => [
          one,
          [nearest.get(keyOf(one)) ?? 1e9, one.isDirect ? 0 : 1, distance(one.file, source), one.seconds] as const,
        ]),
      );
      return all.toSorted((a, b) => {
        const [x, y] = [ranks.get(a)!, ranks.get(b)!];
        return x.reduce((sum, rank, at) => sum || rank - y[at]!, 0);
      });
    },
    killed(mutant: Mutant, one: Candidate): void {
      const source = sourceOf(mutant);
      kills.set(source, [...(kills.get(source) ?? []), { id: mutant.id, key: keyOf(one) }]);
    },
  };
}

/** `folder` holds the copy of the project, and everything that the tests write. Other tests begin for so many seconds. */
export function testsIn(folder: string, copy: string, mostSeconds: number) {
  const workers = createWorkers(folder, copy);
  const addressOf = (file: string): string => pathToFileURL(join(copy, file)).href;
  const order = createOrder();
  let files: ReadonlyMap<string, MeasuredFile> = new Map();
  let reach = createReach([]);
  /** Selections of tests that pass, or fail, without a mutant. */
  const passes = new Map<string, boolean>();
  /** Files whose tests need those before them. */
  const areTied = new Set<string>();

  /** One that fails slowly is run again: the machine may have been busy. */
  async function run(
    id: number,
    { file, seconds, tests }: MeasuredFile,
    paths: readonly string[],
    isFresh: boolean,
  ): Promise<Ran> {
    const notAsked = tests.filter(({ path }) => !paths.includes(path)).reduce((sum, one) => sum + one.seconds, 0);
    const usual = seconds - notAsked;
    const job = { mutant: id, file: addressOf(file), limitSeconds: usual * 6 + 8, isFresh, tests: paths };
    const ran = await workers.run(job);
    return ran.failure && ran.seconds > usual * 3 + 1 ? workers.run(job) : ran;
  }

  /** With those of the file that come before them, if it needs that. */
  function selection({ file, tests }: MeasuredFile, paths: readonly string[]): readonly string[] {
    if (!areTied.has(file)) return paths;
    const last = tests.findLastIndex(({ path }) => paths.includes(path));
    return tests.slice(0, last + 1).map(({ path }) => path);
  }

  /** The failure of these tests with the mutant, if they pass without it. */
  async function failureOf(
    id: number,
    one: MeasuredFile,
    paths: readonly string[],
    isFresh: boolean,
  ): Promise<string | undefined> {
    const tests = selection(one, paths);
    const { failure } = await run(id, one, tests, isFresh);
    if (!failure) return undefined;
    const key = `${one.file} ${tests.join()} ${isFresh}`;
    if (!passes.has(key)) passes.set(key, !(await run(0, one, tests, isFresh)).failure);
    if (passes.get(key)) return failure;
    if (areTied.has(one.file)) return isFresh ? undefined : failureOf(id, one, paths, true);
    areTied.add(one.file);
    return failureOf(id, one, paths, isFresh);
  }

  return {
    /** Which mutants the tests of a file reach, and how long they take. A file that fails without any mutant is of no use. */
    async measure(file: string): Promise<MeasuredFile | undefined> {
      const { failure, parts, loading, seconds } = await workers.run({ mutant: 0, file: addressOf(file), limitSeconds: 600 });
      if (failure) console.log(`left out, because it fails without a mutant: ${file}: ${failure}`);
      if (failure) return undefined;
      const hooks = Map.groupBy(
        parts.filter(({ isTest }) => !isTest),
        ({ path }) => path,
      );
      const around = [...hooks].map(([path, all]) => ({ path, reached: [...new Set(all.flatMap((one) => one.reached))] }));
      return { file, seconds, loading, around, tests: parts.filter(({ isTest }) => isTest) };
    },

    use(measured: readonly MeasuredFile[]): void {
      files = new Map(measured.map((one) => [one.file, one]));
      reach = createReach(measured);
    },

    /** What happens with the mutant: first with the test that most likely notices it, then with the others, file by file. */
    async tryMutant(mutant: Mutant): Promise<Tried> {
      const candidates = order.of(mutant, reach.of(mutant.id));
      const [first, ...rest] = candidates;
      const isFresh = reach.isLoading(mutant.id);
      const groups = [...(first ? [[first]] : []), ...Map.groupBy(rest, ({ file }) => file).values()];
      const begun = Date.now();
      const secondsSince = (): number => (Date.now() - begun) / 1000;
      let ran = 0;
      for (const group of groups) {
        if (ran > 0 && secondsSince() > mostSeconds) break;
        const one = files.get(group[0]!.file)!;
        const paths = group.map(({ path }) => path);
        ran += group.length;
        const failure = await failureOf(mutant.id, one, paths, isFresh);
        if (failure === undefined) continue;
        order.killed(mutant, group.find(({ path }) => path === failure) ?? group[0]!);
        return { by: `${one.file}: ${failure}`, seconds: secondsSince(), reachedBy: candidates.length, ran };
      }
      return { seconds: secondsSince(), reachedBy: candidates.length, ran };
    },

    end: workers.end,
  };
}

export type Tests = ReturnType<typeof testsIn>;
