// Runs test modules of a Debian Python package against a fresh Gatehouse and, with `--beside keystone`, against a fresh Keystone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { forEachConcurrently } from '../../src/platform/for-each-concurrently.ts';
import { writeClouds } from './clouds.ts';
import { needPackage, packageVersion } from './debian.ts';
import { startKeystone } from './keystone.ts';
import { options } from './options.ts';
import { cleanEnvironment, type RunningService, startService } from './service.ts';
import {
  failuresOf,
  readColumn,
  resultOf,
  resultPage,
  resultsOf,
  type Suite,
  type TestLine,
  type TestResult,
  writeColumn,
} from './suite.ts';

// Debian's own: the packages are for it.
const RUN_TESTS = fileURLToPath(new URL('./run_tests.py', import.meta.url));

/** Seconds for one test. openstacksdk allows 3, which is too short on a busy machine. */
const OS_TEST_TIMEOUT = '300';

export interface PythonSuite {
  readonly title: string;
  /** Debian packages; the first has the tests. */
  readonly packages: readonly string[];
  /** What of it is run. */
  readonly what: string;
  /** The sentence about the tests, if they are not those of the package. */
  readonly about?: () => string;
  /** The folder of the modules, if they are not in a package. */
  readonly path?: string;
  readonly modules: readonly string[];
  /** The part of the names that is left out in the table. */
  readonly prefix: string;
  readonly notServed: Readonly<Record<string, string>>;
}

/** `setUpClass (module.Class)` is the class; `tearDownClass (module.Class)` its clean-up. */
function nameOf(id: string): string {
  const { phase, className } = /^(?<phase>setUpClass|tearDownClass) \((?<className>[\w.]+)\)$/.exec(id)?.groups ?? {};
  if (!className) return id;
  return phase === 'tearDownClass' ? `${className}.tearDownClass` : className;
}

/** Both the tests that were listed and what was said of them. */
async function runModule(module: string, service: RunningService, suite: Suite, path: string | undefined) {
  const listed: string[] = [];
  const seen: TestLine[] = [];
  const env = {
    ...cleanEnvironment(),
    HOME: service.folder,
    OS_CLIENT_CONFIG_FILE: join(service.folder, 'clouds.yaml'),
    OS_TEST_TIMEOUT,
    ...(path === undefined ? {} : { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' }),
  };
  const child = spawn('/usr/bin/python3', [RUN_TESTS, module], { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: service.folder });
  child.stderr.on('data', (chunk: Buffer) => appendFileSync(join(service.folder, 'tests.out'), chunk));
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { listed?: string; test?: string; outcome?: TestLine['outcome']; reason?: string };
    if (event.listed !== undefined) listed.push(event.listed);
    if (event.test === undefined) continue;
    const one = { name: nameOf(event.test), outcome: event.outcome ?? 'FAILED', reason: event.reason };
    seen.push(one);
    if (one.outcome === 'FAILED') appendFileSync(join(service.folder, 'tests.out'), `\n=== ${one.name}\n${one.reason}\n`);
    console.log(`${resultOf(suite, one.name, one).outcome.padEnd(10)} ${one.name}`);
  }
  await ended;
  if (listed.length === 0) throw new Error(`${module} has no tests, or cannot be loaded: see tests.out in ${service.folder}`);
  return { listed, seen };
}

async function runAll(suite: Suite, { modules, path }: PythonSuite, service: RunningService): Promise<TestResult[]> {
  await writeClouds(service);
  const listed: string[] = [];
  const seen: TestLine[] = [];
  await forEachConcurrently(availableParallelism(), modules, async (module) => {
    const one = await runModule(module, service, suite, path);
    listed.push(...one.listed);
    seen.push(...one.seen);
  });
  return resultsOf(suite, listed, seen);
}

/** `folder`: import.meta.dirname of the runner, where RESULTS.md is written. */
export async function runPythonSuite(tests: PythonSuite, folder: string): Promise<never> {
  const chosen = options();
  for (const name of tests.packages) needPackage(name);
  const [name = ''] = tests.packages;
  const suite: Suite = {
    title: tests.title,
    about: tests.about?.() ?? `${tests.what}, from Debian's package ${name} ${packageVersion(name)}, unchanged.`,
    notServed: tests.notServed,
    moduleOf: (test) => {
      const parts = test.slice(tests.prefix.length + 1).split('.');
      return parts.slice(0, parts.findIndex((part) => part.startsWith('test_')) + 1).join('.');
    },
  };
  const columnFile = join(folder, 'keystone.json');
  if (chosen.beside) {
    const keystone = await startKeystone(chosen);
    try {
      writeColumn(columnFile, await runAll({ ...suite, notServed: {} }, tests, keystone));
    } finally {
      await keystone.stop();
    }
  }
  const column = readColumn(columnFile);
  const service = await startService(chosen);
  let results: TestResult[] = [];
  try {
    results = await runAll(suite, tests, service);
  } finally {
    await service.stop(failuresOf(results, column).length > 0);
  }
  const failed = failuresOf(results, column);
  const { page, summary } = resultPage(suite, `conformance/${folder.split('/').at(-1)}/run.ts`, results, column);
  writeFileSync(join(folder, 'RESULTS.md'), page);
  for (const { test } of failed) console.log(`FAILED ${test}`);
  if (failed.length > 0) console.log('tests.out in the folder above has what each test said');
  console.log(summary);
  process.exit(failed.length > 0 ? 1 : 0);
}
