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

/** A step of the run. What it printed is shown only if it failed. */
function step(name: string, command: string, args: readonly string[]): void {
  const begun = Date.now();
  const { status, stdout, stderr } = spawnSync(command, [...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  if (status === 0) return;
  faults.push(name);
  console.log(`${stdout}\n${stderr}`.slice(0, 10_000));
}
const tool = (name: string): string => join(folder, 'node_modules', '.bin', name);

function lint(): void {
  // Without a rule of ours: what the linters recommend, and no warning is let pass.
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
  writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
  for (const [service, make] of Object.entries(DOCUMENTS)) {
    const file = `${service}.json`;
    writeFileSync(join(folder, file), JSON.stringify(make(), null, 2));
    // Redocly ends with 0 also after warnings; with this format it prints nothing but them.
    const redocly = `test -z "$('${tool('redocly')}' lint --format=checkstyle ${file} 2>/dev/null | grep '<error')"`;
    step(`Redocly, recommended: ${service}`, 'sh', ['-c', `${redocly} && '${tool('redocly')}' lint ${file}`]);
    step(`Spectral, spectral:oas: ${service}`, tool('spectral'), ['lint', '--fail-severity=hint', '-r', 'spectral.yaml', file]);
  }
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
