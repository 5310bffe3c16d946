// One process that tries many mutants, one after the other: what test files import is loaded once.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { type Definitions, load, mutants, type Outcome, runTests } from './test-runner.ts';

export interface Job {
  readonly round: number;
  /** 0: none. */
  readonly mutant: number;
  /** The address of a test file. */
  readonly file: string;
  /** By their paths; all without. */
  readonly tests?: readonly string[];
}

export interface Answer extends Outcome {
  readonly round: number;
  /** Reached while the file and what it imports were loaded, if that was now. */
  readonly loading: readonly number[];
}

const RUNNER = new URL('./test-runner.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: RUNNER, shortCircuit: true } : next(specifier, context),
});

/** Where processes that tests start say what they reached. */
const path = process.env.MUTANTS_FOUND!;
process.env.MUTANTS_REACHED = path;

const loaded = new Map<string, Definitions>();

async function work({ round, mutant, file, tests }: Job): Promise<Answer> {
  mutants.chosen = mutant;
  process.env.MUTANT = String(mutant);
  mutants.reached.clear();
  const isNew = !loaded.has(file);
  if (isNew) loaded.set(file, await load(file));
  const loading = isNew ? [...mutants.reached] : [];
  const outcome = await runTests(loaded.get(file)!, tests && new Set(tests));
  mutants.chosen = 0;
  return { round, loading, ...outcome, parts: [...outcome.parts, ...elsewhere()] };
}

/** What other processes and threads reached counts as a hook of the file. */
function elsewhere(): Outcome['parts'] {
  if (!existsSync(path)) return [];
  const reached = new Set(readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number));
  writeFileSync(path, '');
  return [{ path: '', isTest: false, seconds: 0, reached: [...reached] }];
}

process.on('message', (job: Job) => void work(job).then((answer) => process.send!(answer)));
process.send!('ready');
