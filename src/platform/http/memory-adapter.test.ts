// Requests that bypass the framework get the same answers, refusals, log lines and counts as through it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fault } from '../faults/index.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { Answer, createApp } from './app.ts';
import type { Mount } from './mounts.ts';
import * as t from './schema.ts';
import { createServer, type Server, type ServerOptions } from './server.ts';

interface Caller {
  readonly name: string;
}
type Rule = 'ask' | 'refused';

describe('The memory adapter', () => {
  const lines: string[] = [];
  const times: string[] = [];
  const servers: Server[] = [];
  let adapted: string;
  let plain: string;
  /** The calls, in order. */
  let ran: string[] = [];
  let result: () => unknown;
  const good = () => new Answer({ text: '{"ok":true}' });

  function testApp() {
    const app = createApp<Caller, Rule>();
    const spec = {
      id: 'called',
      summary: 'Ask',
      tag: 'Test',
      rule: 'ask',
      fromMemory: true,
      reply: { 200: t.open({}) },
    } as const;
    app.get('/ask', spec, () => {
      ran.push('handler');
      return result();
    });
    app.get('/refused', { ...spec, rule: 'refused' }, () => {
      ran.push('handler');
    });
    app.get('/late', spec, async () => {
      ran.push('handler');
      await new Promise(setImmediate);
      return result();
    });
    app.get('/echo/:id', spec, ({ params, query, path, address, base }) => ({ id: params.id, query, path, address, base }));
    app.get(
      '/things/:id',
      {
        ...spec,
        target: ({ params }) => ({
          facts: { id: params.id },
          get: () => (params.id === 'there' ? { name: 'a thing' } : assert.fail('asked before it was allowed')),
        }),
      },
      ({ target }) => target,
    );
    return app;
  }

  async function start(options: Partial<ServerOptions<Caller>> = {}): Promise<{ url: string; server: Server }> {
    const server = createServer<Caller>({
      app: testApp(),
      errorFormatOf: () => (refusal) => ({ body: { refused: refusal.code } }),
      authenticate({ headers }) {
        ran.push('authenticate');
        if (headers['x-auth-token'] === 'slow') return Promise.resolve({ name: 'slow' });
        if (headers['x-auth-token'] !== 'good') throw fault('route.not_found', undefined, { reason: 'no token' });
        return { name: 'ann' };
      },
      authorize(rule, _caller, facts) {
        ran.push('authorize');
        if (rule === 'refused' || (facts as { id?: string } | undefined)?.id === 'not-yours') throw fault('request.media_type');
      },
      headers: { Vary: 'X-Auth-Token', 'Cache-Control': 'no-store' },
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: createLog('info', { write: (line: string) => void lines.push(line) }),
      times: Object.assign(createMetrics().timesOf('test'), {
        observe: (method: string, route: string, status: number) => void times.push(`${method} ${route} ${status}`),
      }),
      trustedProxies: [],
      bodyLimit: 1000,
      ...options,
    });
    servers.push(server);
    return { server, url: await server.listen('127.0.0.1', 0) };
  }

  before(async () => {
    adapted = (await start()).url;
    plain = (await start({ memoryAdapter: false })).url;
  });
  beforeEach(() => {
    ran = [];
    lines.length = 0;
    times.length = 0;
    result = good;
  });
  after(() => Promise.all(servers.map((server) => server.close(1000))));

  const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { method, headers: { 'X-Auth-Token': 'good', ...headers } });

  /** Everything that clients and operators can see of a request. */
  async function seen(base: string, path: string, headers: Record<string, string> = {}) {
    ran = [];
    lines.length = 0;
    times.length = 0;
    const answer = await ask(base + path, headers);
    const text = (await answer.text()).replaceAll(base, 'http://here');
    await new Promise(setImmediate);
    const shown = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'));
    const logged = lines.map((line) => {
      const { time: _time, ms: _ms, err, ...rest } = JSON.parse(line);
      return { ...rest, err: err?.message };
    });
    return { status: answer.status, headers: shown, text, ran, logged, times: [...times] };
  }

  it('answers, refuses, logs and counts as the framework does, and runs a handler once', async () => {
    const results: Record<string, () => unknown> = {
      good,
      'an answer by its schema': () => ({ ok: true }),
      'a refusal of the handler': () => {
        throw fault('request.bad_value' as never, { field: 'x', why: 'it was asked for' } as never);
      },
      'an error of the handler': () => {
        throw new Error('a bug');
      },
    };
    const callers = { good: {}, slow: { 'X-Auth-Token': 'slow' }, bad: { 'X-Auth-Token': 'bad' } };
    for (const path of ['/ask', '/ask?a=1&a=2', '/late', '/refused', '/things/there', '/things/not-yours', '/echo/a?b=%ff'])
      for (const [kind, outcome] of Object.entries(results))
        for (const [caller, headers] of Object.entries(callers)) {
          result = outcome;
          const [here, there] = [await seen(adapted, path, headers), await seen(plain, path, headers)];
          const what = `${path}, ${kind}, ${caller} caller`;
          assert.deepEqual(here, there, what);
          assert.ok(here.ran.filter((step) => step === 'handler').length <= 1, what);
          assert.equal(here.ran.filter((step) => step === 'authenticate').length, 1, what);
          assert.equal(here.times.length, 1, what);
        }
  });

  it('loses no error', async () => {
    for (const path of ['/ask', '/late']) {
      lines.length = 0;
      result = () => {
        throw new Error('a bug');
      };
      const answer = await ask(adapted + path);
      assert.equal(answer.status, 500);
      assert.ok(!(await answer.text()).includes('a bug'));
      assert.ok(
        lines.some((line) => line.includes('a bug') && line.includes('req-1')),
        path,
      );
    }
  });

  it('does not take an error of a handler for one of the client, whatever the error says', async () => {
    result = () => {
      throw Object.assign(new Error('a bug'), { statusCode: 404, code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
    };
    for (const base of [adapted, plain])
      for (const path of ['/ask', '/late']) {
        lines.length = 0;
        assert.equal((await ask(base + path)).status, 500);
        assert.ok(lines.some((line) => line.includes('a bug')));
      }
  });

  it('ends a request whose answer or refusal cannot be written, and continues to serve', async () => {
    const broken: (() => unknown)[] = [
      () => Promise.reject(undefined),
      () => new Answer({ text: '{}', headers: { 'X-Bad': 'a\nb' } }),
      () => {
        throw fault('request.media_type', undefined, { headers: { 'X-Bad': 'a\nb' } });
      },
    ];
    for (const base of [adapted, plain])
      for (const path of ['/ask', '/late'])
        for (const outcome of broken) {
          result = outcome;
          const status = await ask(base + path)
            .then((answer) => answer.status)
            .catch(() => 'ended');
          assert.ok(status === 500 || status === 'ended', `${path} ${status}`);
        }
    result = good;
    for (const base of [adapted, plain]) assert.equal((await ask(`${base}/ask`)).status, 200);
  });

  it('checks the rule before it reveals whether a thing exists', async () => {
    assert.equal((await ask(`${adapted}/things/there`)).status, 200);
    assert.equal((await ask(`${adapted}/things/not-yours`)).status, 415);
  });

  it('reads parameters and queries as the framework does', async () => {
    const paths = ['/echo/a%20b%2Fc?x=1&x=2&y=%C3%A9&z', '/echo/%E2%82%AC?=1', '/echo/a+b?q=a+b', '/echo/a?q=%zz&%c3=1'];
    const odd = [
      '/echo/a?a==b&&c',
      '/echo/a?constructor=1&__proto__=2',
      '/echo/%',
      '/echo/a%00b',
      '/echo/a?b=%00',
      '/echo/',
      '/ask/',
    ];
    for (const path of [...paths, ...odd, `/echo/${'a'.repeat(1100)}`])
      assert.deepEqual(await seen(adapted, path), await seen(plain, path), path);
  });

  it('counts immediate and delayed answers', async () => {
    const { url, server } = await start();
    await ask(`${url}/ask`);
    await ask(`${url}/refused`);
    await ask(`${url}/late`);
    await ask(`${url}/ask`, { 'X-Auth-Token': 'slow' });
    await ask(`${url}/ask/`);
    assert.deepEqual({ ...server.fromMemory }, { hits: 2, misses: 2 });
  });

  it('is turned off by its setting, and if only the framework can determine the address', async () => {
    for (const options of [{ memoryAdapter: false }, { trustedProxies: ['127.0.0.1'] }]) {
      const { url, server } = await start(options);
      assert.equal((await ask(`${url}/ask`)).status, 200);
      assert.deepEqual({ ...server.fromMemory }, { hits: 0, misses: 0 });
    }
  });

  it('answers a path of a mount, and leaves to the mount what is not simple', async () => {
    let answer: () => unknown = () => undefined;
    const mount: Mount = {
      paths: ['/mounted/*'],
      fromMemory: { path: '/mounted/one', mount: '/mounted/*', answer: () => answer() as never },
      async handle({ response }) {
        ran.push('mount');
        response.writeHead(200, { 'Content-Type': 'text/plain' }).end('of the mount');
      },
    };
    const { url, server } = await start({ mounts: [mount] });
    const simple = { status: 200, headers: { 'Content-Type': 'text/plain', 'X-Own': 'yes' }, text: 'é from memory' };
    for (const late of [false, true]) {
      answer = () => (late ? Promise.resolve(simple) : simple);
      const { status, headers, text, times: counted } = await seen(url, '/mounted/one');
      assert.deepEqual([status, text, headers['content-length']], [200, simple.text, '14']);
      assert.deepEqual([headers['x-own'], headers.vary, headers['x-request-id']], ['yes', undefined, 'req-1']);
      assert.deepEqual(counted, ['GET /mounted/* 200']);
      answer = () => (late ? Promise.resolve(undefined) : undefined);
      assert.equal((await seen(url, '/mounted/one')).text, 'of the mount');
      answer = () => (late ? Promise.reject(new Error('a bug')) : assert.fail('a bug'));
      const failed = await seen(url, '/mounted/one');
      assert.deepEqual([failed.status, failed.ran, failed.times], [500, [], ['GET /mounted/* 500']]);
    }
    answer = () => simple;
    for (const path of ['/mounted/one?a', '/mounted/one/', '/mounted/another', '/mounted/one%20'])
      assert.equal((await seen(url, path)).text, 'of the mount', path);
    const others = [{ method: 'POST' }, { method: 'HEAD' }, { method: 'POST', body: 'x' }];
    for (const init of others) {
      ran = [];
      await (await fetch(`${url}/mounted/one`, init)).text();
      assert.deepEqual(ran, ['mount'], JSON.stringify(init));
    }
    assert.deepEqual({ ...server.fromMemory }, { hits: 1, misses: 1 });
  });

  it('knows the client behind a trusted proxy', async () => {
    const publicUrl = () => 'https://id.example.org';
    const { url, server } = await start({ trustedProxies: ['127.0.0.1'], publicUrl });
    const answer = await ask(`${url}/echo/1`, { 'X-Forwarded-For': '192.0.2.7' });
    const { address, base } = (await answer.json()) as { address: string; base: string };
    assert.deepEqual([address, base, server.fromMemory.hits], ['192.0.2.7', 'https://id.example.org', 1]);
  });
});
