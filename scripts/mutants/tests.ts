// Runs test files against a copy of the project with one mutant chosen, on SQLite only, until the first test fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createWorkers, type Outcome } from './workers.ts';

/** Loaded before everything else, in every process and thread of a test. */
const WORKER = join(import.meta.dirname, 'worker.mjs');
const LISTENER = join(import.meta.dirname, 'listener.mjs');
const FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc', '--test-skip-pattern=\\(PostgreSQL\\)'];
/** A test that failed, and its file. */
const FAILURE = /^ *not ok \d+ - (?<name>.*)\n *---\n(?:(?! *\.\.\.).*\n)*? *location: '(?<file>[^']*?):\d+:\d+'/m;

export interface MeasuredFile {
  readonly file: string;
  readonly seconds: number;
  readonly reached: ReadonlySet<number>;
  /** Those that are reached while files are loaded, so that each needs a process of its own. */
  readonly loading: ReadonlySet<number>;
  /** Whether it can run again in a process in which it ran before. */
  readonly isRepeatable: boolean;
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

  async function run(files: readonly string[], limitSeconds: number, settings: Record<string, string>): Promise<Outcome> {
    const own = mkdtempSync(join(folder, 'run-'));
    const main = join(own, 'main.mjs');
    const imports = files.map((file) => `await import(${JSON.stringify(addressOf(file))});\n`);
    writeFileSync(main, [...imports, 'globalThis.__mutantsLoaded();\n'].join(''));
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
    let file: string | undefined;
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
      file ??= relative(copy, found.file!);
      end();
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    end();
    if (status !== 0) failure ??= `ended with status ${status}`;
    rmSync(own, { recursive: true, force: true });
    return { failure, file, seconds: (Date.now() - begun) / 1000 };
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
  async function inWorker(id: number, files: readonly string[], limitSeconds: number): Promise<Outcome> {
    const { file, ...outcome } = await workers.run(id, files.map(addressOf), limitSeconds);
    return { ...outcome, file: file && relative(copy, fileURLToPath(file)) };
  }

  const limitOf = (files: readonly MeasuredFile[]): number => files.reduce((sum, { seconds }) => sum + seconds, 0) * 4 + 30;
  const namesOf = (files: readonly MeasuredFile[]): string[] => files.map(({ file }) => file);

  return {
    /** Which mutants a test file reaches, and how long it takes. A file that fails without any mutant is of no use. */
    async measure(file: string): Promise<MeasuredFile | undefined> {
      const path = join(folder, `reached-${file.replaceAll('/', '-')}`);
      const { failure, seconds } = await run([file], 600, { MUTANT: '0', MUTANTS_REACHED: path });
      if (failure) console.log(`left out, because it fails without a mutant: ${file}: ${failure}`);
      if (failure || !existsSync(path)) return undefined;
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      const reached = new Set(lines.map((line) => Number.parseInt(line, 10)));
      const loading = new Set(lines.filter((line) => line.endsWith('loading')).map((line) => Number.parseInt(line, 10)));
      let isRepeatable = file.startsWith('src/');
      for (let time = 1; isRepeatable && time <= 2; time++) isRepeatable = !(await inWorker(0, [file], 600)).failure;
      return { file, seconds, reached, loading, isRepeatable };
    },

    /** The first failure of these files with the mutant. Those that cannot share a process have their own. */
    async tryMutant(id: number, files: readonly MeasuredFile[]): Promise<Outcome> {
      const together = files.filter(({ isRepeatable, loading }) => isRepeatable && !loading.has(id));
      let { failure, file, seconds }: Outcome = { failure: undefined, seconds: 0 };
      if (together.length > 0) ({ failure, file, seconds } = await inWorker(id, namesOf(together), limitOf(together)));
      for (const one of files) {
        if (failure) break;
        if (together.includes(one)) continue;
        const outcome = await run([one.file], limitOf([one]), { MUTANT: String(id) });
        ({ failure, file } = outcome);
        seconds += outcome.seconds;
      }
      return { failure, file, seconds };
    },

    end: workers.end,
  };
}

export type Tests = ReturnType<typeof testsIn>;
