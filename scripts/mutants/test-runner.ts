// Stands for `node:test` in a process that tries mutants: runs chosen tests of a file, again and again, until the first one fails, and
// says what each of them reached.
import { mock } from 'node:test';

export { mock };

/** Where switch.mjs keeps which mutant is chosen, and which are reached. */
interface Mutants {
  chosen: number;
  readonly reached: Set<number>;
}
export const { __mutants: mutants } = globalThis as unknown as { readonly __mutants: Mutants };

interface Context {
  readonly mock: typeof mock;
  after(work: Work): void;
  diagnostic(): void;
}
type Work = (context: Context) => unknown;
interface Options {
  readonly skip?: boolean | string;
}

interface Test {
  readonly path: string;
  readonly work: Work;
}
interface Suite {
  readonly path: string;
  readonly entries: (Suite | Test)[];
  readonly before: Work[];
  readonly after: Work[];
  readonly beforeEach: Work[];
  readonly afterEach: Work[];
}

/** A test, or what is around the tests of a suite: its hooks. */
export interface Part {
  readonly path: string;
  readonly isTest: boolean;
  readonly seconds: number;
  readonly reached: readonly number[];
}

export interface Outcome {
  /** The first test or hook that failed. */
  readonly failure: string | undefined;
  readonly parts: readonly Part[];
}

/** What a file defines at its top level. */
export type Definitions = readonly (() => void)[];

const SKIPPED = /\(PostgreSQL\)/;
/** Stands between the names of a suite and of a test. */
export const WITHIN = ' > ';

let loading: (() => void)[] | undefined;
let suite: Suite | undefined;
/** Of the test that runs. */
const cleanups: Work[] = [];

const newSuite = (path: string): Suite => ({ path, entries: [], before: [], after: [], beforeEach: [], afterEach: [] });

function define(step: () => void): void {
  if (suite) step();
  else loading?.push(step);
}

function named(above: Suite, name: string): string {
  const path = above.path + (above.path ? WITHIN : '') + name;
  const same = above.entries.filter((one) => one.path === path || one.path.startsWith(`${path} #`)).length;
  return same === 0 ? path : `${path} #${same + 1}`;
}

const partsOf = <T>(words: readonly (Options | T)[]): { options: Options; work: T } => ({
  options: words.length > 1 ? (words[0] as Options) : {},
  work: words.at(-1) as T,
});

export function describe(name: string, ...words: (Options | (() => void))[]): void {
  define(() => {
    const above = suite!;
    const { options, work } = partsOf(words);
    if (options.skip || SKIPPED.test(name)) return;
    const own = newSuite(named(above, name));
    above.entries.push(own);
    suite = own;
    work();
    suite = above;
  });
}

export function it(name: string, ...words: (Options | Work)[]): void {
  define(() => {
    const { options, work } = partsOf(words);
    if (!options.skip && !SKIPPED.test(name)) suite!.entries.push({ path: named(suite!, name), work });
  });
}

export const before = (work: Work): void => define(() => suite!.before.push(work));
export const beforeEach = (work: Work): void => define(() => suite!.beforeEach.push(work));
export const afterEach = (work: Work): void => define(() => suite!.afterEach.push(work));
export const after = (work: Work): void => {
  if (suite || loading) define(() => suite!.after.unshift(work));
  else cleanups.unshift(work);
};
export { it as test };
export default it;

export async function load(file: string): Promise<Definitions> {
  const definitions: (() => void)[] = [];
  loading = definitions;
  await import(file);
  loading = undefined;
  return definitions;
}

export async function runTests(definitions: Definitions, chosen: ReadonlySet<string> | undefined): Promise<Outcome> {
  const parts: Part[] = [];
  let failure: string | undefined;
  const context: Context = { mock, after: (work) => void cleanups.unshift(work), diagnostic: () => {} };
  const part = async (path: string, isTest: boolean, works: readonly Work[]): Promise<void> => {
    mutants.reached.clear();
    const begun = performance.now();
    for (const work of works) {
      try {
        await work(context);
      } catch {
        failure ??= path || 'a hook of the file';
        break;
      }
    }
    parts.push({ path, isTest, seconds: (performance.now() - begun) / 1000, reached: [...mutants.reached] });
  };
  const isChosen = (one: Suite | Test): boolean => ('work' in one ? !chosen || chosen.has(one.path) : one.entries.some(isChosen));
  const runSuite = async (own: Suite, above: Pick<Suite, 'beforeEach' | 'afterEach'>): Promise<void> => {
    const beforeEach = [...above.beforeEach, ...own.beforeEach];
    const afterEach = [...own.afterEach, ...above.afterEach];
    if (own.before.length > 0) await part(own.path, false, own.before);
    for (const one of own.entries.filter(isChosen)) {
      if (failure) break;
      if (!('work' in one)) {
        await runSuite(one, { beforeEach, afterEach });
        continue;
      }
      await part(one.path, true, [...beforeEach, one.work]);
      for (const work of [...cleanups.splice(0), ...afterEach]) await part(own.path, false, [work]);
    }
    for (const work of own.after) await part(own.path, false, [work]);
  };
  const root = newSuite('');
  suite = root;
  for (const step of definitions) step();
  suite = undefined;
  await runSuite(root, { beforeEach: [], afterEach: [] });
  return { failure, parts };
}
