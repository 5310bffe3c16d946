// What is loaded until a service answers that it is ready: packages and code that only some requests need are not among it. Each file
// costs time and memory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { usesProcesses } from './support/process.ts';

/** Packages that some requests, some settings or commands need. */
const PACKAGES = [
  // The framework gets no schemas.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@openid4vc/oauth2',
  '@openid4vc/openid4vci',
  '@opentelemetry/sdk-trace-base',
  '@owf/mdoc',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'dcql',
  'jsonld',
  'ldapts',
  'modern-tar',
  'nodemailer',
  'oidc-provider',
  'openid-client',
  'pg',
  'yaml',
];

/** Folders and files of ours, below src/. */
const OURS = [
  'doctor/',
  'identity/pages/account/',
  'identity/pages/console/',
  'identity/pages/invitation/',
  'identity/pages/people/',
  'identity/openid/provider/provider.ts',
  'identity/pages/serving/serving.ts',
  'identity/pages/sign-in/',
  'identity/pages/websso/',
  'platform/otlp/',
  'setup/',
];

/** Loaded before everything else: writes what is loaded to a file, line by line. */
const recorder = (file: string): string => `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    },
  });
`;

describe('a start', () => {
  const processes = usesProcesses();

  it('does not load what only some requests need', async () => {
    const root = new URL('..', import.meta.url);
    const folder = await processes.newFolder();
    const record = join(folder, 'loaded');
    const service = processes.run(['start'], {
      GATEHOUSE_DATA_DIR: join(folder, 'data'),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(recorder(record))}`,
    });
    assert.equal((await fetch(`${await service.listening()}/readyz`)).status, 200);
    // The node is ready if its provider answers, so that asking for it loads the provider.
    assert.equal((await fetch(`${await service.walletListening()}/healthz`)).status, 200);
    const urls = readFileSync(record, 'utf8').split('\n');
    for (const file of ['identity/service.ts', 'wallet/service.ts']) assert.ok(urls.includes(`${root}src/${file}`), file);
    for (const path of OURS) assert.ok(existsSync(new URL(`src/${path}`, root)), path);
    const later = [...PACKAGES.map((name) => `/node_modules/${name}/`), ...OURS.map((path) => `${root}src/${path}`)];
    const loaded = later.filter((part) => urls.some((url) => url.includes(part)));
    assert.deepEqual(loaded, []);
  });

  it('loads no service into the first process of several', async () => {
    const record = join(await processes.newFolder(), 'loaded');
    const run = new URL('../src/run.ts', import.meta.url).href;
    const hook = `data:text/javascript,${encodeURIComponent(recorder(record))}`;
    execFileSync(process.execPath, ['--import', hook, '--eval', `import(${JSON.stringify(run)})`]);
    const urls = readFileSync(record, 'utf8').split('\n');
    assert.ok(urls.includes(run));
    assert.deepEqual(
      urls.filter((url) => /\/src\/(?:identity|wallet|verifiable)\/(?!ground\/)/.test(url)),
      [],
    );
  });
});
