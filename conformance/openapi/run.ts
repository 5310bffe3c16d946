// Two linters and a generator of clients, installed into a temporary folder, on the OpenAPI documents; then the generated client
// against running services.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identityOpenApi, walletOpenApi } from '../../src/openapi.ts';
import { GatehouseProcess } from '../../test/support/process.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Known to work together. The generator needs the API of TypeScript 5; the project itself has 7, which checks the types here. */
const TOOLS = [
  '@redocly/cli@2.73.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
  '@types/node@24.19.2',
];
const DOCUMENTS = { identity: identityOpenApi, wallet: walletOpenApi };
const PASSWORD = 'the administrator of the generated client';
const AUDIENCE = 'https://wallet.example';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-openapi-'));
const faults: string[] = [];

/** A step of the run. What it said is shown only if it failed. */
function ended(name: string, succeeded: boolean, said: string): void {
  console.log(`${succeeded ? 'ok    ' : 'FAILED'} ${name}`);
  if (succeeded) return;
  faults.push(name);
  console.log(said.slice(0, 10_000));
}
const run = (command: string, args: readonly string[]) =>
  spawnSync(command, [...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
function step(name: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = run(command, args);
  ended(name, status === 0, `${stdout}\n${stderr}`);
}
const tool = (name: string): string => join(folder, 'node_modules', '.bin', name);

/** What a linter finds in a document, as JSON: errors, warnings and hints alike. */
const LINTERS: Readonly<Record<string, (file: string) => string[]>> = {
  'Redocly, recommended': (file) => {
    const { stdout } = run(tool('redocly'), ['lint', '--format=json', file]);
    const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; location: { pointer: string }[] }[] };
    return problems.map(({ ruleId, location }) => [ruleId, ...location.map(({ pointer }) => pointer)].join(' '));
  },
  'Spectral, spectral:oas': (file) => {
    const { stdout } = run(tool('spectral'), ['lint', '--quiet', '--format=json', '-r', 'spectral.yaml', file]);
    const problems = JSON.parse(stdout) as { code: string; path: (string | number)[] }[];
    return problems.map(({ code, path }) => `${code} #/${path.map((part) => String(part).replaceAll('/', '~1')).join('/')}`);
  },
};

/** What stays, because Keystone has these paths, with the reason. One that no linter finds any more fails the run. */
const ON_PURPOSE: Readonly<Record<string, string>> = {
  'no-ambiguous-paths #/paths/~1v3~1domains~1{domain_id}~1config~1security_compliance~1{option}':
    'of /v3/domains/config/{group}/{option}/default it could only be the same for a domain with the id "config", which none can have',
  'operation-success-response #/paths/~1v3~1OS-SIMPLE-CERT~1ca/get/responses': 'always 410: there are no PKI tokens any more',
  'operation-success-response #/paths/~1v3~1OS-SIMPLE-CERT~1certificates/get/responses': 'the same',
};

function lint(): void {
  // Without a rule of ours, and with all that the linters recommend.
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
  writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const unneeded = new Set(Object.keys(ON_PURPOSE));
  for (const [service, make] of Object.entries(DOCUMENTS)) {
    const file = `${service}.json`;
    writeFileSync(join(folder, file), JSON.stringify(make(), null, 2));
    for (const [linter, find] of Object.entries(LINTERS)) {
      const found = find(file);
      const wrong = found.filter((problem) => !(problem in ON_PURPOSE));
      ended(`${linter}: ${service}`, wrong.length === 0, wrong.join('\n'));
      for (const problem of found) unneeded.delete(problem);
    }
  }
  ended('every exception is needed', unneeded.size === 0, [...unneeded].join('\n'));
}

function generate(): void {
  for (const service of Object.keys(DOCUMENTS))
    step(`types of the client: ${service}`, tool('openapi-typescript'), [`${service}.json`, '-o', `${service}.d.ts`]);
  for (const name of ['flows.ts', 'tsconfig.json']) copyFileSync(here(`./client/${name}`), join(folder, name));
  step('types of what uses it', here('../../node_modules/.bin/tsc'), ['-p', '.']);
}

/** Runs the flows in a process of their own, where the packages of the temporary folder are found. */
async function use(): Promise<void> {
  const service = new GatehouseProcess(['start'], {
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
    GATEHOUSE_WALLET_BEARER_AUDIENCE: AUDIENCE,
  });
  try {
    const env = {
      ...process.env,
      IDENTITY: await service.listening(),
      WALLET: await service.walletListening(),
      ADMIN_PASSWORD: PASSWORD,
      AUDIENCE,
    };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'flows.ts'], {
      cwd: folder,
      env,
      stdio: 'inherit',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} the client against running services`);
    if (code !== 0) faults.push('the client');
  } finally {
    service.child.kill();
    await once(service.child, 'exit');
  }
}

try {
  writeFileSync(join(folder, 'package.json'), '{ "name": "openapi-tools", "private": true, "type": "module" }\n');
  step('installation', 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...TOOLS]);
  if (faults.length === 0) {
    lint();
    generate();
    await use();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(faults.length === 0 ? 0 : 1);
