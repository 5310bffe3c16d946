import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createRemoteJWKSet, exportJWK, generateKeyPair, customFetch as joseFetch, jwtVerify, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { createOutbound, guardedFetch, OutboundError, type OutboundOutcome, type OutboundRequest } from './index.ts';

/** Self-signed, for localhost, 127.0.0.1 and issuer.example, until 2099. Protects nothing. */
const CERTIFICATE =
  'MIIBeDCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA5OTEyMzEyMzU5NTlaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE1j6AGKVUgo2FcuFFm+OHvoP0D5vTyPuxA05+tcwW7LIpYGNnNflXEVljgt7ALz5EPbj66MrvPfM9Te9A83VYCjXjBcMA8GA1UdEwEB/wQFMAMBAf8wKgYDVR0RBCMwIYIJbG9jYWxob3N0hwR/AAABgg5pc3N1ZXIuZXhhbXBsZTAdBgNVHQ4EFgQUbJdYDuY2nj/5OnLuuX8y2jUHkJgwCgYIKoZIzj0EAwIDSQAwRgIhAInbQqoY0C2ibnezJjG/wJa0IP+5+XIkqNowP+V2gZl+AiEAuGjZL5eM00B7I57D810arWnpwh6ynMbjh6of0/11ttE=';
const KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbGbRQAS8Xr02FVcpJbMHOL1VyLEXWh08XGCNp4HlxeChRANCAARNY+gBilVIKNhXLhRZvjh76D9A+b08j7sQNOfrXMFuyyKWBjZzX5VxFZY4LewC8+RD24+ujK7z3zPU3vQPN1WA';
const pem = (label: string, text: string): string => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Echoes the request; some paths have special answers. */
function echo(): HttpServer {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://any');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (pathname === '/status') return response.writeHead(Number(searchParams.get('is'))).end();
    if (pathname === '/redirect') return response.writeHead(302, { Location: '/elsewhere' }).end('moved');
    if (pathname === '/type') {
      const type = searchParams.get('is');
      return response.writeHead(Number(searchParams.get('status') ?? 200), type ? { 'Content-Type': type } : {}).end('{}');
    }
    if (pathname === '/length') return response.end('x'.repeat(Number(searchParams.get('is'))));
    if (pathname === '/many') {
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.appendHeader('Link', '<one>').appendHeader('Link', '<two>');
      return response.end('many');
    }
    if (pathname === '/silent') return undefined;
    if (pathname === '/.well-known/openid-configuration') {
      const metadata = { issuer: base, token_endpoint: `${base}/token`, jwks_uri: `${base}/jwks` };
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(metadata));
    }
    if (pathname === '/token') {
      const form = new URLSearchParams(await textOf(request));
      const token = { access_token: form.get('scope'), token_type: 'bearer' };
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(token));
    }
    const { method, rawHeaders, headers, url } = request;
    return response.end(JSON.stringify({ method, url, rawHeaders, headers, body: await textOf(request) }));
  });
  return server;
}

const fails = (kind: string, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutboundError, String(error));
  assert.equal(error.kind, kind, error.message);
  if (message) assert.match(error.message, message);
  return true;
};

describe('Outgoing calls', () => {
  const server = echo();
  let base: string;
  let host: string;
  before(async () => {
    host = `127.0.0.1:${await portOf(server)}`;
    base = `http://${host}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const call = (path: string, more: Partial<OutboundRequest> = {}) =>
    createOutbound([host])({ method: 'GET', url: `${base}${path}`, ...more });
  const echoed = async (more: Partial<OutboundRequest> = {}) => JSON.parse((await call('/echo?a=b', more)).body.toString());

  it('reach what was allowed, and no other port of it', async () => {
    const answer = await call('/', { method: 'POST', body: 'hello' });
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(answer.body.toString()).body, 'hello');
    await assert.rejects(createOutbound([host])({ method: 'GET', url: 'http://127.0.0.1:1/' }), fails('blocked', /only https/));
  });

  it('reach every port of a host that was allowed without one, however the entry is written', async () => {
    const lookup = (_: string, __: object, answer: (error: null, addresses: LookupAddress[]) => void) =>
      answer(null, [{ address: '127.0.0.1', family: 4 }]);
    const port = host.split(':')[1];
    for (const [entry, name] of [
      ['127.0.0.1', '127.0.0.1'],
      ['2130706433', '127.0.0.1'],
      ['LocalHost', 'localhost'],
      ['localhost.', 'localhost'],
      ['localhost', 'LOCALHOST.'],
      [`Büro.example:${port}`, 'xn--bro-hoa.example'],
    ] as const) {
      const { status } = await createOutbound([entry], { lookup })({ method: 'GET', url: `http://${name}:${port}/` });
      assert.equal(status, 200, entry);
    }
  });

  it('know IPv6 entries with and without a port', async () => {
    // Nothing listens there, and the machine may have no IPv6. The error shows whether the call was permitted.
    const kindWith = (allow: readonly string[]) =>
      createOutbound(allow)({ method: 'GET', url: 'http://[::1]:1/' }).then(
        () => 'answered',
        (error: OutboundError) => error.kind,
      );
    for (const entry of ['::1', '[::1]', '[::1]:1', '0:0::1']) assert.equal(await kindWith([entry]), 'failed', entry);
    for (const entry of ['[::1]:2', '::2']) assert.equal(await kindWith([entry]), 'blocked', entry);
  });

  it('are not made at all with an allow list that cannot be read', () => {
    for (const entry of ['http://localhost', 'a/b', 'me@localhost', 'localhost:', ':80', 'a:b', '', 'a?b', 'a b'])
      assert.throws(() => createOutbound([entry]), /is not host or host:port/, entry);
  });

  it('send what they were given: method, query, headers, text and bytes', async () => {
    const got = await echoed({ headers: { 'X-Own': 'yes', Authorization: 'Bearer t' } });
    assert.deepEqual([got.method, got.url, got.body], ['GET', '/echo?a=b', '']);
    assert.deepEqual([got.headers['x-own'], got.headers.authorization], ['yes', 'Bearer t']);
    const text = await echoed({ method: 'POST', body: 'häuser', headers: { 'content-length': '1' } });
    assert.deepEqual([text.body, text.headers['content-length']], ['häuser', '7']);
    const bytes = await echoed({ method: 'POST', body: new TextEncoder().encode('bytes') });
    assert.deepEqual(
      [bytes.body, bytes.headers['content-length'], bytes.headers['transfer-encoding']],
      ['bytes', '5', undefined],
    );
    assert.equal((await echoed({ method: 'POST' })).headers['content-length'], '0');
  });

  it('do not identify the caller', async () => {
    const bland = await echoed();
    assert.deepEqual(Object.keys(bland.headers).sort(), ['accept-encoding', 'connection', 'host']);
    assert.deepEqual([bland.headers['accept-encoding'], bland.headers.connection], ['identity', 'close']);
    const unasked = {
      'User-Agent': 'jose/6',
      Cookie: 'a=b',
      Host: 'other',
      'accept-encoding': 'gzip',
      Connection: 'upgrade',
      Upgrade: 'x',
    };
    const got = await echoed({ headers: unasked });
    assert.deepEqual(Object.keys(got.headers).sort(), ['accept-encoding', 'connection', 'host']);
    assert.deepEqual([got.headers.host, got.headers['accept-encoding'], got.headers.connection], [host, 'identity', 'close']);
  });

  it('keep no cookies', async () => {
    const outbound = createOutbound([host]);
    assert.deepEqual((await outbound({ method: 'GET', url: `${base}/many` })).headers['set-cookie'], ['a=1', 'b=2']);
    const next = await outbound({ method: 'GET', url: `${base}/echo` });
    assert.equal(JSON.parse(next.body.toString()).headers.cookie, undefined);
  });

  it('are GET or POST', async () => {
    await assert.rejects(call('/', { method: 'DELETE' as never }), fails('blocked'));
  });

  it('answer redirects and errors as they are', async () => {
    const moved = await call('/redirect');
    assert.deepEqual([moved.status, moved.headers.location, moved.body.toString()], [302, '/elsewhere', 'moved']);
    for (const status of [204, 304, 400, 404, 500, 503]) assert.equal((await call(`/status?is=${status}`)).status, status);
  });

  it('read up to the size limit, and not a byte more', async () => {
    assert.equal((await call('/length?is=1000', { maxBytes: 1000 })).body.length, 1000);
    await assert.rejects(call('/length?is=1001', { maxBytes: 1000 }), fails('too-large'));
    assert.equal((await call('/length?is=1048576')).body.length, 1048576);
    await assert.rejects(call('/length?is=1048577'), fails('too-large'));
  });

  it('read an answer that ends with its connection', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write('HTTP/1.0 200 OK\r\n\r\nall ', () => setTimeout(() => socket.end('of it'), 10)));
    });
    const url = `http://127.0.0.1:${await portOf(tcp)}/`;
    const answer = await createOutbound(['127.0.0.1'])({ method: 'GET', url });
    assert.equal(answer.body.toString(), 'all of it');
    tcp.close();
  });

  it('take only the media types that were asked for, when they succeed', async () => {
    const accept = ['application/json', 'application/jwt'];
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/jwt'])
      assert.equal((await call(`/type?is=${encodeURIComponent(type)}`, { accept })).status, 200, type);
    for (const type of ['text/html', 'application/jsonp', 'text/html; application/json', ''])
      await assert.rejects(call(`/type?is=${encodeURIComponent(type)}`, { accept }), fails('failed', /another type/), type);
    assert.equal((await call('/type?is=text/html&status=404', { accept })).status, 404);
    assert.equal((await call('/type?is=text/html')).status, 200);
    assert.equal((await call('/type?is=application/json', { accept })).status, 200);
    const sent = await call('/type?is=application/json', { accept, headers: { accept: 'x/y' } });
    assert.equal(sent.status, 200);
  });

  it('say which media types they take, unless the caller does', async () => {
    const heard: (string | undefined)[] = [];
    const listener = createServer((request, response) => {
      heard.push(request.headers.accept);
      response.setHeader('Content-Type', 'a/b').end();
    });
    const url = `http://127.0.0.1:${await portOf(listener)}/`;
    const outbound = createOutbound(['127.0.0.1']);
    await outbound({ method: 'GET', url, accept: ['a/b', 'c/d'] });
    await outbound({ method: 'GET', url, accept: ['a/b'], headers: { accept: 'e/f' } });
    await outbound({ method: 'GET', url });
    assert.deepEqual(heard, ['a/b, c/d', 'e/f', undefined]);
    listener.close();
  });

  it('fail with the error code, the cause, and no address except the given one', async () => {
    const closed = createTcpServer();
    const port = await portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    const lookup = (_: string, __: object, answer: (error: null, addresses: LookupAddress[]) => void) =>
      answer(null, [{ address: '127.0.0.1', family: 4 }]);
    const url = `http://inner.example:${port}/path?token=secret`;
    await assert.rejects(createOutbound(['inner.example'], { lookup })({ method: 'GET', url }), (error: OutboundError) => {
      assert.equal(error.message, 'calling inner.example failed: ECONNREFUSED');
      return fails('failed')(error) && error.cause instanceof Error;
    });
  });

  it('fail when a name has no address', async () => {
    const lookup = (_: string, __: object, answer: (error: NodeJS.ErrnoException, addresses: LookupAddress[]) => void) =>
      answer(Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example'), { code: 'ENOTFOUND' }), []);
    const answer = createOutbound([], { lookup })({ method: 'GET', url: 'https://nowhere.example/' });
    await assert.rejects(answer, fails('failed', /nowhere\.example failed: ENOTFOUND/));
  });

  it('fail when headers cannot be sent', async () => {
    await assert.rejects(call('/', { headers: { 'X-Own': 'a\r\nHost: b' } }), fails('failed', /ERR_INVALID_CHAR/));
  });

  it('fail when the other side hangs up, whenever it does', async () => {
    const endings: ((socket: Socket) => void)[] = [
      (socket) => socket.destroy(),
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf'),
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      (socket) => socket.end('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n'),
      (socket) => socket.end('nonsense\r\n\r\n'),
    ];
    for (const [index, ending] of endings.entries()) {
      const tcp = createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => ending(socket));
      });
      const url = `http://127.0.0.1:${await portOf(tcp)}/`;
      await assert.rejects(createOutbound(['127.0.0.1'])({ method: 'GET', url }), fails('failed'), String(index));
      tcp.close();
    }
  });

  it('call a body function once, and only when connected', async () => {
    const made: string[] = [];
    const body = async () => {
      made.push('made');
      return 'ümlaut';
    };
    const { body: seen } = await call('/', { method: 'POST', body });
    const { body: text, headers } = JSON.parse(seen.toString());
    assert.deepEqual([text, headers['content-length'], made.length], ['ümlaut', '7', 1]);
    await assert.rejects(call('/', { method: 'POST', url: `https://${host}/`, body }), fails('failed'));
    await assert.rejects(call('/', { method: 'POST', url: 'https://10.0.0.1/', body }), fails('blocked'));
    assert.equal(made.length, 1);
    const broken = new Error('cannot be made');
    await assert.rejects(call('/', { method: 'POST', body: () => Promise.reject(broken) }), ({ cause }) => cause === broken);
  });

  it('end when the caller gives up', async () => {
    const controller = new AbortController();
    const silent = call('/silent', { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(silent, fails('failed', /given up/));
    await assert.rejects(call('/', { signal: AbortSignal.abort() }), fails('failed', /given up/));
    await assert.rejects(call('/silent', { signal: AbortSignal.timeout(20) }), fails('timeout', /given up/));
    await assert.rejects(call('/silent', { timeoutMs: 20 }), fails('timeout'));
  });

  it('are counted by kind and outcome', async () => {
    const seen: [string, OutboundOutcome][] = [];
    const outbound = createOutbound([host], { onRequest: (kind, outcome) => void seen.push([kind, outcome]) });
    const ask = (path: string, more: Partial<OutboundRequest> = {}) =>
      outbound({ method: 'GET', url: `${base}${path}`, ...more }).catch(() => undefined);
    await ask('/');
    await ask('/status?is=500', { kind: 'did' });
    await ask('/silent', { kind: 'did', timeoutMs: 20 });
    await ask('/length?is=2', { kind: 'status-list', maxBytes: 1 });
    await ask('', { kind: 'did', url: 'https://10.0.0.1/' });
    await ask('', { kind: 'did', url: 'not a URL' });
    assert.deepEqual(seen, [
      ['other', 'ok'],
      ['did', 'ok'],
      ['did', 'timeout'],
      ['status-list', 'failed'],
      ['did', 'blocked'],
      ['did', 'blocked'],
    ]);
  });

  describe('by TLS', () => {
    const tls = createTlsServer({ cert: pem('CERTIFICATE', CERTIFICATE), key: pem('PRIVATE KEY', KEY) }, (_, response) =>
      response.end('secure'),
    );
    const lookup = (_: string, __: object, answer: (error: null, addresses: LookupAddress[]) => void) =>
      answer(null, [{ address: '127.0.0.1', family: 4 }]);
    let port: number;
    const ask = (name: string) => createOutbound([name], { lookup })({ method: 'GET', url: `https://${name}:${port}/` });
    before(async () => {
      port = await portOf(tls);
    });
    after(() => {
      setDefaultCACertificates(getCACertificates('bundled'));
      tls.close();
    });

    it('fail when the certificate is not trusted, also for what is allowed', async () => {
      await assert.rejects(ask('127.0.0.1'), fails('failed', /DEPTH_ZERO_SELF_SIGNED_CERT/));
    });

    it('fail when the certificate is for another name, and succeed when it is for this one', async () => {
      setDefaultCACertificates([pem('CERTIFICATE', CERTIFICATE)]);
      for (const name of ['localhost', '127.0.0.1', 'issuer.example', 'issuer.example.'])
        assert.equal((await ask(name)).body.toString(), 'secure', name);
      await assert.rejects(ask('other.example'), fails('failed', /ERR_TLS_CERT_ALTNAME_INVALID/));
    });
  });

  describe('as a fetch function', () => {
    const guarded = (defaults = {}) => guardedFetch(createOutbound([host]), defaults);
    const heard = async (input: string | URL | Request, init?: RequestInit) =>
      (await guarded()(input, init)).json() as Promise<any>;

    it('take a text, a URL, a Request, and an init that overrides it', async () => {
      assert.equal((await heard(`${base}/a`)).url, '/a');
      assert.equal((await heard(new URL(`${base}/b`))).url, '/b');
      const request = new Request(`${base}/c`, { method: 'POST', headers: { 'X-Own': 'one' }, body: 'text' });
      const plain = await heard(request.clone());
      assert.deepEqual([plain.method, plain.url, plain.headers['x-own'], plain.body], ['POST', '/c', 'one', 'text']);
      const other = await heard(request, { headers: { 'X-Own': 'two' }, body: 'other' });
      assert.deepEqual([other.method, other.headers['x-own'], other.body], ['POST', 'two', 'other']);
    });

    it('take every kind of body, with the type that goes with it', async () => {
      const form = await heard(`${base}/`, { method: 'post', body: new URLSearchParams({ a: 'b c' }) });
      assert.deepEqual([form.method, form.body], ['POST', 'a=b+c']);
      assert.equal(form.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8');
      const bytes = await heard(`${base}/`, { method: 'POST', body: new TextEncoder().encode('bytes') });
      assert.deepEqual([bytes.body, bytes.headers['content-type']], ['bytes', undefined]);
      const typed = await heard(`${base}/`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
      assert.deepEqual([typed.body, typed.headers['content-type']], ['{}', 'application/json']);
    });

    it('answer with status, headers, body and URL', async () => {
      const many = await guarded()(`${base}/many#fragment`);
      assert.deepEqual([many.status, many.ok, many.url, await many.text()], [200, true, `${base}/many`, 'many']);
      assert.deepEqual(many.headers.getSetCookie(), ['a=1', 'b=2']);
      assert.equal(many.headers.get('link'), '<one>, <two>');
      for (const status of [204, 205, 304, 404]) assert.equal((await guarded()(`${base}/status?is=${status}`)).status, status);
    });

    it('follow no redirect', async () => {
      for (const redirect of ['follow', 'manual'] as const)
        assert.equal((await guarded()(`${base}/redirect`, { redirect })).status, 302, redirect);
      await assert.rejects(guarded()(`${base}/redirect`, { redirect: 'error' }), TypeError);
    });

    it('have the configured limits, and are guarded', async () => {
      await assert.rejects(guarded({ maxBytes: 10 })(`${base}/length?is=11`), fails('too-large'));
      await assert.rejects(guarded({ timeoutMs: 20 })(`${base}/silent`), fails('timeout'));
      await assert.rejects(guarded()('https://10.0.0.1/'), fails('blocked'));
      await assert.rejects(guarded()(`http://me:secret@${host}/`), fails('blocked', /credentials/));
      await assert.rejects(guarded()('/relative'), fails('blocked'));
      await assert.rejects(guarded()(`${base}/`, { method: 'DELETE' }), fails('blocked'));
      const kinds: string[] = [];
      await guardedFetch(createOutbound([host], { onRequest: (kind) => void kinds.push(kind) }), { kind: 'jwks' })(`${base}/`);
      assert.deepEqual(kinds, ['jwks']);
    });

    it('end with the reason of the signal, of the init or of the Request', async () => {
      await assert.rejects(guarded()(`${base}/`, { signal: AbortSignal.abort() }), { name: 'AbortError' });
      await assert.rejects(guarded()(`${base}/silent`, { signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('enough')), 20);
      await assert.rejects(guarded()(new Request(`${base}/silent`, { signal: controller.signal })), /enough/);
    });

    it('serve openid-client', async () => {
      const options = { [openid.customFetch]: guarded(), execute: [openid.allowInsecureRequests] };
      const config = await openid.discovery(new URL(base), 'me', 'secret', undefined, options as never);
      assert.equal(config.serverMetadata().issuer, base);
      assert.equal((await openid.clientCredentialsGrant(config, { scope: 'mine' })).access_token, 'mine');
      const strict = { [openid.customFetch]: guardedFetch(createOutbound([])), execute: [openid.allowInsecureRequests] };
      await assert.rejects(openid.discovery(new URL(base), 'me', 'secret', undefined, strict as never), (error: Error) =>
        fails('blocked')(error.cause),
      );
    });

    it('serve jose', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      let agent: string | undefined;
      const keys = createServer(async (request, response) => {
        agent = request.headers['user-agent'];
        response.end(JSON.stringify({ keys: [await exportJWK(publicKey)] }));
      });
      const url = new URL(`http://127.0.0.1:${await portOf(keys)}/`);
      const set = createRemoteJWKSet(url, { [joseFetch]: guardedFetch(createOutbound(['127.0.0.1'])) });
      const token = await new SignJWT({ sub: 'me' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      assert.equal((await jwtVerify(token, set)).payload.sub, 'me');
      assert.equal(agent, undefined);
      keys.close();
      const silent = createRemoteJWKSet(new URL(`${base}/silent`), { [joseFetch]: guarded(), timeoutDuration: 20 });
      await assert.rejects(jwtVerify(token, silent), { code: 'ERR_JWKS_TIMEOUT' });
    });
  });
});
