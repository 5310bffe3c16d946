// Attacks by someone who controls the URL, the DNS answers, or the server.
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isMetadata, isPublic } from './addresses.ts';
import { guardedLookup, type Lookup } from './guard.ts';
import { createOutbound, OutboundError, type OutboundRequest } from './index.ts';

const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::169.254.169.254',
  '64:ff9b::6464:64c8',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00::',
  '2002:a9fe:a9fe::1',
  '2001:0:1::5601:5601',
  '2a00:1450::a9fe:a9fe',
];

const fails = (kind: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutboundError, String(error));
  assert.equal(error.kind, kind, error.message);
  if (message) assert.match(error.message, message);
  return true;
};

const servers: Server[] = [];
const sockets = new Set<Socket>();
async function started(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** A server that must not be reached, and a count of its connections. */
async function victim() {
  const seen = { port: 0, connections: 0 };
  const server = createTcpServer((socket) => {
    seen.connections++;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
  });
  seen.port = await started(server);
  return seen;
}

/** Returns one list of addresses per look-up, and repeats the last one. */
function answers(...lists: readonly string[][]) {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _, callback) => {
    const list = lists[Math.min(asked.length, lists.length - 1)]!;
    asked.push(hostname);
    callback(
      null,
      list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked };
}

const get = (url: string, allow: readonly string[] = [], lookup?: Lookup) =>
  createOutbound(allow, lookup ? { lookup } : {})({ method: 'GET', url });

describe('Addresses', () => {
  it('are public or not, in every spelling', () => {
    const open = [
      '8.8.8.8',
      '1.1.1.1',
      '172.32.0.1',
      '100.63.0.1',
      '192.0.1.1',
      '2606:4700::1111',
      '2a00:1450::1',
      '2001:4860:4860::8888',
    ];
    const shut = [
      ...['127.0.0.1', '127.255.0.1', '0.0.0.0', '0.1.2.3', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
      ...[
        '100.64.0.1',
        '100.127.255.255',
        '192.0.0.1',
        '192.0.2.1',
        '198.18.0.1',
        '198.19.255.255',
        '198.51.100.1',
        '203.0.113.1',
      ],
      ...['192.88.99.1', '192.175.48.1', '192.31.196.1', '192.52.193.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
      ...['::1', '::', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:8.8.8.8'],
      ...[
        '::127.0.0.1',
        '::ffff:0:127.0.0.1',
        '64:ff9b::7f00:1',
        '64:ff9b::127.0.0.1',
        '64:ff9b::8.8.8.8',
        '64:ff9b:1::1',
        '100::1',
      ],
      ...['fe80::1', 'fe80::1%lo', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1', '5f00::1', '4000::1'],
      ...[
        '2002:7f00:1::',
        '2002:808:808::',
        '2001:db8::1',
        '2001:0:1::1',
        '2001:10::1',
        '2001:20::1',
        '2620:4f:8000::1',
        '3fff::1',
      ],
      ...['2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:10.0.0.1', '2a00:1450::1%eth0'],
      ...['localhost', '', '127.1', '1.2.3.4.', '0x7f000001', '[::1]', 'example.com'],
    ];
    for (const address of open) assert.ok(isPublic(address), address);
    for (const address of shut) assert.ok(!isPublic(address), address);
  });

  it('of cloud metadata are known in every spelling, and never public', () => {
    for (const address of [...METADATA, 'fd00:ec2::254%eth0']) assert.ok(isMetadata(address) && !isPublic(address), address);
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fd12::1', '100.100.100.201', 'localhost', ''])
      assert.ok(!isMetadata(address), address);
  });
});

describe('Outgoing calls are refused', () => {
  it('when they name an address that is not public, however it is written', async () => {
    const hosts = [
      ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '0177.0.0.1', '0', '0.0.0.0', '127.0.0.1.'],
      ...[
        '%31%32%37.0.0.1',
        '１２７.0.0.1',
        '127。0。0。1',
        '10.0.0.1',
        '192.168.0.1',
        '172.16.0.1',
        '169.254.169.254',
        '0xa9fea9fe',
      ],
      ...['100.64.0.1', '198.18.0.1', '192.0.2.1', '255.255.255.255', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'],
      ...[
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[64:ff9b::127.0.0.1]',
        '[2002:7f00:1::]',
        '[fd00::1]',
        '[fe80::1]',
        '[fd00:ec2::254]',
      ],
    ];
    for (const host of hosts) await assert.rejects(get(`https://${host}/`), fails('blocked', /not a public address/), host);
  });

  it('when a name resolves to such an address, with or without a trailing dot', async () => {
    for (const host of ['localhost', 'LOCALHOST', 'ⓛocalhost'])
      await assert.rejects(get(`https://${host}/`), fails('blocked', /localhost is not a public address/), host);
    // Not every resolver knows this name. Those that do return this machine.
    await assert.rejects(get('https://localhost./'), (error: OutboundError) =>
      fails(error.kind === 'failed' ? 'failed' : 'blocked')(error),
    );
    await assert.rejects(get('https://localhost./', [], answers(['127.0.0.1']).lookup), fails('blocked', /localhost\. is not/));
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', ...METADATA]) {
      const { lookup, asked } = answers([address]);
      await assert.rejects(get('https://rebound.example/', [], lookup), (error: Error) => {
        assert.ok(!error.message.includes(address), error.message);
        return fails('blocked')(error);
      });
      assert.deepEqual(asked, ['rebound.example']);
    }
  });

  it('when one of the addresses of a name is not public, wherever it stands', async () => {
    for (const list of [['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8'], ['2606:4700::1111', '8.8.8.8', '::1'], []])
      await assert.rejects(get('https://mixed.example/', [], answers(list).lookup), fails('blocked'), String(list));
  });

  it('when a name was public the first time and is not the second', async () => {
    const hangUp = new AbortController();
    let asked = 0;
    const lookup: Lookup = (_, __, callback) => {
      if (++asked > 1) return callback(null, [{ address: '127.0.0.1', family: 4 }]);
      // Aborted before it connects to the public address, so that tests stay on this machine.
      hangUp.abort();
      return void setImmediate(callback, null, [{ address: '8.8.8.8', family: 4 }]);
    };
    const outbound = createOutbound([], { lookup });
    const request = { method: 'GET', url: 'https://rebound.example/' } as const;
    await assert.rejects(outbound({ ...request, signal: hangUp.signal }), fails('failed', /given up/));
    await assert.rejects(outbound(request), fails('blocked'));
    assert.equal(asked, 2);
  });

  it('by the same lookup that the socket uses to connect', async () => {
    const { lookup } = answers(['8.8.8.8', '1.1.1.1'], ['8.8.8.8'], ['127.0.0.1']);
    const guarded = guardedLookup(lookup, isPublic);
    const ask = (options: object) =>
      new Promise((resolve) => guarded('rebound.example', options, (error, ...values) => resolve(error ?? values)));
    assert.deepEqual(await ask({ all: true }), [
      [
        { address: '8.8.8.8', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
    ]);
    assert.deepEqual(await ask({}), ['8.8.8.8', 4]);
    assert.ok(fails('blocked')(await ask({})));
  });

  it('when they lead to cloud metadata, also for hosts that were allowed', async () => {
    for (const address of METADATA) {
      const host = address.includes(':') ? `[${address}]` : address;
      for (const scheme of ['http', 'https'])
        await assert.rejects(
          get(`${scheme}://${host}/latest/`, [address, `${host}:80`]),
          fails('blocked', /public address/),
          host,
        );
      await assert.rejects(get('http://dev.example/', ['dev.example'], answers([address]).lookup), fails('blocked'), address);
      const mixed = answers(['127.0.0.1', address]).lookup;
      await assert.rejects(get('http://dev.example/', ['dev.example'], mixed), fails('blocked'), address);
    }
  });

  it('when an allowed name was harmless the first time and is metadata the second', async () => {
    const seen = await victim();
    const { lookup } = answers(['127.0.0.1'], ['169.254.169.254']);
    const outbound = createOutbound(['dev.example'], { lookup });
    const request = { method: 'GET', url: `http://dev.example:${seen.port}/` } as const;
    assert.equal((await outbound(request)).body.toString(), 'secret');
    await assert.rejects(outbound(request), fails('blocked'));
    assert.equal(seen.connections, 1);
  });

  it('by another scheme than https, and by http where it was not allowed', async () => {
    const urls = [
      'file:///etc/passwd',
      'ftp://example.com/',
      'data:text/plain,x',
      'gopher://example.com:70/_x',
      'http://example.com/',
    ];
    for (const url of [
      ...urls,
      'blob:https://example.com/1',
      'javascript:1',
      'ws://example.com/',
      'about:blank',
      'HTTP://example.com',
    ])
      await assert.rejects(get(url), fails('blocked', /only https/), url);
    for (const url of ['file://dev.example/x', 'ftp://dev.example/', 'ws://dev.example/', 'gopher://dev.example/'])
      await assert.rejects(get(url, ['dev.example']), fails('blocked', /only https/), url);
    for (const url of [
      '',
      '//example.com/',
      '/path',
      'https://',
      'https://a b/',
      'https://[::1',
      'https://1.2.3.4.5/',
      'https://[fe80::1%25lo]/',
    ])
      await assert.rejects(get(url), fails('blocked'), url);
  });

  it('with credentials, also where allowed, and without repeating them', async () => {
    for (const url of [
      'https://user:hidden@example.com/',
      'https://hidden@example.com/',
      'https://:hidden@example.com/',
      'http://hidden@dev.example/',
    ])
      await assert.rejects(get(url, ['dev.example']), (error: Error) => {
        assert.ok(!error.message.includes('hidden'));
        return fails('blocked', /credentials/)(error);
      });
    await assert.rejects(get('https://hidden secret/'), (error: Error) => !`${error.message}${error.cause}`.includes('hidden'));
  });

  it('to ports other than 443 and 8443, unless the port was allowed', async () => {
    for (const port of [22, 25, 80, 444, 3306, 6379, 8080, 9200, 0])
      await assert.rejects(get(`https://example.com:${port}/`), fails('blocked', /port \d+ may not be called/), String(port));
    const { lookup, asked } = answers(['127.0.0.1']);
    for (const url of ['https://example.com/', 'https://example.com:443/', 'https://example.com:8443/'])
      await assert.rejects(get(url, [], lookup), fails('blocked', /public address/), url);
    assert.equal(asked.length, 3);
    for (const url of [
      'https://dev.example:9001/',
      'http://dev.example/',
      'https://sub.dev.example:9000/',
      'https://dev.example.evil.example:9000/',
    ])
      await assert.rejects(get(url, ['dev.example:9000'], lookup), fails('blocked', /port|only https/), url);
    assert.equal(asked.length, 3);
  });

  it('before any connection is made', async () => {
    const seen = await victim();
    for (const url of [`https://127.0.0.1:${seen.port}/`, `http://127.0.0.1:${seen.port}/`, `https://localhost:${seen.port}/`])
      await assert.rejects(get(url), fails('blocked'), url);
    assert.equal(seen.connections, 0);
  });
});

describe('A server gains nothing', () => {
  const url = async (server: Server): Promise<string> => `http://127.0.0.1:${await started(server)}/`;
  const http = (listener: RequestListener): Promise<string> => url(createServer(listener));
  /** A server that handles its sockets with the given function. */
  const tcp = (answer: (socket: Socket) => void): Promise<string> =>
    url(createTcpServer((socket) => void socket.once('data', () => answer(socket))));
  /** Writes as often as the socket accepts it, until it is closed. */
  const forEver = (socket: Socket, text: string): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(text));
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
  };
  /** Writes a little now and then: never silent, never finished. */
  const drip = (socket: Socket, text: string): void => {
    const timer = setInterval(() => socket.write(text), 5);
    socket.on('close', () => clearInterval(timer));
  };
  const ask = (to: string, more: Partial<OutboundRequest> = {}) =>
    createOutbound(['127.0.0.1'], { connectTimeoutMs: 1000 })({ method: 'GET', url: to, timeoutMs: 100, ...more });
  const patient = { timeoutMs: 10_000 };

  it('by redirects to where it may not go', async () => {
    const seen = await victim();
    for (const location of [
      `http://127.0.0.1:${seen.port}/`,
      `//localhost:${seen.port}/`,
      'http://169.254.169.254/',
      'file:///etc/passwd',
    ])
      for (const status of [301, 302, 303, 307, 308]) {
        const to = await http((_, response) =>
          response.writeHead(status, { Location: location, Refresh: `0; ${location}` }).end(),
        );
        assert.equal((await ask(to, patient)).status, status);
      }
    assert.equal(seen.connections, 0);
  });

  it('by never finishing to connect', async () => {
    const to = await url(createTcpServer(() => {}));
    const outbound = createOutbound(['127.0.0.1', 'dev.example'], { connectTimeoutMs: 50 });
    await assert.rejects(outbound({ method: 'GET', url: to.replace('http:', 'https:') }), fails('timeout', /connect/));
    const deaf = createOutbound([], { connectTimeoutMs: 50, lookup: () => {} });
    await assert.rejects(
      deaf({ method: 'GET', url: 'https://slow.example/' }),
      fails('timeout', /slow\.example took too long to connect/),
    );
  });

  it('by never answering, or by headers that drip', async () => {
    await assert.rejects(ask(await tcp(() => {})), fails('timeout'));
    await assert.rejects(ask(await tcp((socket) => drip(socket, 'H')), patient), fails('failed'));
    const headers = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      drip(socket, 'x');
    });
    await assert.rejects(ask(headers), fails('timeout'));
    const early = await tcp((socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'));
    await assert.rejects(ask(early), fails('timeout'));
  });

  it('by bodies that drip', async () => {
    for (const [head, piece] of [
      ['Content-Length: 100000', 'x'],
      ['Transfer-Encoding: chunked', '1\r\nx\r\n'],
      ['Connection: close', 'x'],
    ] as const) {
      const to = await tcp((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        drip(socket, piece);
      });
      await assert.rejects(ask(to), fails('timeout'), head);
    }
  });

  it('by not reading what it is sent', async () => {
    const to = await url(createTcpServer((socket) => void socket.pause()));
    await assert.rejects(ask(to, { method: 'POST', body: new Uint8Array(32 * 1024 * 1024) }), fails('timeout'));
  });

  it('by endless bodies, and its connection is ended', async () => {
    for (const [head, piece] of [
      ['Content-Length: 99999999999', 'x'.repeat(10_000)],
      ['Transfer-Encoding: chunked', `2710\r\n${'x'.repeat(10_000)}\r\n`],
      ['Connection: close', 'x'.repeat(10_000)],
    ] as const) {
      let closed: Promise<unknown> | undefined;
      const to = await tcp((socket) => {
        closed = new Promise((resolve) => socket.once('close', resolve));
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        forEver(socket, piece);
      });
      await assert.rejects(ask(to, patient), fails('too-large'), head);
      await closed;
    }
  });

  it('by huge or endless headers, trailers and chunk extensions', async () => {
    const starts: [string, string][] = [
      ['HTTP/1.1 200 OK\r\nX-Large: ', 'x'.repeat(10_000)],
      ['HTTP/1.1 200 OK\r\n', 'X-More: x\r\n'.repeat(100)],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-More: x\r\n'.repeat(100)],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x'.repeat(10_000)],
    ];
    for (const [start, more] of starts) {
      const to = await tcp((socket) => {
        socket.write(start);
        forEver(socket, more);
      });
      await assert.rejects(ask(to, patient), fails('too-large'), start);
    }
    const large = await http((_, response) => response.writeHead(200, { 'X-Large': 'x'.repeat(17 * 1024) }).end());
    await assert.rejects(ask(large, patient), fails('too-large'));
  });

  it('by a small body that would grow', async () => {
    const bomb = Buffer.alloc(4 * 1024 * 1024);
    const bodies = { gzip: gzipSync(bomb), deflate: deflateSync(bomb), br: brotliCompressSync(bomb), GZIP: gzipSync(bomb) };
    for (const [encoding, body] of Object.entries(bodies)) {
      const to = await http((_, response) => response.setHeader('Content-Encoding', encoding).end(body));
      await assert.rejects(ask(to, patient), fails('failed', /is encoded/), encoding);
    }
    for (const encoding of ['gzip, gzip', 'x-gzip', 'zstd', 'identity, gzip']) {
      const to = await http((_, response) => response.setHeader('Content-Encoding', encoding).end('x'));
      await assert.rejects(ask(to, patient), fails('failed', /is encoded/), encoding);
    }
    const transfer = await tcp((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'),
    );
    await assert.rejects(ask(transfer, patient), fails('failed'));
    const plain = await http((_, response) => response.setHeader('Content-Encoding', 'identity').end('x'));
    assert.equal((await ask(plain, patient)).body.toString(), 'x');
  });

  it('by two answers in one', async () => {
    const both = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n';
    await assert.rejects(ask(await tcp((socket) => socket.end(both)), patient), fails('failed'));
    const twice = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny';
    const to = await tcp((socket) => socket.end(twice));
    // The second half may or may not be noticed in time, but it must never become an answer.
    const text = await ask(to, patient).then(({ body }) => body.toString(), fails('failed'));
    assert.ok(text === true || text === 'x', String(text));
  });
});
