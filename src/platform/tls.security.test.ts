// Weak TLS is refused by the server itself, and the examples of proxies offer what it offers.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { certify } from '../../test/support/certificates.ts';
import { createSecureServer } from './node-http.ts';
import { TLS_1_2_CIPHERS } from './tls.ts';

/** So that the client of the test still speaks what the server must refuse. */
const WEAK = '@SECLEVEL=0';
const REFUSED: readonly (readonly [what: string, cipher: string])[] = [
  ['CBC with SHA-1', 'ECDHE-RSA-AES128-SHA'],
  ['CBC with SHA-1, 256 bits', 'ECDHE-RSA-AES256-SHA'],
  ['CBC with SHA-1 and ECDSA', 'ECDHE-ECDSA-AES128-SHA'],
  ['CBC with SHA-256', 'ECDHE-RSA-AES128-SHA256'],
  ['CBC with SHA-384', 'ECDHE-RSA-AES256-SHA384'],
  ['static RSA, CBC, SHA-1', 'AES128-SHA'],
  ['static RSA, CBC, SHA-256', 'AES128-SHA256'],
  ['static RSA, GCM', 'AES128-GCM-SHA256'],
  ['static RSA, GCM, 256 bits', 'AES256-GCM-SHA384'],
  ['finite field Diffie-Hellman, CBC', 'DHE-RSA-AES128-SHA'],
  ['finite field Diffie-Hellman, GCM', 'DHE-RSA-AES128-GCM-SHA256'],
  ['CCM', 'ECDHE-ECDSA-AES128-CCM'],
  ['Camellia', 'ECDHE-RSA-CAMELLIA128-SHA256'],
  ['ChaCha20 with TLS 1.2, which RFC 9325 does not list', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['no authentication', 'ADH-AES128-GCM-SHA256'],
  ['no encryption', 'ECDHE-RSA-NULL-SHA'],
];

describe('TLS of the services', () => {
  const servers = new Map<'RSA' | 'ECDSA', Server>();
  const keys = { RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, ECDSA: undefined };

  before(async () => {
    for (const kind of ['RSA', 'ECDSA'] as const) {
      const own = keys[kind];
      const { certificate, key } = certify({ name: 'CN=localhost', dns: ['localhost'], ...(own ? { key: own } : {}) });
      const pem = key.export({ type: 'pkcs8', format: 'pem' });
      const server = createSecureServer({ cert: certificate.toString(), key: pem }, (_, response) => response.end());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      servers.set(kind, server);
    }
  });
  after(() => {
    for (const server of servers.values()) server.close();
  });

  /** The version and cipher that a client got, or why it got none. */
  async function shake(kind: 'RSA' | 'ECDSA', options: ConnectionOptions): Promise<string> {
    const { port } = servers.get(kind)!.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, ...options });
    try {
      await once(socket, 'secureConnect');
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'refused';
    } finally {
      socket.destroy();
    }
  }
  const tls12 = (ciphers: string): ConnectionOptions => ({
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: `${ciphers}:${WEAK}`,
  });

  it('is TLS 1.3 for those who can, and the ciphers of RFC 9325 for those with 1.2', async () => {
    assert.match(await shake('RSA', {}), /^TLSv1\.3 /);
    assert.match(await shake('ECDSA', {}), /^TLSv1\.3 /);
    for (const cipher of Object.keys(TLS_1_2_CIPHERS))
      assert.equal(await shake(cipher.includes('ECDSA') ? 'ECDSA' : 'RSA', tls12(cipher)), `TLSv1.2 ${cipher}`);
  });

  for (const [what, cipher] of REFUSED)
    it(`refuses ${what}`, async () => {
      const kind = cipher.includes('ECDSA') ? 'ECDSA' : 'RSA';
      // That a server without the list takes it is not said for all: OpenSSL itself has given up some.
      assert.match(await shake(kind, tls12(cipher)), /^(ERR_SSL|ECONNRESET|ERR_OSSL)/);
    });

  it('chooses a good cipher of a client that would rather have a weak one', async () => {
    const answer = await shake('RSA', tls12('ECDHE-RSA-AES128-SHA:AES128-SHA:ECDHE-RSA-AES256-GCM-SHA384'));
    assert.equal(answer, 'TLSv1.2 ECDHE-RSA-AES256-GCM-SHA384');
  });

  for (const version of ['TLSv1.1', 'TLSv1'] as const)
    it(`refuses ${version}`, async () => {
      const answer = await shake('RSA', { minVersion: version, maxVersion: version, ciphers: `DEFAULT:${WEAK}` });
      assert.match(answer, /^(ERR_SSL|ECONNRESET|ERR_OSSL)/);
    });
});

describe('The list of ciphers', () => {
  const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const sorted = (names: Iterable<string>): string[] => [...names].sort();
  const own = sorted(Object.keys(TLS_1_2_CIPHERS));

  it('is the same in every server of the example for nginx', () => {
    const text = read('packaging/proxies/nginx.conf');
    const lists = [...text.matchAll(/^\s*ssl_ciphers (\S+);$/gm)].map(([, list]) => sorted(list!.split(':')));
    assert.equal(lists.length, text.split('listen 443 ssl').length - 1);
    for (const list of lists) assert.deepEqual(list, own);
    for (const [, versions] of text.matchAll(/^\s*ssl_protocols (.+);$/gm)) assert.equal(versions, 'TLSv1.2 TLSv1.3');
  });

  it('is the same in every site of the example for Caddy', () => {
    const text = read('packaging/proxies/Caddyfile');
    const lists = [...text.matchAll(/^\s*ciphers (.+)$/gm)].map(([, list]) => sorted(list!.split(' ')));
    assert.deepEqual(lists, [sorted(Object.values(TLS_1_2_CIPHERS))]);
    assert.match(text, /^\s*protocols tls1\.2 tls1\.3$/m);
    const sites = text.match(/^\S+\.example\.org \{$/gm)!;
    assert.equal(text.split('import ciphers').length - 1, sites.length);
  });

  it('is the same in the guide', () => {
    const named = read('docs/guide/hardening.md').match(/\b(?:ECDHE|DHE|AES\d+)(?:-[A-Z0-9]+)+\b/g);
    assert.deepEqual(sorted(new Set(named)), own);
  });

  it('is passed by no server: there is one place that makes them', () => {
    const makers = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url) }).filter(
      (path) =>
        !path.endsWith('.test.ts') &&
        /node:https'\)\.createServer|createServer\([^)]*\bcert\b|tls\.createServer/.test(read(path)),
    );
    assert.deepEqual(makers, ['src/platform/node-http.ts']);
  });
});
