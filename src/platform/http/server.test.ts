// The server with a small app of its own: the features that all services share.
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fault } from '../faults/index.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { Answer, createApp, createServer, mountProbes, type Server, t } from './index.ts';

interface Caller {
  readonly name: string;
}

const Thing = t.object({ name: t.string({ minLength: 1, maxLength: 10 }) }, { size: t.integer(), tags: t.array(t.string()) });
const tag = 'Things';

/** Ends the slow request. */
const slow = { begun: Promise.withResolvers<void>(), mayEnd: Promise.withResolvers<void>() };

/** The log and the metrics are written after the answer. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isSo()) && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 5));
}

function thingsApp() {
  const app = createApp<Caller, 'use'>();
  app.get(
    '/things/:id',
    { id: 'called', summary: 'Show', tag, rule: 'use', reply: { 200: t.envelope('thing', Thing) } },
    ({ params, caller }) => ({
      thing: { name: `${params.id} of ${caller.name}`.slice(0, 10), secret: 'undeclared' },
    }),
  );
  app.post(
    '/things',
    {
      id: 'called',
      summary: 'Create',
      tag,
      rule: 'anyone',
      body: t.envelope('thing', Thing),
      reply: { 201: t.envelope('thing', Thing) },
    },
    ({ body }) => body,
  );
  app.put('/things/:id', { id: 'called', summary: 'Link', tag, rule: 'anyone', reply: { 200: null } }, () => undefined);
  app.delete('/things/:id', { id: 'called', summary: 'Delete', tag, rule: 'anyone', reply: { 204: null } }, () => undefined);
  app.get('/slow', { id: 'called', summary: 'Wait', tag, rule: 'anyone', reply: { 200: t.open({}) } }, async () => {
    slow.begun.resolve();
    await slow.mayEnd.promise;
    return { done: true };
  });
  app.get('/broken', { id: 'called', summary: 'Throw', tag, rule: 'anyone', reply: { 200: null } }, () => {
    throw new Error('the cause, with a password in it');
  });
  app.get('/lying', { id: 'called', summary: 'Break its own schema', tag, rule: 'anyone', reply: { 200: Thing } }, () => ({
    name: 7,
  }));
  app.get(
    '/where',
    { id: 'called', summary: 'Address', tag, rule: 'anyone', reply: { 200: t.open({}) } },
    ({ base, address, path }) => ({
      base,
      address,
      path,
    }),
  );
  app.get(
    '/other',
    { id: 'called', summary: 'Headers', tag, rule: 'anyone', reply: { 200: t.open({}), 202: t.open({}) } },
    () => new Answer({ status: 202, headers: { 'X-More': 'yes' }, body: {} }),
  );
  return app;
}

describe('The server', () => {
  const lines: string[] = [];
  const metrics = createMetrics();
  let databaseIsUp = true;
  let databaseAnswers = true;
  let server: Server;
  let url: string;

  before(async () => {
    const app = thingsApp();
    mountProbes(app, {
      database: async () => {
        if (!databaseAnswers) await new Promise(() => {});
        if (!databaseIsUp) throw new Error('down');
      },
    });
    server = createServer<Caller>({
      app,
      errorFormatOf:
        () =>
        ({ status, message }) => ({ body: { error: { code: status, message } }, headers: { 'X-Face': 'yes' } }),
      authenticate: ({ headers }) => {
        if (headers['x-auth-token'] !== 'good') throw fault('route.not_found');
        return { name: 'ann' };
      },
      authorize: () => undefined,
      headers: { Vary: 'X-Auth-Token' },
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: createLog('debug', { write: (line) => void lines.push(line) }),
      times: metrics.timesOf('test'),
      trustedProxies: ['127.0.0.2'],
      bodyLimit: 1000,
      checkReplies: true,
    });
    url = await server.listen('127.0.0.1', 0);
  });
  after(() => server.close(1000));

  const send = (method: string, path: string, init: RequestInit = {}) => fetch(url + path, { method, ...init });
  const json = (body: unknown): RequestInit => ({
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const messageOf = async (answer: Response): Promise<string> =>
    ((await answer.json()) as { error: { message: string } }).error.message;

  it('answers only with properties that the schema names', async () => {
    const answer = await send('GET', '/things/7', { headers: { 'X-Auth-Token': 'good' } });
    assert.equal(answer.status, 500, 'with reply checks on, an undeclared field is a failure of ours');
    const created = await send('POST', '/things', json({ thing: { name: 'a', tags: ['x'] } }));
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('content-type'), 'application/json');
    assert.deepEqual(await created.json(), { thing: { name: 'a', tags: ['x'] } });
  });

  it('puts the request id and the common headers on every answer', async () => {
    for (const path of ['/where', '/nowhere', '/broken']) {
      const answer = await send('GET', path);
      assert.equal(answer.headers.get('x-request-id'), 'req-1', path);
      assert.equal(answer.headers.get('vary'), 'X-Auth-Token', path);
    }
  });

  it('names the field that is wrong', async () => {
    const refusals: [unknown, RegExp][] = [
      [{}, /field 'thing': it is a required property/],
      [{ thing: {} }, /field 'thing\.name': it is a required property/],
      [{ thing: { name: 7 } }, /field 'thing\.name': must be string/],
      [{ thing: { name: '' } }, /field 'thing\.name': must NOT have fewer than 1 characters/],
      [{ thing: { name: 'eleven char' } }, /field 'thing\.name': must NOT have more than 10 characters/],
      [{ thing: { name: 'a', colour: 'red' } }, /field 'thing\.colour': it is not a property of this object/],
      [{ thing: { name: 'a', tags: ['x', null] } }, /field 'thing\.tags\.1': must be string/],
    ];
    for (const [body, message] of refusals) {
      const answer = await send('POST', '/things', json(body));
      assert.equal(answer.status, 400);
      assert.match(await messageOf(answer), message);
    }
  });

  it('refuses a body that is not what it says it is', async () => {
    const deep = `{"thing":${'['.repeat(40)}${']'.repeat(40)}}`;
    const bodies = [
      '{',
      '[]',
      '"text"',
      'null',
      '{"thing":{"name":"a\\u0000b"}}',
      '{"thing":{"name":"\\ud800"}}',
      '{"__proto__":{}}',
      '{"a":{"constructor":{}}}',
      deep,
    ];
    for (const body of bodies) {
      const answer = await send('POST', '/things', json(body));
      assert.equal(answer.status, 400, body);
      assert.ok(!(await messageOf(answer)).includes('Unexpected token'), 'the parser’s words quote the input');
    }
    const latin1 = await send('POST', '/things', {
      headers: { 'Content-Type': 'application/json' },
      body: Buffer.from('{"thing":{"name":"é"}}', 'latin1'),
    });
    assert.equal(latin1.status, 400);
    assert.match(await messageOf(latin1), /it is not UTF-8/);
  });

  it('refuses another content type, and a body that is too large', async () => {
    const form = await send('POST', '/things', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' });
    assert.equal(form.status, 415);
    const large = await send('POST', '/things', json({ thing: { name: 'x'.repeat(2000) } }));
    assert.equal(large.status, 413);
  });

  it('accepts a content type with a body that is empty', async () => {
    const answer = await send('DELETE', '/things/1', { headers: { 'Content-Type': 'application/json' } });
    assert.equal(answer.status, 204);
  });

  it('sends no body if a reply is empty', async () => {
    const answer = await send('PUT', '/things/1');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-length'), '0');
    assert.equal(await answer.text(), '');
  });

  it('answers 404 for an unknown path and 405 with Allow for an unknown method', async () => {
    assert.equal((await send('GET', '/nowhere')).status, 404);
    const answer = await send('PATCH', '/things/1');
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'DELETE, GET, HEAD, PUT');
    assert.equal((await send('PATCH', '/things/1/')).status, 405);
    assert.equal((await send('OPTIONS', '/things/1')).status, 405);
  });

  it('accepts a trailing slash, and HEAD for GET', async () => {
    assert.equal((await send('GET', '/where/')).status, 200);
    const head = await send('HEAD', '/where');
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
  });

  it('hides internal errors, but logs them', async () => {
    const answer = await send('GET', '/broken');
    assert.equal(answer.status, 500);
    assert.equal(await messageOf(answer), 'An unexpected error prevented the server from fulfilling your request.');
    assert.ok(lines.some((line) => line.includes('the cause') && line.includes('req-1')));
  });

  it('detects its own answers that violate their schema', async () => {
    assert.equal((await send('GET', '/lying')).status, 500);
  });

  it('trusts forwarded addresses only from trusted proxies', async () => {
    const answer = await send('GET', '/where', {
      headers: { 'X-Forwarded-For': '9.9.9.9', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
    });
    assert.deepEqual(await answer.json(), { base: url, address: '127.0.0.1', path: '/where' });
  });

  it('logs the pattern of a path, never the path or the query', async () => {
    lines.length = 0;
    await send('PUT', '/things/sensitive-id?security_answer=blue');
    const isLogged = () => lines.some((line) => line.includes('/things/:id'));
    await until(isLogged);
    assert.ok(isLogged());
    assert.ok(!lines.join().includes('sensitive-id') && !lines.join().includes('blue'));
  });

  it('refuses NUL bytes, bad escapes and headers that are too large', async () => {
    assert.equal((await send('GET', '/things/a%00b')).status, 400);
    assert.equal((await send('GET', '/things/%zz')).status, 400);
    assert.equal((await send('GET', '/where', { headers: { 'X-Large': 'x'.repeat(20_000) } })).status, 431);
  });

  it('answers bytes that are not HTTP with 400 and closes', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const { port } = new URL(url);
      const socket = createConnection({ host: '127.0.0.1', port: Number(port) });
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
      socket.write('\x16\x03\x01 this is no request\r\n\r\n');
    });
    assert.match(text, /^HTTP\/1\.1 400 /);
  });

  it('reports readiness, and what is unavailable', async () => {
    assert.deepEqual(await (await send('GET', '/healthz')).json(), { status: 'ok' });
    assert.deepEqual(await (await send('GET', '/livez')).json(), { status: 'ok' });
    const ready = await send('GET', '/readyz');
    assert.equal(ready.status, 200);
    assert.equal(((await ready.json()) as { checks: { database: { status: string } } }).checks.database.status, 'ok');
    databaseIsUp = false;
    const away = await send('GET', '/readyz');
    assert.equal(away.status, 503);
    assert.deepEqual(await away.json(), { status: 'unavailable', checks: { database: { status: 'unavailable' } } });
    databaseIsUp = true;
    databaseAnswers = false;
    const silent = await send('GET', '/readyz', { signal: AbortSignal.timeout(30_000) });
    assert.equal(silent.status, 503, 'what does not answer is not waited for');
    databaseAnswers = true;
  });

  it('counts requests by route and status', async () => {
    await send('GET', '/other');
    await until(async () => (await metrics.registry.metrics()).includes('route="/other"'));
    const text = await metrics.registry.metrics();
    assert.match(text, /http_request_duration_seconds_count\{service="test",method="GET",route="\/other",status="202"\} 1/);
    assert.match(text, /http_request_duration_seconds_bucket\{.*route="\/other",status="202",le="\+Inf"\} 1/);
  });

  it('finishes what is running when it closes, and refuses what comes later', async () => {
    const running = send('GET', '/slow');
    await slow.begun.promise;
    const started = performance.now();
    const closed = server.close(30_000);
    slow.mayEnd.resolve();
    assert.equal((await running).status, 200);
    await closed;
    assert.ok(performance.now() - started < 20_000, 'an idle connection does not hold it up');
    await assert.rejects(send('GET', '/where'));
  });
});

describe('A server at localhost', () => {
  it('listens on every address of that name', async () => {
    const server = createServer<Caller>({
      app: thingsApp(),
      errorFormatOf: () => () => ({ body: {} }),
      authenticate: () => ({ name: 'ann' }),
      authorize: () => undefined,
      headers: {},
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: createLog('info', { write: () => undefined }),
      times: createMetrics().timesOf('test'),
      trustedProxies: [],
      bodyLimit: 1000,
    });
    const { port } = new URL(await server.listen('localhost', 0));
    const addresses = new Set((await lookup('localhost', { all: true })).map(({ address }) => address));
    for (const address of addresses) {
      const host = address.includes(':') ? `[${address}]` : address;
      assert.equal((await fetch(`http://${host}:${port}/where`)).status, 200, address);
    }
    await server.close(1000);
  });
});
