// Runs test files against a copy of the project with one mutant chosen, on SQLite only, until the first test fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Loaded before everything else, in every process and thread of a test. */
const CHOICE = `
import { appendFileSync } from 'node:fs';
const chosen = Number(process.env.MUTANT);
const reached = new Set();
globalThis.__mutant = (id) => {
  reached.add(id);
  return id === chosen;
};
const path = process.env.MUTANTS_REACHED;
if (path) process.on('exit', () => appendFileSync(path, [...reached].map((id) => id + '\\n').join('')));
`;
/** A test that failed, and its file. */
const FAILURE = /^ *not ok \d+ - (?<name>.*)\n *---\n(?:(?! *\.\.\.).*\n)*? *location: '(?<file>[^']*?):\d+:\d+'/m;

export interface Outcome {
  /** What went wrong: the first test that failed, or how the process ended. */
  readonly failure: string | undefined;
  /** The test file, if a test failed. */
  readonly file?: string | undefined;
  readonly seconds: number;
}

export interface MeasuredFile {
  readonly file: string;
  readonly seconds: number;
  readonly reached: ReadonlySet<number>;
}

/** `folder` holds the copy of the project, and everything that the tests write. */
export function testsIn(folder: string, copy: string) {
  const choice = join(folder, 'choice.mjs');
  writeFileSync(choice, CHOICE);
  const inherited = Object.entries(process.env).filter(([key]) => !/^(?:GATEHOUSE_|NODE_OPTIONS$|NODE_TEST)/.test(key));

  async function run(files: readonly string[], limitSeconds: number, settings: Record<string, string>): Promise<Outcome> {
    const own = mkdtempSync(join(folder, 'run-'));
    const main = join(own, 'main.mjs');
    writeFileSync(main, files.map((file) => `await import(${JSON.stringify(pathToFileURL(join(copy, file)).href)});\n`).join(''));
    const begun = Date.now();
    const env = {
      ...Object.fromEntries(inherited),
      NODE_OPTIONS: `--import=${pathToFileURL(choice).href}`,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      TEST_SQLITE_TEMPLATES: folder,
      TMPDIR: own,
      ...settings,
    };
    const flags = [
      '--disable-warning=ExperimentalWarning',
      '--expose-gc',
      '--test-skip-pattern=\\(PostgreSQL\\)',
      '--test-reporter=tap',
    ];
    // A group of its own, so that what the tests started ends with them.
    const child = spawn(process.execPath, [...flags, main], {
      cwd: copy,
      detached: true,
      env,
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

  return {
    /** Which mutants a test file reaches, and how long it takes. A file that fails without any mutant is of no use. */
    async measure(file: string): Promise<MeasuredFile | undefined> {
      const path = join(folder, `reached-${file.replaceAll('/', '-')}`);
      const { failure, seconds } = await run([file], 600, { MUTANT: '0', MUTANTS_REACHED: path });
      if (failure) console.log(`left out, because it fails without a mutant: ${file}: ${failure}`);
      if (failure || !existsSync(path)) return undefined;
      return { file, seconds, reached: new Set(readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number)) };
    },

    /** The first failure of these files with the mutant. Tests of one module share a process; the others have their own. */
    async tryMutant(id: number, files: readonly MeasuredFile[]): Promise<Outcome> {
      const shared = files.filter(({ file }) => file.startsWith('src/'));
      const alone = files.filter(({ file }) => !file.startsWith('src/')).map((file) => [file]);
      let seconds = 0;
      for (const group of [shared, ...alone]) {
        if (group.length === 0) continue;
        const usual = group.reduce((sum, file) => sum + file.seconds, 0);
        const outcome = await run(
          group.map(({ file }) => file),
          usual * 4 + 30,
          { MUTANT: String(id) },
        );
        seconds += outcome.seconds;
        if (outcome.failure) return { ...outcome, seconds };
      }
      return { failure: undefined, seconds };
    },
  };
}

export type Tests = ReturnType<typeof testsIn>;
