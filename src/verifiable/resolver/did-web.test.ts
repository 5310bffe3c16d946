import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Outbound, OutboundError, type OutboundRequest } from '../../platform/outbound/index.ts';
import { didWebOf, fetchDidWeb, webUrlOf } from './did-web.ts';

const DID = 'did:web:example.com';

interface Answer {
  status?: number;
  type?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
}

const answering =
  (
    { status = 200, type = 'application/did+json', headers = {}, body = { id: DID } }: Answer,
    asked: OutboundRequest[] = [],
  ): Outbound =>
  async (request) => {
    asked.push(request);
    const text = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return { status, headers: { ...(type && { 'content-type': type }), ...headers }, body: text };
  };

const fetched = (answer: Answer, did = DID) => fetchDidWeb(answering(answer), did, {});

describe('the address of a did:web', () => {
  it('is that of the examples of the specification', () => {
    const examples = {
      'did:web:w3c-ccg.github.io': 'https://w3c-ccg.github.io/.well-known/did.json',
      'did:web:w3c-ccg.github.io:user:alice': 'https://w3c-ccg.github.io/user/alice/did.json',
      'did:web:example.com%3A3000': 'https://example.com:3000/.well-known/did.json',
      'did:web:example.com%3A3000:user:alice': 'https://example.com:3000/user/alice/did.json',
    };
    for (const [did, url] of Object.entries(examples)) assert.equal(webUrlOf(did), url);
  });

  it('keeps in the path what is encoded, encoded', () => {
    assert.equal(webUrlOf('did:web:example.com:J%C3%BCrgen:a%20b'), 'https://example.com/J%C3%BCrgen/a%20b/did.json');
    assert.equal(webUrlOf('did:web:example.com:a%3ab:%40c'), 'https://example.com/a%3Ab/%40c/did.json');
    assert.equal(webUrlOf('did:web:EXAMPLE.com%3a3000:Alice'), 'https://example.com:3000/Alice/did.json');
  });

  it('is plain http only for hosts of the list', () => {
    const insecureHosts = ['localhost:8080', 'Wallet'];
    assert.equal(webUrlOf('did:web:localhost%3A8080:dids:a', { insecureHosts }), 'http://localhost:8080/dids/a/did.json');
    assert.equal(webUrlOf('did:web:localhost%3A8081', { insecureHosts }), 'https://localhost:8081/.well-known/did.json');
    assert.equal(webUrlOf('did:web:localhost', { insecureHosts }), 'https://localhost/.well-known/did.json');
    for (const [did, at] of Object.entries({ 'did:web:wallet': 'wallet', 'did:web:wallet%3A8443': 'wallet:8443' }))
      assert.equal(webUrlOf(did, { insecureHosts }), `https://${at}/.well-known/did.json`);
    assert.equal(webUrlOf('did:web:wallet%3A80', { insecureHosts }), 'http://wallet:80/.well-known/did.json');
    assert.equal(webUrlOf('did:web:wallet.example', { insecureHosts }), 'https://wallet.example/.well-known/did.json');
  });

  const hostile: Record<string, readonly string[]> = {
    'an IP address': [
      'did:web:127.0.0.1',
      'did:web:127.0.0.1%3A8080',
      'did:web:127.1',
      'did:web:0x7f.1',
      'did:web:0x7f000001',
      'did:web:2130706433',
      'did:web:017700000001',
      'did:web:1.2.3.4.',
      'did:web:%5B%3A%3A1%5D',
      'did:web:%5B::1%5D',
      'did:web:::1',
      'did:web:example.1',
    ],
    'userinfo, and what looks like it': [
      'did:web:user%40example.com',
      'did:web:user%3Apass%40example.com',
      'did:web:user@example.com',
    ],
    'a host with a path, a query or a fragment in it': [
      'did:web:example.com%2Fa',
      'did:web:example.com%3Fa',
      'did:web:example.com%23a',
      'did:web:example.com%5Ca',
    ],
    'what is no host name': [
      'did:web:',
      'did:web:-example.com',
      'did:web:example-.com',
      'did:web:example..com',
      'did:web:example.com.',
      'did:web:.example.com',
      'did:web:a_b.example',
      'did:web:ex%C3%A4mple.com',
      'did:web:example%2Ecom%00',
      'did:web:example%20.com',
      `did:web:${'a'.repeat(64)}.com`,
      `did:web:${'a.'.repeat(127)}com`,
    ],
    'a bad port': ['', '0', '65536', '99999999', '080', '-1', '80%3A80', 'x', '%2080'].map(
      (port) => `did:web:example.com%3A${port}`,
    ),
    'a path that leaves its place': [
      'did:web:example.com:..:secret',
      'did:web:example.com:.:a',
      'did:web:example.com:%2e%2e:a',
      'did:web:example.com:%2E',
      'did:web:example.com:%252e%252e:a',
      'did:web:example.com:a%2Fb',
      'did:web:example.com:a%5Cb',
      'did:web:example.com:..%2f..',
      'did:web:example.com::a',
      'did:web:example.com:a:',
      'did:web:example.com:a%00',
      'did:web:example.com:a%0d%0ab',
      'did:web:example.com:a%3Fb=c',
      'did:web:example.com:a%23b',
    ],
    'bad percent-encoding': ['did:web:example.com:%', 'did:web:example.com:%zz', 'did:web:example.com:%ff', 'did:web:%c0%ae'],
    'a DID URL, and another method': [
      'did:web:example.com/path',
      'did:web:example.com?a=b',
      'did:web:example.com#key',
      'did:key:example.com',
      'DID:web:example.com',
      'https://example.com',
      ' did:web:example.com',
      'did:web:example.com\n',
      '',
    ],
  };
  for (const [name, dids] of Object.entries(hostile)) {
    it(`is refused for ${name}`, () => {
      for (const did of dids)
        assert.throws(() => webUrlOf(did), { name: 'ResolutionError', code: 'invalidDid' }, JSON.stringify(did));
    });
  }

  it('never leads to another host than the one named, whatever comes', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('..', '.', '%2e', '%2f', '@evil.example', '#', '?', '\\', '%00', 'a', '%3A80', ''),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        let url: URL;
        try {
          url = new URL(webUrlOf(`did:web:example.com:${pieces.join(':')}`));
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'invalidDid');
          return;
        }
        assert.equal(url.host, 'example.com');
        assert.equal(url.search + url.hash + url.username, '');
        assert.ok(url.pathname.endsWith('/did.json') && !url.pathname.includes('//'));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the did:web of an address', () => {
  it('encodes what would be mistaken', () => {
    assert.equal(didWebOf('wallet.example'), 'did:web:wallet.example');
    assert.equal(didWebOf('Wallet.example', 'dids', 'acme'), 'did:web:wallet.example:dids:acme');
    assert.equal(didWebOf('localhost:8080'), 'did:web:localhost%3A8080');
    assert.equal(didWebOf('wallet.example', "it's (a) ~ü*!"), 'did:web:wallet.example:it%27s%20%28a%29%20%7E%C3%BC%2A%21');
  });

  it('leads back to it', () => {
    const segment = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/[/\\?#%\p{Cc}]/u.test(text) && !/^\.\.?$/.test(text));
    fc.assert(
      fc.property(
        fc.domain(),
        fc.option(fc.integer({ min: 1, max: 65_535 })),
        fc.array(segment, { minLength: 1 }),
        (host, port, path) => {
          const url = new URL(webUrlOf(didWebOf(port ? `${host}:${port}` : host, ...path)));
          assert.equal(url.hostname, host.toLowerCase());
          assert.equal(url.port, port && port !== 443 ? String(port) : '');
          assert.deepEqual(url.pathname.split('/').slice(1, -1).map(decodeURIComponent), path);
        },
      ),
    );
  });

  it('is refused when it could not be resolved', () => {
    for (const args of [
      [''],
      ['127.0.0.1'],
      ['[::1]:80'],
      ['https://a.example'],
      ['a.example/x'],
      ['a.example', ''],
      ['a.example', '..'],
    ] as const)
      assert.throws(() => didWebOf(args[0], ...args.slice(1)), { code: 'invalidDid' }, args.join());
  });
});

describe('the document of a did:web', () => {
  it('is asked for by GET, as a DID document, for no more than 256 KiB', async () => {
    const asked: OutboundRequest[] = [];
    const { document } = await fetchDidWeb(answering({}, asked), DID, {});
    assert.deepEqual(document, { id: DID });
    const [request] = asked;
    assert.equal(request?.method, 'GET');
    assert.equal(request?.url, 'https://example.com/.well-known/did.json');
    assert.match(request?.headers?.Accept ?? '', /^application\/did\+json, /);
    assert.equal(request?.maxBytes, 256 * 1024);
  });

  it('may be of each of the three types, with parameters', async () => {
    for (const type of ['application/json', 'application/did+json', 'application/did+ld+json', 'Application/JSON; charset=utf-8'])
      assert.equal((await fetched({ type })).contentType, type.split(';')[0]?.toLowerCase());
  });

  it('is not there when the host says 404 or 410', async () => {
    for (const status of [404, 410])
      await assert.rejects(fetched({ status, type: 'text/html', body: 'no' }), { code: 'notFound' });
  });

  it('cannot be had when the host answers anything else', async () => {
    for (const status of [201, 204, 301, 302, 304, 401, 403, 429, 500, 503])
      await assert.rejects(fetched({ status, headers: { location: 'https://evil.example/' } }), { code: 'failed' });
  });

  it('cannot be had when the call fails, and is told without the reason', async () => {
    const outbound: Outbound = () => Promise.reject(new OutboundError('blocked', 'secret.internal is not a public address'));
    await assert.rejects(fetchDidWeb(outbound, DID, {}), (error: any) => {
      assert.equal(error.code, 'failed');
      assert.doesNotMatch(error.message, /internal/);
      assert.match(error.cause.message, /internal/);
      return true;
    });
  });

  const refused: Record<string, Answer> = {
    'of another type': { type: 'text/html' },
    'of a type that only begins alike': { type: 'application/jsonp' },
    'without a type': { type: '' },
    'that is no JSON': { body: '{' },
    'that is empty': { body: '' },
    'that is no UTF-8': { body: Buffer.from([0x7b, 0xff, 0x7d]) },
    'that is a list': { body: [{ id: DID }] },
    'that is null': { body: 'null' },
    'without an id': { body: {} },
    'of somebody else': { body: { id: 'did:web:example.org' } },
    'of the same host in other letters': { body: { id: 'did:web:EXAMPLE.com' } },
    'whose id is a list': { body: { id: [DID] } },
    'that is too large': { body: { id: DID, note: 'x'.repeat(256 * 1024) } },
    'that is too deep': { body: `{"id":"${DID}","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` },
  };
  for (const [name, answer] of Object.entries(refused)) {
    it(`is refused when it is one ${name}`, async () => {
      await assert.rejects(fetched(answer), { name: 'ResolutionError', code: 'invalidDidDocument' });
    });
  }

  it('is refused when the call was given up for its size', async () => {
    const outbound: Outbound = () => Promise.reject(new OutboundError('too-large', 'the answer is too large'));
    await assert.rejects(fetchDidWeb(outbound, DID, {}), { code: 'invalidDidDocument' });
  });

  it('may be kept as long as the host says', async () => {
    const ages: [headers: Record<string, string>, maxAge: number | undefined][] = [
      [{}, undefined],
      [{ 'cache-control': 'public' }, undefined],
      [{ 'cache-control': 'public, max-age=60' }, 60],
      [{ 'cache-control': 'max-age="60"' }, 60],
      [{ 'cache-control': 'Max-Age=60', age: '50' }, 10],
      [{ 'cache-control': 'max-age=60', age: '70' }, 0],
      [{ 'cache-control': 'max-age=60, max-age=30' }, 30],
      [{ 'cache-control': 'max-age=60, no-store' }, 0],
      [{ 'cache-control': 'no-cache' }, 0],
      [{ 'cache-control': 'max-age=-1' }, 0],
      [{ 'cache-control': 'max-age=soon' }, 0],
      [{ 'cache-control': 'x-max-age=1' }, undefined],
    ];
    for (const [headers, maxAge] of ages) assert.equal((await fetched({ headers })).maxAge, maxAge, JSON.stringify(headers));
    assert.equal((await fetched({ body: { id: DID, note: 'x'.repeat(40_000) } })).maxAge, 0);
  });
});
