// The certificate of a client: of the connection, or from the header of a trusted proxy, and of nobody else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingMessage, request } from 'node:http';
import { createServer, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { certify } from '../../../test/support/certificates.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { createApp, createCertificateOf, createServer as createService, readCertificateHeader, t } from './index.ts';

const client = certify({ name: 'CN=client' });
const other = certify({ name: 'CN=other' });
const der = client.der;
const pem = client.certificate.toString();
const keyOf = ({ key }: typeof client) => key.export({ type: 'pkcs8', format: 'pem' });

describe('The header with a certificate', () => {
  it('is read as proxies write it', () => {
    for (const value of [der, `:${der}:`, encodeURIComponent(pem), encodeURIComponent(pem).replaceAll('%0A', '%20'), ` ${der} `])
      assert.equal(readCertificateHeader(value)?.fingerprint256, client.certificate.fingerprint256, value.slice(0, 40));
  });

  it('is no certificate if it is anything else', () => {
    for (const value of [
      undefined,
      '',
      'x',
      'null',
      '(null)',
      '%',
      '%ZZ',
      `${der}, ${other.der}`,
      `:${der}:, :${other.der}:`,
      `${der}${other.der}`.slice(0, -3),
      encodeURIComponent(`${pem}${other.certificate.toString()}`),
      Buffer.from('{"sub":"CN=client"}').toString('base64'),
      'CN=client',
      client.certificate.fingerprint256,
      'A'.repeat(17_000),
      '-----BEGIN%20CERTIFICATE----------END%20CERTIFICATE-----',
    ])
      assert.equal(readCertificateHeader(value), undefined, value?.slice(0, 60));
  });
});

describe('The certificate of a client', () => {
  let check: string[] = [];
  const plain = createPlain((incoming, response) => {
    check = shown(incoming);
    response.end();
  });
  const server = certify({ name: 'CN=server', dns: ['localhost'] });
  const secure = createServer(
    { cert: server.certificate.toString(), key: keyOf(server), requestCert: true, rejectUnauthorized: false },
    (incoming, response) => {
      check = shown(incoming);
      response.end();
    },
  );
  /** What the services of different settings see. */
  const services = {
    'no proxies': createCertificateOf({ header: 'Client-Cert', trustedProxies: [] }),
    'another proxy': createCertificateOf({ header: 'Client-Cert', trustedProxies: ['192.0.2.7'] }),
    'this proxy': createCertificateOf({ header: 'Client-Cert', trustedProxies: ['127.0.0.1'] }),
    'this proxy, without a header': createCertificateOf({ header: undefined, trustedProxies: ['127.0.0.1'] }),
  };
  const shown = (incoming: IncomingMessage): string[] =>
    Object.entries(services).map(([name, of]) => `${name}: ${of(incoming)?.subject ?? 'none'}`);

  before(async () => {
    await Promise.all([plain, secure].map((one) => once(one.listen(0, '127.0.0.1'), 'listening')));
  });
  after(() => {
    plain.close();
    secure.close();
  });

  async function ask(headers: Record<string, string | string[]>): Promise<string[]> {
    const { port } = plain.address() as AddressInfo;
    const sent = request({ port, host: '127.0.0.1', headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return check;
  }

  async function askSecurely(headers: Record<string, string>, own?: typeof client): Promise<string[]> {
    const { port } = secure.address() as AddressInfo;
    const proof = own ? { cert: own.certificate.toString(), key: keyOf(own) } : {};
    const options = { port, host: '127.0.0.1', headers, agent: false as const, rejectUnauthorized: false, ...proof };
    const sent = secureRequest(options).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return check;
  }

  const none = Object.keys(services).map((name) => `${name}: none`);
  const byProxy = ['no proxies: none', 'another proxy: none', 'this proxy: CN=client', 'this proxy, without a header: none'];

  it('is in the header of a trusted proxy only', async () => {
    assert.deepEqual(await ask({ 'Client-Cert': der }), byProxy);
    assert.deepEqual(await ask({ 'cLIENT-cERT': der }), byProxy);
    assert.deepEqual(await ask({}), none);
    assert.deepEqual(await ask({ 'Client-Cert': '' }), none);
  });

  it('is none if the header is given twice, or speaks for somebody else', async () => {
    assert.deepEqual(await ask({ 'Client-Cert': [der, other.der] }), none);
    // Who is behind the proxy does not matter: only the proxy itself may say it.
    assert.deepEqual(await ask({ 'Client-Cert': der, 'X-Forwarded-For': '192.0.2.7' }), byProxy);
    assert.deepEqual(await ask({ 'X-Client-Cert': der, 'SSL-Client-Cert': der, 'X-SSL-Client-Verify': 'SUCCESS' }), none);
  });

  it('is that of the connection, whoever has issued it, and nothing beside it', async () => {
    const own = ['no proxies: CN=client', 'another proxy: CN=client', 'this proxy: none', 'this proxy, without a header: none'];
    assert.deepEqual(await askSecurely({}, client), own);
    assert.deepEqual(await askSecurely({}), none);
    // A stranger over TLS: the header of somebody else does not take the place of the own certificate.
    assert.deepEqual((await askSecurely({ 'Client-Cert': other.der }, client)).slice(0, 2), own.slice(0, 2));
    // The certificate of a proxy's own connection is no client's.
    assert.deepEqual((await askSecurely({ 'Client-Cert': other.der }, client))[2], 'this proxy: CN=other');
  });
});

describe('A server that terminates TLS itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  after(() => rmSync(folder, { recursive: true }));
  const server = certify({ name: 'CN=server', dns: ['localhost'] });
  const files = { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, server.certificate.toString());
  writeFileSync(files.keyFile, keyOf(server));

  /** What a route and a mount of the server see of a client. */
  async function seenBy(asksClients: boolean, own?: typeof client): Promise<string[]> {
    const app = createApp<undefined>();
    const certificateOf = createCertificateOf({ header: 'Client-Cert', trustedProxies: [] });
    const seen = (incoming: IncomingMessage) => certificateOf(incoming)?.subject ?? 'none';
    const reply = { 200: t.open({}) };
    app.get('/route', { tag: 'Test', rule: 'anyone', id: 'called', summary: 'Test', reply }, ({ raw }) => ({ seen: seen(raw) }));
    const service = createService<undefined>({
      app,
      mounts: [
        {
          paths: ['/mount'],
          handle: async ({ request: incoming, response }) => void response.end(JSON.stringify({ seen: seen(incoming) })),
        },
      ],
      errorFormatOf: () => () => ({ body: {} }),
      authenticate: () => undefined,
      authorize: () => undefined,
      headers: {},
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: createLog('info', { write: () => undefined }),
      times: createMetrics().timesOf('test'),
      trustedProxies: [],
      bodyLimit: 1000,
      tls: { ...files, asksClients },
    });
    const port = Number(new URL(await service.listen('127.0.0.1', 0)).port);
    const proof = own ? { cert: own.certificate.toString(), key: keyOf(own) } : {};
    const ask = async (path: string): Promise<string> => {
      const headers = { 'Client-Cert': other.der };
      const sent = secureRequest({
        port,
        host: '127.0.0.1',
        path,
        headers,
        agent: false,
        rejectUnauthorized: false,
        ...proof,
      }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return (JSON.parse(Buffer.concat(await response.toArray()).toString()) as { seen: string }).seen;
    };
    try {
      return [await ask('/route'), await ask('/mount')];
    } finally {
      await service.close(0);
    }
  }

  it('sees the certificate of a client if it asks for one, whoever has issued it, and serves clients without', async () => {
    assert.deepEqual(await seenBy(true, client), ['CN=client', 'CN=client']);
    assert.deepEqual(await seenBy(true), ['none', 'none']);
    assert.deepEqual(await seenBy(false, client), ['none', 'none']);
  });
});
