// The server against clients that send what they should not, never finish, or are still there when it stops.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { certify } from '../../../test/support/certificates.ts';
import { RawConnection, rawRequest } from '../../../test/support/raw.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { createApp, createServer, readBody, type Server, t } from './index.ts';
import type { ServerOptions } from './server.ts';

const tag = 'Test';
/** More than the buffers of a connection hold. */
const LARGE = 20_000_000;
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (path: string, body: string, type = 'application/json'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** A certificate of a host, as files. */
async function certificate(): Promise<{ certFile: string; keyFile: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  const { certificate: made, key } = certify({ name: 'CN=localhost', dns: ['localhost'] });
  const [certFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, made.toString());
  await writeFile(keyFile, key.export({ type: 'pkcs8', format: 'pem' }));
  return { certFile, keyFile, folder };
}

describe('The server', () => {
  const running: Server[] = [];
  const timers: NodeJS.Timeout[] = [];
  after(async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.map((server) => server.close(0)));
  });
  /** Continues to send until the connection ends. */
  const keepSending = (connection: RawConnection, text: string): void => {
    const timer = setInterval(() => connection.send(text), 20);
    timers.push(timer);
    connection.socket.once('close', () => clearInterval(timer));
  };

  /** Requests to /wait and /openid/wait are answered when `answerAll` is called. */
  async function start(options: Partial<ServerOptions<undefined>> = {}) {
    const app = createApp<undefined>();
    const gate = Promise.withResolvers<void>();
    const arrivals: { count: number; told: () => void } = { count: 0, told: () => undefined };
    const arrive = (): void => {
      arrivals.count++;
      arrivals.told();
    };
    const open = { tag, rule: 'anyone' } as const;
    app.get('/fast', { ...open, id: 'called', summary: 'Fast', fromMemory: true, reply: { 200: t.open({}) } }, ({ base }) => ({
      base,
    }));
    app.get('/usual', { ...open, id: 'called', summary: 'Usual', reply: { 200: t.open({}) } }, ({ base }) => ({ base }));
    app.get('/large', { ...open, id: 'called', summary: 'Large', reply: { 200: t.open({}) } }, () => ({
      large: 'x'.repeat(LARGE),
    }));
    app.get('/wait', { ...open, id: 'called', summary: 'Wait', reply: { 200: t.open({}) } }, async () => {
      arrive();
      await gate.promise;
      return {};
    });
    app.post(
      '/echo',
      { ...open, id: 'called', summary: 'Echo', body: t.open({}), reply: { 200: t.open({}) } },
      ({ body }) => body,
    );
    app.post(
      '/form',
      { ...open, id: 'called', summary: 'Form', form: true, body: t.open({}), reply: { 200: t.open({}) } },
      ({ body }) => body,
    );
    const server = createServer<undefined>({
      app,
      mounts: [
        {
          paths: ['/openid/*'],
          async handle({ request, response }) {
            if (request.url === '/openid/wait') {
              arrive();
              await gate.promise;
            } else await readBody(request, 5000);
            response.end('{}');
          },
        },
      ],
      errorFormatOf:
        () =>
        ({ status, code }) => ({ body: { status, code }, headers: { 'Content-Type': 'application/problem+json' } }),
      authenticate: () => undefined,
      authorize: () => undefined,
      headers: {},
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: createLog('info', { write: () => undefined }),
      times: createMetrics().timesOf('test'),
      trustedProxies: [],
      bodyLimit: 1000,
      ...options,
    });
    running.push(server);
    const url = await server.listen('127.0.0.1', 0);
    return {
      server,
      url,
      answerAll: () => gate.resolve(),
      arrivals,
      /** Waits until this number of requests is pending. */
      async arrived(count: number): Promise<void> {
        while (arrivals.count < count)
          await new Promise<void>((resolve) => {
            arrivals.told = resolve;
          });
      },
    };
  }

  it('cuts a slow body and slow headers at the time limit for requests', async () => {
    const { url } = await start({ requestMs: 300 });
    for (const beginning of [
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
      'POST /openid/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\na',
      'GET /usual HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    ]) {
      const connection = (await RawConnection.open(url)).send(beginning);
      keepSending(connection, 'a');
      const answer = await connection.answer();
      assert.equal(answer.status, 408, beginning);
      assert.deepEqual(JSON.parse(answer.body), { status: 408, code: 'request.timeout' });
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer.headers.get('connection'), 'close');
      await connection.closed();
    }
  });

  it('closes the connection after a body that is too large, without reading the rest', async () => {
    const { url } = await start();
    const endless = `${(10_000).toString(16)}\r\n${'a'.repeat(10_000)}\r\n`;
    for (const request of [
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n',
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${endless}`,
      'POST /openid/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n',
      `POST /openid/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${endless}`,
    ]) {
      const connection = (await RawConnection.open(url)).send(request);
      keepSending(connection, endless);
      const answer = await connection.answer();
      assert.equal(answer.status, 413, request.slice(0, 200));
      assert.equal(answer.headers.get('connection'), 'close');
      await connection.closed();
    }
  });

  it('answers once, even if a refused body is followed by bytes that are not HTTP', async () => {
    const { url } = await start();
    const connection = await RawConnection.open(url);
    connection.send(`POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
    assert.equal((await connection.answer()).status, 415);
    connection.send('this is no chunk\r\n');
    await connection.closed();
    await assert.rejects(connection.answer(), /closed without an answer: \w+ ""$/);
  });

  it('does not read the whole body of a request to an unknown path', async () => {
    const { url } = await start();
    const connection = await RawConnection.open(url);
    connection.send('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
    keepSending(connection, 'a'.repeat(1000));
    const answer = await connection.answer();
    assert.deepEqual([answer.status, answer.headers.get('connection')], [404, 'close']);
    await connection.closed();
  });

  it('keeps the connection after a small body to an unknown path', async () => {
    const { url } = await start();
    const connection = (await RawConnection.open(url)).send(post('/nowhere', '{"a":1}')).send(get('/usual'));
    assert.deepEqual([(await connection.answer()).status, (await connection.answer()).status], [404, 200]);
    connection.destroy();
  });

  it('never reads text in another encoding as if it were UTF-8', async () => {
    const { url } = await start();
    const refused = ['utf-16', 'UTF-16LE', '"utf-16"', 'iso-8859-1', 'utf-7', ' utf-16', 'utf-8;charset=utf-16', ''];
    for (const path of ['/echo', '/form', '/openid/x']) {
      for (const media of ['application/json', 'application/scim+json', 'application/x-www-form-urlencoded']) {
        if (path === '/echo' && media.includes('form')) continue;
        const body = media.includes('form') ? 'a=b' : '{"a":"b"}';
        for (const charset of refused)
          assert.equal(
            (await rawRequest(url, post(path, body, `${media};charset=${charset}`))).status,
            415,
            `${path} ${charset}`,
          );
        for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'us-ascii', 'utf8'])
          assert.equal(
            (await rawRequest(url, post(path, body, `${media}; charset=${charset}`))).status,
            200,
            `${path} ${charset}`,
          );
      }
    }
  });

  it('never reads compressed bytes as text, nor a type that only begins like JSON', async () => {
    const { url } = await start();
    const request = post('/echo', '{}');
    assert.equal((await rawRequest(url, request.replace('\r\n\r\n', '\r\nContent-Encoding: gzip\r\n\r\n'))).status, 415);
    assert.equal((await rawRequest(url, request.replace('\r\n\r\n', '\r\nContent-Encoding: identity\r\n\r\n'))).status, 200);
    assert.equal((await rawRequest(url, post('/echo', '{}', 'application/json-seq'))).status, 415);
  });

  it('does not count a body that the client stopped sending as an error of the service', async () => {
    const lines: string[] = [];
    const counted: string[] = [];
    const { url } = await start({
      log: createLog('info', { write: (line: string) => void lines.push(line) }),
      times: Object.assign(createMetrics().timesOf('test'), {
        observe: (method: string, route: string, status: number) => method === 'POST' && counted.push(`${route} ${status}`),
      }),
    });
    for (const path of ['/echo', '/openid/form']) {
      const connection = await RawConnection.open(url);
      connection.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
      await delay(100);
      connection.socket.destroy();
      await delay(100);
    }
    assert.deepEqual(counted, ['/echo 400', '/openid/* 400']);
    assert.deepEqual(
      lines.filter((line) => line.includes('request failed')),
      [],
    );
  });

  it('ends the connection of a client that stops reading its answer, and of no other', async () => {
    const { url, arrived, answerAll } = await start({ readingMs: 300 });
    const [stopped, waiting] = [await RawConnection.open(url), await RawConnection.open(url)];
    stopped.send(get('/large')).socket.pause();
    waiting.send(get('/wait'));
    await arrived(1);
    await delay(1000);
    answerAll();
    assert.equal((await waiting.answer()).status, 200);
    assert.ok((await (await fetch(`${url}/large`)).text()).length > LARGE);
    stopped.socket.resume();
    await stopped.closed();
    assert.ok(stopped.socket.bytesRead < LARGE);
  });

  for (const secure of [false, true])
    it(`closes the connections that do nothing when there are too many${secure ? ', under TLS as well' : ''}`, async () => {
      const tls = secure ? await certificate() : undefined;
      const lines: string[] = [];
      const log = createLog('info', { write: (line: string) => void lines.push(line) });
      const { url, arrived, answerAll } = await start({ maxConnections: 4, tls, log });
      if (tls) await rm(tls.folder, { recursive: true });
      const open = () => RawConnection.open(url);
      const busy = (await open()).send(get('/wait'));
      await arrived(1);
      // The one that was used last is closed after the others, although it is the oldest.
      const [used, idle, dripping] = [await open(), await open(), await open()];
      await used.send(get('/usual')).answer();
      dripping.send('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{');
      // An answer on another connection shows that the request has arrived.
      assert.equal((await used.send(get('/usual')).answer()).status, 200);
      const next: RawConnection[] = [];
      for (const [index, closed] of [idle, used, dripping].entries()) {
        next.push((await open()).send(get('/wait')));
        await Promise.all([closed.closed(), arrived(index + 2)]);
      }
      await assert.rejects(
        open().then((connection) => connection.send(get('/usual')).answer()),
        'all others are busy',
      );
      answerAll();
      for (const connection of [busy, ...next]) assert.equal((await connection.answer()).status, 200);
      assert.equal(lines.filter((line) => line.includes('too many connections')).length, 1);
      for (const connection of [busy, ...next]) connection.destroy();
    });

  it('closes the connection of a client that sends many requests at once, and lets it send some', async () => {
    const { url } = await start();
    const some = (await RawConnection.open(url)).send(get('/usual').repeat(20));
    for (let i = 0; i < 20; i++) assert.equal((await some.answer()).status, 200);
    for (let i = 0; i < 30; i++) assert.equal((await some.send(get('/fast')).answer()).status, 200);
    const many = (await RawConnection.open(url)).send(get('/usual').repeat(1000));
    await many.closed();
    some.destroy();
  });

  it('answers requests that were sent at once one after the other', async () => {
    const { url, answerAll, arrived, arrivals } = await start();
    const [waiting, gone] = [await RawConnection.open(url), await RawConnection.open(url)];
    for (const connection of [waiting, gone]) connection.send((get('/wait') + get('/openid/wait')).repeat(2));
    await arrived(2);
    gone.destroy();
    // The others would have arrived by now.
    for (let i = 0; i < 10; i++) assert.equal((await rawRequest(url, get('/usual'))).status, 200);
    assert.equal(arrivals.count, 2);
    answerAll();
    for (let i = 0; i < 4; i++) assert.equal((await waiting.answer()).status, 200);
    assert.equal(arrivals.count, 5, 'nothing of a connection that is gone');
    waiting.destroy();
  });

  it('accepts an address with scheme and host, as proxies send it (RFC 9112, 3.2.2)', async () => {
    const { url } = await start({ errorFormatOf: (path) => () => ({ body: { format: path } }) });
    for (const [path, status] of [
      ['/fast', 200],
      ['/usual?a=1', 200],
      ['/nothing', 404],
    ] as const) {
      const { status: actual, body } = await rawRequest(url, get(`http://x${path}`));
      assert.equal(actual, status);
      if (status !== 200) assert.deepEqual(JSON.parse(body), { format: path });
    }
    assert.equal((await rawRequest(url, post('http://x/usual', '{}'))).status, 405);
  });

  it('refuses in the error format of the route, however its path is written', async () => {
    const { url } = await start({ errorFormatOf: (path) => () => ({ body: { format: path } }) });
    for (const path of ['/echo', '/%65cho', '/echo/', '/echo?a']) {
      const { status, body } = await rawRequest(url, post(path, '['));
      assert.deepEqual([status, JSON.parse(body)], [400, { format: '/echo' }], path);
    }
  });

  it('answers requests with Expect or Upgrade, and requests that end in the middle', async () => {
    const { url } = await start();
    assert.equal((await rawRequest(url, get('/usual', 'Expect: a-wonder\r\n'))).status, 200);
    assert.equal((await rawRequest(url, get('/usual', 'Connection: upgrade\r\nUpgrade: websocket\r\n'))).status, 200);
    const connection = await RawConnection.open(url);
    connection.send('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{');
    connection.socket.end();
    const answer = await connection.answer();
    assert.deepEqual(JSON.parse(answer.body), { status: 400, code: 'request.unreadable' });
  });

  it('does not repeat a foreign Host if its own URL is known, nor an invalid one if it is not', async () => {
    const known = await start({ publicUrl: () => 'https://id.example.org' });
    const unknown = await start();
    const baseOf = async (url: string, path: string, host: string): Promise<string> => {
      const { body } = await rawRequest(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      return JSON.parse(body).base;
    };
    for (const path of ['/fast', '/usual']) {
      assert.equal(await baseOf(known.url, path, 'evil.example'), 'https://id.example.org');
      assert.equal(await baseOf(unknown.url, path, 'id.example.org:5000'), 'http://id.example.org:5000');
      assert.equal(await baseOf(unknown.url, path, '[::1]:5000'), 'http://[::1]:5000');
      for (const nonsense of ['', 'a"b', 'evil.example/path', 'user@evil.example', 'a b', '<b>'])
        assert.equal(await baseOf(unknown.url, path, nonsense), unknown.url, nonsense);
    }
  });

  it('sends HSTS with every answer if it is reached by https', async () => {
    const [secure, plain] = [await start({ secure: true }), await start()];
    for (const request of [get('/fast'), get('/usual'), get('/nowhere'), get('/openid/x'), 'no request\r\n\r\n']) {
      assert.equal((await rawRequest(secure.url, request)).headers.get('strict-transport-security'), 'max-age=31536000', request);
      assert.equal((await rawRequest(plain.url, request)).headers.has('strict-transport-security'), false, request);
    }
  });

  it('sends Connection: close to open connections when it stops, instead of resetting them', async () => {
    const { server, url, answerAll, arrived } = await start();
    const [waiting, mounted, idle] = await Promise.all([1, 2, 3].map(() => RawConnection.open(url)));
    assert.equal((await idle!.send(get('/fast')).answer()).headers.get('connection'), 'keep-alive');
    waiting!.send(get('/wait'));
    mounted!.send(get('/openid/wait'));
    await arrived(2);
    const closed = server.close(60_000);
    // What is opened in the same moment is still accepted.
    const isOpen = () =>
      RawConnection.open(url).then(
        (connection) => connection.destroy() ?? true,
        () => false,
      );
    while (await isOpen()) await delay(20);
    // Sent only now, like a request that was on its way when the server began to stop.
    const late = await idle!.send(get('/fast')).answer();
    assert.deepEqual([late.status, late.headers.get('connection')], [200, 'close']);
    answerAll();
    for (const connection of [waiting!, mounted!]) {
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close']);
    }
    await Promise.all([waiting!, mounted!, idle!].map((connection) => connection.closed()));
    assert.deepEqual(
      [waiting!, mounted!, idle!].map(({ error }) => error),
      [undefined, undefined, undefined],
    );
    await closed;
  });

  for (const secure of [false, true])
    it(`does not wait for connections without a request when it stops${secure ? ', under TLS either' : ''}`, async () => {
      const tls = secure ? await certificate() : undefined;
      const { server, url } = await start({ tls });
      if (tls) await rm(tls.folder, { recursive: true });
      const [used, unused] = [await RawConnection.open(url), await RawConnection.open(url)];
      await used.send(get('/usual')).answer();
      // Far less than the limit: that would take longer than a test may.
      const closed = server.close(10_000);
      const first = await Promise.race([closed.then(() => 'closed'), delay(9_000, 'the limit', { ref: false })]);
      await Promise.all([used.closed(), unused.closed(), closed]);
      assert.equal(first, 'closed');
    });

  it('cuts requests that never end at the time limit when it stops', async () => {
    const { server, url, arrived } = await start();
    const [unanswered, unfinished] = [await RawConnection.open(url), await RawConnection.open(url)];
    unanswered.send(get('/wait'));
    unfinished.send('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\nContent-Type: application/json\r\n\r\n{');
    await arrived(1);
    await server.close(200);
    await Promise.all([unanswered.closed(), unfinished.closed()]);
  });
});
