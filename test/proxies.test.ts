// The examples of packaging/proxies, run for real: a service behind nginx, and behind Caddy, with TLS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { TLS_1_2_CIPHERS } from '../src/platform/tls.ts';
import { type Answer, loginBody, overTls } from './support/installed.ts';
import { freePort } from './support/ports.ts';
import { GatehouseProcess, usesProcesses } from './support/process.ts';
import { type ProxyPorts, type RunningProxy, startCaddy, startNginx } from './support/proxies.ts';

const PASSWORD = 'the administrator behind a proxy';
/** Clients come from here; Gatehouse sees the proxy, at 127.0.0.1. */
const CLIENT = '127.0.0.9';
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface AuditEvent {
  readonly action: string;
  readonly [key: string]: unknown;
}

for (const [name, start] of [
  ['nginx', startNginx],
  ['Caddy', startCaddy],
] as const)
  describe(`Behind ${name}`, () => {
    const processes = usesProcesses();
    let ports: ProxyPorts;
    let proxy: RunningProxy;
    let service: GatehouseProcess;
    let ca: Buffer;
    let token: string;

    const ask = (host: string, path: string, options: Parameters<typeof overTls>[1] = {}): Promise<Answer> =>
      overTls(`https://127.0.0.1:${ports.https}${path}`, {
        ca,
        servername: host,
        localAddress: CLIENT,
        ...options,
        headers: { Host: host, ...options.headers },
      });
    const identity = (path: string, options: Parameters<typeof overTls>[1] = {}) => ask('id.example.org', path, options);

    before(async () => {
      const folder = await processes.newFolder();
      const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      const names = 'subjectAltName=DNS:id.example.org,DNS:wallet.example.org';
      const making = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
      execFileSync('openssl', [...making, '-subj', '/CN=id.example.org', '-addext', names, '-keyout', key, '-out', certificate], {
        stdio: 'ignore',
      });
      ca = readFileSync(certificate);
      const [http, https, identityPort, wallet] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
      ports = { http, https, identity: identityPort, wallet };
      service = new GatehouseProcess(['start'], {
        GATEHOUSE_DATA_DIR: join(folder, 'data'),
        GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
        GATEHOUSE_IDENTITY_PORT: String(identityPort),
        GATEHOUSE_WALLET_PORT: String(wallet),
        GATEHOUSE_IDENTITY_URL: 'https://id.example.org',
        GATEHOUSE_WALLET_URL: 'https://wallet.example.org',
        GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
      });
      await service.listening();
      proxy = await start(folder, certificate, key, ports);
    });
    after(async () => {
      await proxy.stop();
      assert.equal(await service.stop(), 0);
    });

    const logIn = (password: string, headers = {}): Promise<Answer> =>
      identity('/v3/auth/tokens', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: loginBody(password) });
    const events = async (query: string): Promise<AuditEvent[]> => {
      const answer = await identity(`/v3/OS-AUDIT/events?${query}`, { headers: { 'X-Auth-Token': token } });
      assert.equal(answer.status, 200, answer.text);
      return (JSON.parse(answer.text) as { events: AuditEvent[] }).events;
    };

    it('people log in over TLS, and the address in the audit event is theirs', async () => {
      const forged = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.8', 'X-Real-IP': '203.0.113.9' };
      const answer = await logIn(PASSWORD, forged);
      assert.equal(answer.status, 201, answer.text);
      token = answer.headers['x-subject-token'] as string;
      const [login] = await events('action=user.logged_in&limit=1');
      assert.match(JSON.stringify(login), /"127\.0\.0\.9"/);
      assert.doesNotMatch(JSON.stringify(login), /203\.0\.113/);
    });

    it('weak TLS is refused, and what is offered is what Gatehouse itself offers', async () => {
      const shake = async (host: string, ciphers: string): Promise<string> => {
        const limits = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` } as const;
        const socket = connect({ port: ports.https, host: '127.0.0.1', servername: host, rejectUnauthorized: false, ...limits });
        const ended = await once(socket, 'secureConnect').then(
          () => socket.getCipher().name,
          () => 'refused',
        );
        socket.destroy();
        return ended;
      };
      for (const host of ['id.example.org', 'wallet.example.org']) {
        for (const cipher of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'])
          assert.equal(await shake(host, cipher), 'refused', `${host} ${cipher}`);
        for (const cipher of Object.keys(TLS_1_2_CIPHERS).filter((one) => one.includes('ECDSA')))
          assert.equal(await shake(host, cipher), cipher);
      }
    });

    it('links, the issuer and cookies are those of the public address', async () => {
      const discovery = await identity('/.well-known/openid-configuration');
      assert.equal((JSON.parse(discovery.text) as { issuer: string }).issuer, 'https://id.example.org');
      const version = await identity('/v3');
      assert.match(version.text, /"https:\/\/id\.example\.org\/v3\/?"/);
      const cookies: string[] = [];
      for (let path: string | undefined = '/account'; path !== undefined && cookies.length === 0; ) {
        const { headers } = await identity(path);
        cookies.push(...(headers['set-cookie'] ?? []));
        const next: URL | undefined =
          headers.location === undefined ? undefined : new URL(headers.location, 'https://id.example.org');
        assert.equal(next?.origin ?? 'https://id.example.org', 'https://id.example.org');
        path = next && next.pathname + next.search;
      }
      assert.ok(cookies.length > 0);
      for (const cookie of cookies) assert.match(cookie, /; secure/i);
      const document = await ask('wallet.example.org', '/.well-known/did.json');
      assert.match(document.text, /"did:web:wallet\.example\.org"/);
      // By Gatehouse, once.
      assert.equal(discovery.headers['strict-transport-security'], 'max-age=31536000');
    });

    it('a guesser is slowed down by address, and others are not', async () => {
      // One address may be wrong 100 times in a minute. Those in the header are made up by the client.
      const guess = (number: number) =>
        identity('/v3/auth/tokens', {
          method: 'POST',
          localAddress: '127.0.0.66',
          headers: { ...JSON_TYPE, 'X-Forwarded-For': `198.51.100.${number % 250}` },
          body: loginBody('a wrong password', `nobody-${number}`),
        });
      let statuses: number[] = [];
      for (let count = 0; count < 800 && !statuses.includes(429); count += 40)
        statuses = (await Promise.all(Array.from({ length: 40 }, (_, index) => guess(count + index)))).map(
          ({ status }) => status,
        );
      assert.ok(statuses.includes(429), statuses.join(' '));
      assert.equal((await logIn(PASSWORD)).status, 201);
    });

    it('long bodies are refused, and those that a route allows pass', async () => {
      const post = (length: number) =>
        identity('/v3/auth/tokens', { method: 'POST', headers: JSON_TYPE, body: Buffer.alloc(length, ' ') });
      // By Gatehouse, in its own format.
      const own = await post(200_000);
      assert.equal(own.status, 413);
      assert.equal((JSON.parse(own.text) as { error: { code: number } }).error.code, 413);
      const long = await post(3 * 1024 * 1024).catch((error: NodeJS.ErrnoException) => error);
      // The proxy may close the connection while the client still sends.
      if (!(long instanceof Error)) assert.equal(long.status, 413);
    });

    it('exports are passed on as they are made', async () => {
      const answer = await identity('/v3/OS-AUDIT/events?format=ndjson', { headers: { 'X-Auth-Token': token } });
      assert.equal(answer.status, 200);
      for (const line of answer.text.trim().split('\n')) assert.ok((JSON.parse(line) as AuditEvent).action);
    });

    it('plain HTTP is redirected, but a password sent by it is not accepted', async () => {
      const plain = (init: RequestInit) => fetch(`http://127.0.0.1:${ports.http}/console`, { redirect: 'manual', ...init });
      const page = await plain({});
      assert.ok([301, 308].includes(page.status), String(page.status));
      const login = await plain({ method: 'POST', body: loginBody(PASSWORD) });
      assert.ok(login.status >= 300, String(login.status));
    });
  });
