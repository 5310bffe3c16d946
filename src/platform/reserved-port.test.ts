import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { ReservedPort } from './reserved-port.ts';

describe('A port that is reserved', () => {
  it('is taken immediately, lets early clients wait, and serves them and all others later', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));

    const reserved = await ReservedPort.take('127.0.0.1', port);
    await assert.rejects(ReservedPort.take('127.0.0.1', port), { code: 'EADDRINUSE' });
    const early = connect(port, '127.0.0.1');
    let answer = '';
    early.on('data', (chunk) => {
      answer += chunk;
    });
    early.write('GET /early HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(answer, '');

    const server = createServer((request, response) => response.end(`served ${request.url}`));
    await reserved.giveTo(server);
    await new Promise((resolve) => early.once('close', resolve));
    assert.match(answer, /served \/early/);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/late`)).text(), 'served /late');
    assert.equal((server.address() as AddressInfo).port, port);

    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    // The port is free again.
    await (await ReservedPort.take('127.0.0.1', port)).release();
  });
});
