import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fault } from '../faults/index.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { Answer, createApp } from './app.ts';
import * as t from './schema.ts';
import { createServer, type Server } from './server.ts';

/** A route that says which way its requests came: one that can see its own path came the usual way. */
type Way = 'fast' | 'usual';

describe('The fast lane', () => {
  const metrics = createMetrics();
  const lines: string[] = [];
  let level: 'info' | 'debug' = 'info';
  let server: Server;
  let url: string;
  let later: Promise<unknown> | undefined;
  let calls = 0;
  const times = { GET: 0 };

  before(async () => {
    const app = createApp<{ name: string }>();
    const spec = { summary: 'Ask', tag: 'Test', fast: true, reply: { 200: t.object({ way: t.string(), caller: t.string() }) } };
    app.get('/ask', spec, (call) => {
      calls++;
      let way: Way = 'usual';
      try {
        void call.path;
      } catch {
        way = 'fast';
      }
      if (later) return later;
      if (call.headers['x-fail']) throw fault('request.bad_value' as never, { field: 'x', why: 'it was asked for' } as never);
      return new Answer({ headers: { 'X-Way': way }, text: JSON.stringify({ way: 'either', caller: call.caller.name }) });
    });
    const Echo = t.object({ id: t.string(), query: t.open({}) });
    app.get('/echo/:id', { ...spec, reply: { 200: Echo } }, ({ params, query }) => ({ id: params.id, query }));
    app.get('/needs-path', { ...spec, reply: { 200: t.object({ path: t.string() }) } }, ({ path }) => ({ path }));
    server = createServer<{ name: string }>({
      app,
      faceOf: () => (refusal) => ({ body: { refused: refusal.code } }),
      authenticate(headers) {
        if (headers['x-auth-token'] === 'slow') return Promise.resolve({ name: 'slow' });
        if (headers['x-auth-token'] !== 'good') throw fault('route.not_found');
        return { name: 'ann' };
      },
      headers: { Vary: 'X-Auth-Token', 'Cache-Control': 'no-store' },
      requestIdHeader: 'X-Request-Id',
      newRequestId: () => 'req-1',
      log: Object.assign(createLog('debug', { write: (line: string) => void lines.push(line) }), {
        isLevelEnabled: (asked: string) => asked !== 'debug' || level === 'debug',
      }),
      times: Object.assign(metrics.timesOf('test'), {
        observe(method: 'GET') {
          times[method]++;
        },
      }),
      trustedProxies: [],
      bodyLimit: 1000,
    });
    url = await server.listen('127.0.0.1', 0);
  });
  after(() => server.close(1000));

  const ask = (path = '/ask', headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url + path, { method, headers: { 'X-Auth-Token': 'good', ...headers } });
  const headersOf = (answer: Response) =>
    Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-way'));

  it('answers as the usual way does, header by header', async () => {
    const [fast, usual] = [await ask(), await ask('/ask/')];
    assert.deepEqual([fast.headers.get('x-way'), usual.headers.get('x-way')], ['fast', 'usual']);
    assert.deepEqual([fast.status, headersOf(fast)], [usual.status, headersOf(usual)]);
    assert.deepEqual(await fast.json(), await usual.json());
  });

  it('is for GET of its path, with or without a query', async () => {
    assert.equal((await ask('/ask?a=1&a=2')).headers.get('x-way'), 'fast');
    for (const [path, method] of [
      ['/ask/', 'GET'],
      ['/ask', 'HEAD'],
    ] as const)
      assert.equal((await ask(path, {}, method)).headers.get('x-way'), 'usual', `${method} ${path}`);
  });

  it('reads parameters and queries as the usual way does', async () => {
    const readable = ['/echo/a%20b%2Fc?x=1&x=2&y=%C3%A9&z', '/echo/%E2%82%AC?=1', '/echo/a+b?q=a+b'];
    const broken = ['/echo/a?q=%ff', '/echo/a?q=%zz&%c3=1', '/echo/a?a==b&&c', '/echo/a?constructor=1&__proto__=2'];
    for (const path of [...readable, ...broken]) {
      const [fast, usual] = [await (await ask(path)).json(), await (await ask(path.replace('?', '/?'))).json()];
      assert.deepEqual(fast, usual, path);
    }
    for (const path of ['/echo/%', '/echo/a%00b', `/echo/${'a'.repeat(1100)}`]) assert.ok((await ask(path)).status >= 400, path);
  });

  it('leaves refusals to the usual way: no caller, a bad one, a fault of the handler', async () => {
    for (const headers of [{ 'X-Auth-Token': 'bad' }, { 'X-Fail': 'yes' }]) {
      const [here, there] = [await ask('/ask', headers), await ask('/ask/', headers)];
      assert.ok(here.status >= 400);
      assert.deepEqual([here.status, await here.text()], [there.status, await there.text()]);
    }
  });

  it('waits for what cannot be answered at once', async () => {
    assert.equal((await ask('/ask', { 'X-Auth-Token': 'slow' })).headers.get('x-way'), 'fast');
    const asked = calls;
    later = Promise.resolve(new Answer({ text: '{"way":"later","caller":"ann"}' }));
    assert.deepEqual(await (await ask()).json(), { way: 'later', caller: 'ann' });
    assert.equal(calls - asked, 1, 'and does not ask again');
    later = Promise.reject(new Error('later'));
    later.catch(() => {});
    assert.equal((await ask()).status, 500);
    later = undefined;
  });

  it('leaves to the usual way what needs more of the request', async () => {
    assert.deepEqual(await (await ask('/needs-path')).json(), { path: '/needs-path' });
  });

  it('counts its requests once, and asks once', async () => {
    const [before, asked] = [times.GET, calls];
    await (await ask()).text();
    assert.deepEqual([times.GET - before, calls - asked], [1, 1]);
  });

  it('is closed while every request is logged', async () => {
    level = 'debug';
    assert.equal((await ask()).headers.get('x-way'), 'usual');
    level = 'info';
    assert.equal((await ask()).headers.get('x-way'), 'fast');
  });
});
