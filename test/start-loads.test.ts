// What a start loads: packages that only few requests need are not among it. Each file costs time and memory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Needed by some requests, by some settings, or by commands. */
const LATER = [
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
  'koffi',
  'ldapts',
  'modern-tar',
  'nodemailer',
  'oidc-provider',
  'openid-client',
  'pg',
  'yaml',
];

const PROGRAM = `
  import { registerHooks } from 'node:module';
  const urls = new Set();
  registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) });
  await import('./src/commands/index.ts');
  for (const file of ['run', 'identity/service', 'wallet/service']) await import(\`./src/\${file}.ts\`);
  console.log(JSON.stringify([...urls]));
`;

it('a start does not load what only few requests need', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM];
  const lines = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const urls = JSON.parse(lines.at(-1)!) as string[];
  assert.ok(
    urls.some((url) => url.endsWith('/src/identity/service.ts')) && urls.some((url) => url.endsWith('/src/wallet/service.ts')),
  );
  const loaded = LATER.filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`)));
  assert.deepEqual(loaded, []);
});
