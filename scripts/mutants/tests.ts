// Runs test files against a copy of the project with one mutant chosen, on SQLite only, until the first test fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createWorkers, type Outcome } from './workers.ts';

/** Loaded before everything else, in every process and thread of a test. */
const WORKER = join(import.meta.dirname, 'worker.mjs');
const LISTENER = join(import.meta.dirname, 'listener.mjs');
const FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc', '--test-skip-pattern=\\(PostgreSQL\\)'];
/** A test that failed. */
const FAILURE = /^ *not ok \d+ - (?<name>.*)\n/m;

export interface MeasuredFile {
  readonly file: string;
  readonly seconds: number;
  readonly reached: readonly number[];
  /** Those that are reached while files are loaded, so that each needs a process of its own. */
  readonly loading: readonly number[];
}

/** `folder` holds the copy of the project, and everything that the tests write. */
export function testsIn(folder: string, copy: string) {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(?:GATEHOUSE_|NODE_OPTIONS$|NODE_TEST)/.test(key)),
  );
  const environment = (own: string, settings: Record<string, string>) => ({
    ...inherited,
    NODE_OPTIONS: `--import=${pathToFileURL(WORKER).href}`,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    TEST_SQLITE_TEMPLATES: folder,
    TMPDIR: own,
    ...settings,
  });
  const addressOf = (file: string): string => pathToFileURL(join(copy, file)).href;

  async function run(tested: string, limitSeconds: number, settings: Record<string, string>): Promise<Outcome> {
    const own = mkdtempSync(join(folder, 'run-'));
    const main = join(own, 'main.mjs');
    writeFileSync(main, `await import(${JSON.stringify(addressOf(tested))});\nglobalThis.__mutantsLoaded();\n`);
    const begun = Date.now();
    // A group of its own, so that what the tests started ends with them.
    const child = spawn(process.execPath, [...FLAGS, '--test-force-exit', '--test-reporter=tap', main], {
      cwd: copy,
      detached: true,
      env: environment(own, settings),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const end = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    let failure: string | undefined;
    const timer = setTimeout(() => {
      failure ??= `no end after ${Math.round(limitSeconds)} s`;
      end();
    }, limitSeconds * 1000);
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      const found = FAILURE.exec(output)?.groups;
      if (!found) return;
      failure ??= found.name;
      end();
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    end();
    if (status !== 0) failure ??= `ended with status ${status}`;
    rmSync(own, { recursive: true, force: true });
    return { failure, seconds: (Date.now() - begun) / 1000 };
  }

  const workers = createWorkers({
    folder,
    spawnWorker: (own, main) =>
      spawn(process.execPath, [...FLAGS, `--test-reporter=${LISTENER}`, main], {
        cwd: copy,
        detached: true,
        env: environment(own, { MUTANTS_WORKER: 'yes' }),
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      }),
  });
  const limitOf = ({ seconds }: MeasuredFile): number => seconds * 5 + 15;
  /** Whether a file can run in a process in which it ran before. Asked after its first failure, which may be because it cannot. */
  const repeatable = new Map<string, boolean>();

  async function tryFile(id: number, one: MeasuredFile): Promise<Outcome> {
    const { file } = one;
    const inWorker = (chosen: number): Promise<Outcome> => workers.run(chosen, addressOf(file), limitOf(one));
    const alone = (): Promise<Outcome> => run(file, limitOf(one), { MUTANT: String(id) });
    if (!file.startsWith('src/') || one.loading.includes(id) || repeatable.get(file) === false) return alone();
    const outcome = await inWorker(id);
    if (!outcome.failure || repeatable.has(file)) return outcome;
    const isRepeatable = !(await inWorker(0)).failure;
    repeatable.set(file, isRepeatable);
    return isRepeatable ? outcome : alone();
  }

  return {
    /** Which mutants a test file reaches, and how long it takes. A file that fails without any mutant is of no use. */
    async measure(file: string): Promise<MeasuredFile | undefined> {
      const path = join(folder, `reached-${file.replaceAll('/', '-')}`);
      const { failure, seconds } = await run(file, 600, { MUTANT: '0', MUTANTS_REACHED: path });
      if (failure) console.log(`left out, because it fails without a mutant: ${file}: ${failure}`);
      if (failure || !existsSync(path)) return undefined;
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      const reached = [...new Set(lines.map((line) => Number.parseInt(line, 10)))];
      const loading = lines.filter((line) => line.endsWith('loading')).map((line) => Number.parseInt(line, 10));
      return { file, seconds, reached, loading };
    },

    /** The first failure of these files with the mutant, one after the other. */
    async tryMutant(id: number, files: readonly MeasuredFile[]): Promise<Outcome & { readonly file?: string }> {
      let all = 0;
      for (const one of files) {
        const { failure, seconds } = await tryFile(id, one);
        all += seconds;
        if (failure) return { failure, file: one.file, seconds: all };
      }
      return { failure: undefined, seconds: all };
    },

    end: workers.end,
  };
}

export type Tests = ReturnType<typeof testsIn>;
