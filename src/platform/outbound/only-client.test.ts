// platform/outbound must be the only HTTP client of the services, because other clients are not guarded. This test reads the sources.
// Out of scope are scripts, test, bench, conformance and examples, which are not part of a running service, and tests in src.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const HOME = 'src/platform/outbound/';

/** Exceptions, with their reasons. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Loads node:http for the server and for platform/outbound. Sends no requests.
  'src/platform/node-http.ts': ['node:http', 'node:https'],
  // LDAP, not HTTP. The operator names the servers in the settings; nobody else does.
  'src/identity/directory/ldap/connection.ts': ['sockets'],
  // Syslog, not HTTP. The operator names the server in the settings.
  'src/platform/audit-export/syslog.ts': ['sockets'],
  // Connects to the configured SMTP server only; compose.ts builds messages and does not connect.
  'src/platform/mail/smtp.ts': ['nodemailer'],
  'src/platform/mail/compose.ts': ['nodemailer'],
};

const CLIENTS = 'undici|axios|got|ky|superagent|needle|request|node-fetch|cross-fetch|isomorphic-fetch|ws|web-did-resolver';

const RULES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['fetch', /(?<![\w$.])fetch\s*\(/],
  ['fetch', /\b(globalThis|global|self|window)\s*(\.|\?\.|\[\s*['"`])\s*fetch\b/],
  // Passed on instead of called: { fetch }, = fetch, ?? fetch. As the name of a member or a type it is harmless.
  ['fetch', /(=|\?\?|\|\||&&|\?|return)\s*fetch\s*[;,)\n]/],
  ['WebSocket', /\bnew\s+(WebSocket|EventSource|XMLHttpRequest)\b/],
  ['node:https', /(import|require|getBuiltinModule)\s*\(\s*['"`](node:)?(https|http2)['"`]/],
  ['node:https', /from\s*['"](node:)?(https|http2)['"]/],
  ['node:https', /['"`]node:(https|http2)['"`]/],
  // Types are fine, and so are servers created with node-http.ts.
  ['node:http', /^import\s+(?!type\b)[^;]*?from\s*['"](node:)?http['"]/m],
  ['node:http', /(import|require|getBuiltinModule)\s*\(\s*['"`](node:)?http['"`]/],
  ['request of node-http', /\brequest\b[^;{}]*\}\s*from\s*['"][^'"]*node-http\.ts['"]/],
  ['request of node-http', /import\s*\*[^;]*from\s*['"][^'"]*node-http\.ts['"]/],
  ['http.get', /\bhttps?\s*\.\s*(get|request)\s*\(/],
  ['sockets', /import\s*\{[^}]*\b(connect|createConnection|Socket|TLSSocket)\b[^}]*\}\s*from\s*['"](node:)?(net|tls)['"]/],
  ['nodemailer', /(from|import\(|require\()\s*['"]nodemailer/],
  ['another client', new RegExp(`(from|import\\(|require\\()\\s*['"](${CLIENTS})['"]`)],
];

/** Libraries that send requests themselves unless they are given a fetch. */
const GIVEN: readonly (readonly [name: string, uses: RegExp, given: RegExp])[] = [
  ['createRemoteJWKSet without customFetch', /\bcreateRemoteJWKSet\s*\(/, /customFetch/],
  [
    'openid-client without customFetch',
    /from\s*'openid-client'[\s\S]*(\bdiscovery\s*\(|\bnew\s+(\w+\.)?Configuration\s*\()/,
    /customFetch/,
  ],
  ['oidc-provider without fetch', /\bnew\s+(library\.default|Provider)\s*\(/, /\bguardedFetch\b|\bfetch: wallet\.fetch\b/],
];

/** Removes comments. Good enough for our own sources, in which `//` in a string follows a colon. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');

function clientsIn(text: string): string[] {
  const code = codeOf(text).replace(/\bimport\s+type\b[^;]*;/g, '');
  const named = RULES.filter(([, pattern]) => pattern.test(code)).map(([name]) => name);
  const ungiven = GIVEN.filter(([, uses, given]) => uses.test(code) && !given.test(code)).map(([name]) => name);
  return [...new Set([...named, ...ungiven])];
}

describe('The only HTTP client', () => {
  it('is platform/outbound', () => {
    const files = globSync('src/**/*.{ts,js,mjs}').filter((path) => !path.endsWith('.test.ts') && !path.startsWith(HOME));
    assert.ok(files.length > 100, 'run from the root of the repository');
    const found = files
      .sort()
      .map((path) => [path, clientsIn(readFileSync(path, 'utf8')).filter((name) => !EXCEPTIONS[path]?.includes(name))] as const)
      .filter(([, names]) => names.length > 0);
    assert.deepEqual(Object.fromEntries(found), {}, 'use createOutbound or guardedFetch of platform/outbound');
  });

  it('has no needless exceptions', () => {
    for (const [path, names] of Object.entries(EXCEPTIONS))
      assert.deepEqual(
        names.filter((name) => !clientsIn(readFileSync(path, 'utf8')).includes(name)),
        [],
        path,
      );
  });

  it('is enforced for every way to send a request', () => {
    const unguarded = [
      "await fetch('https://example.com/')",
      'const answer = fetch (url);',
      'globalThis.fetch(url)',
      "globalThis['fetch'](url)",
      'const get = given ?? fetch;',
      'const get = globalThis.fetch;',
      "import { request } from 'node:https';",
      "import https from 'https';",
      "const https = await import('node:https');",
      "process.getBuiltinModule('node:http')",
      "import { get } from 'node:http';",
      "import {\n  createServer,\n  request,\n} from 'node:http';",
      "import { connect } from 'node:http2';",
      "import { createServer, request } from '../platform/node-http.ts';",
      "import { request as call } from './node-http.ts';",
      'http.get(url)',
      'https.request(url)',
      "import { connect } from 'node:net';",
      "import { Agent } from 'undici';",
      "import { createTransport } from 'nodemailer';",
      "import { getResolver } from 'web-did-resolver';",
      'new WebSocket(url)',
      'const keys = createRemoteJWKSet(url);',
      'const provider = new library.default(issuer, configuration);',
      "if (process.getBuiltinModule('https')) call();",
      "import * as openid from 'openid-client';\nopenid.discovery(url, 'me');",
    ];
    for (const text of unguarded) assert.notDeepEqual(clientsIn(text), [], text);
  });

  it('has no false positives', () => {
    const fine = [
      '// fetch(url) would be unguarded',
      '/** As fetch() does. */',
      'const fetched = prefetch(url);',
      "import { guardedFetch } from '../../platform/outbound/index.ts';\nconst call = guardedFetch(outbound);",
      'readonly fetch: (url: string) => Promise<Response>;',
      'new Provider(issuer, { fetch: guardedFetch(outbound) });',
      "import type { IncomingMessage, request } from 'node:http';",
      "import { createServer } from '../node-http.ts';\nconst { request } = exchange;",
      "import { isIP } from 'node:net';",
      "if (url.protocol === 'https:') return 'https';",
      "if (schemes.includes('https')) return;",
      'const keys = createRemoteJWKSet(url, { [customFetch]: guardedFetch(outbound) });',
    ];
    for (const text of fine) assert.deepEqual(clientsIn(text), [], text);
  });
});
