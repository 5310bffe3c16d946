// Runs the identity tests of OpenStack's own suite against a fresh service, and writes RESULTS.md; with --rbac those of personas, and
// RBAC.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { needCommand, needPackage, packageVersion } from '../support/debian.ts';
import { startKeystone } from '../support/keystone.ts';
import { options } from '../support/options.ts';
import { cleanEnvironment, type RunningService, startService } from '../support/service.ts';
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
} from '../support/suite.ts';
import { keystoneSettings, rbacKeystoneSettings, rbacSettings, serviceSettings, tempestConfiguration } from './configuration.ts';
import { rbacPage } from './rbac-page.ts';
import { rbacSuiteOf, readLine, suiteOf } from './results.ts';

const PLUGIN = 'keystone-tempest-plugin';
const fileHere = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));
const PARTS = {
  api: {
    tests: '^(tempest\\.api\\.identity\\.(admin\\.)?v3\\.|keystone_tempest_plugin\\.tests\\.api\\.)',
    results: fileHere('RESULTS.md'),
    column: fileHere('keystone.json'),
    suiteOf,
    pageOf: resultPage,
    settings: serviceSettings,
    keystoneSettings,
  },
  rbac: {
    tests: '^keystone_tempest_plugin\\.tests\\.rbac\\.',
    results: fileHere('RBAC.md'),
    column: fileHere('keystone-rbac.json'),
    suiteOf: rbacSuiteOf,
    pageOf: rbacPage,
    settings: rbacSettings,
    keystoneSettings: rbacKeystoneSettings,
  },
};

const chosen = options();
const part = chosen.rbac ? PARTS.rbac : PARTS.api;

/** A tempest workspace with our configuration. HOME points there, too, so that nothing is written to the user's home. */
function makeWorkspace(service: RunningService) {
  const workspace = join(service.folder, 'workspace');
  const env = { ...cleanEnvironment(), HOME: service.folder };
  const made = spawnSync('tempest', ['init', workspace], { cwd: service.folder, env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`tempest init failed\n${made.stdout}${made.stderr}`);
  writeFileSync(join(workspace, 'etc', 'tempest.conf'), tempestConfiguration(service, workspace, chosen));
  return { cwd: workspace, env };
}

async function runTests(suite: Suite, service: RunningService): Promise<TestResult[]> {
  const at = makeWorkspace(service);
  // By their names, such as test_user, or DomainAdminTests.
  const tests = chosen.only.length === 0 ? part.tests : `${part.tests}(.*\\.)?(${chosen.only.join('|')})\\.`;
  const listed = spawnSync('tempest', ['run', '--list-tests', '--regex', tests], { ...at, encoding: 'utf8' });
  const all = listed.stdout.split('\n').filter((line) => /^(tempest|keystone_tempest_plugin)\./.test(line));
  if (all.length === 0) throw new Error(`tempest finds no tests\n${listed.stdout}${listed.stderr}`);

  const child = spawn('tempest', ['run', '--regex', tests, '--concurrency', '2'], {
    ...at,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const whole = createWriteStream(join(service.folder, 'tempest.out'));
  const seen: TestLine[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    whole.write(`${line}\n`);
    const one = readLine(line);
    if (!one) continue;
    console.log(`${resultOf(suite, one.name, one).outcome.padEnd(10)} ${one.name}`);
    seen.push(one);
  }
  await ended;
  whole.end();
  return resultsOf(suite, all, seen);
}

needCommand('tempest', 'tempest');
needPackage(PLUGIN);
const suite = part.suiteOf(packageVersion('tempest'), packageVersion(PLUGIN));
if (chosen.beside) {
  const keystone = await startKeystone({ ...chosen, settings: part.keystoneSettings });
  try {
    writeColumn(part.column, await runTests({ ...suite, notServed: {} }, keystone));
  } finally {
    await keystone.stop();
  }
}
const column = readColumn(part.column);
const service = await startService({ ...chosen, settings: part.settings });
let results: TestResult[] = [];
try {
  results = await runTests(suite, service);
} finally {
  await service.stop(failuresOf(results, column).length > 0);
}
const failed = failuresOf(results, column);
const { page, summary } = part.pageOf(suite, `conformance/tempest/run.ts${chosen.rbac ? ' --rbac' : ''}`, results, column);
// A part of the tests is not the result.
if (chosen.only.length === 0) writeFileSync(part.results, page);
for (const { test } of failed) console.log(`FAILED ${test}`);
if (failed.length > 0) console.log('tempest.out in the folder above has what each test said');
console.log(summary);
process.exit(failed.length > 0 ? 1 : 0);
