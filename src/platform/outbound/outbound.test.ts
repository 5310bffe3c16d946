import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { isPublic } from './addresses.ts';
import { createOutbound } from './index.ts';

describe('Addresses', () => {
  it('are public or not, in every spelling', () => {
    const open = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'];
    const shut = [
      '127.0.0.1',
      '127.255.0.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '198.18.0.1',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
      '2002:7f00:1::',
      '2001:db8::1',
      '2001:0:1::1',
      'localhost',
      '',
    ];
    for (const address of open) assert.ok(isPublic(address), address);
    for (const address of shut) assert.ok(!isPublic(address), address);
  });
});

describe('Outgoing calls', () => {
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url === '/redirect') return response.writeHead(302, { Location: 'http://127.0.0.1/elsewhere' }).end();
      if (request.url === '/large') return response.end('x'.repeat(5000));
      if (request.url === '/slow') return undefined;
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.end(JSON.stringify({ method: request.method, body })));
      return undefined;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reach no address that is not public, however it is written', async () => {
    const outbound = createOutbound([]);
    const urls = [
      `http://127.0.0.1:${port}/`,
      `https://127.0.0.1:${port}/`,
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://localhost/',
      'https://user:pass@example.com/',
      'file:///etc/passwd',
      'ftp://example.com/',
    ];
    for (const url of urls) await assert.rejects(outbound({ method: 'GET', url }), /public address|only https|credentials/, url);
  });

  it('reach what was allowed', async () => {
    const outbound = createOutbound([`127.0.0.1:${port}`]);
    const answer = await outbound({ method: 'POST', url: `http://127.0.0.1:${port}/`, body: 'hello' });
    assert.equal(answer.status, 200);
    assert.deepEqual(JSON.parse(answer.body.toString()), { method: 'POST', body: 'hello' });
    await assert.rejects(outbound({ method: 'GET', url: 'http://127.0.0.1:1/' }), /only https/);
  });

  it('follow no redirect, read no endless body, and wait for nobody', async () => {
    const outbound = createOutbound(['127.0.0.1']);
    assert.equal((await outbound({ method: 'GET', url: `http://127.0.0.1:${port}/redirect` })).status, 302);
    await assert.rejects(outbound({ method: 'GET', url: `http://127.0.0.1:${port}/large`, maxBytes: 1000 }), /too large/);
    await assert.rejects(outbound({ method: 'GET', url: `http://127.0.0.1:${port}/slow`, timeoutMs: 100 }));
  });
});
