// Requests that no library would send, to both services: each gets an answer in the error format of the service.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onDatabase } from './support/api.ts';
import { type RawAnswer, RawConnection, rawRequest } from './support/raw.ts';
import { onWallet } from './support/wallet.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK', 'M-SEARCH'];
const TYPES = [
  '',
  'Content-Type: application/json\r\n',
  'Content-Type: application/scim+json\r\n',
  'Content-Type: application/x-www-form-urlencoded\r\n',
  'Content-Type: nonsense\r\n',
];
const BODIES = {
  nothing: '\r\n',
  'a length of 0': 'Content-Length: 0\r\n\r\n',
  'no chunk': 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'some bytes': 'Content-Length: 3\r\n\r\na=b',
  'a chunk': 'Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n',
};

/** Every method, content type and kind of body; one persistent connection per method. */
async function* everyForm(url: string, path: string): AsyncGenerator<{ form: string; method: string; answer: RawAnswer }> {
  for (const method of METHODS) {
    let connection = await RawConnection.open(url);
    for (const type of TYPES) {
      for (const [name, body] of Object.entries(BODIES)) {
        const form = `${method} ${path} ${type.trim()} with ${name}`;
        connection.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${type}${body}`);
        const answer = await connection.answer({ head: method === 'HEAD' }).catch((error: Error) => {
          throw new Error(`${form}: ${error.message}`);
        });
        yield { form, method, answer };
        if (answer.headers.get('connection') === 'close') {
          connection.destroy();
          connection = await RawConnection.open(url);
        }
      }
    }
    connection.destroy();
  }
}

/** Bytes that are not a request, and the expected status. */
const UNREADABLE: readonly [string, string, number][] = [
  ['no HTTP', '\x16\x03\x01 this is no request\r\n\r\n', 400],
  ['HTTP/0.9', 'GET /\r\n\r\n', 400],
  ['a version nobody speaks', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
  ['a method that is none', 'B@D / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['a bad header', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['a length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a bad escape', 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', 405],
];

async function answersEach(url: string, isError: (answer: RawAnswer) => void): Promise<void> {
  for (const [name, bytes, status] of UNREADABLE) {
    const answer = await rawRequest(url, bytes).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`);
    });
    assert.equal(answer.status, status, name);
    isError(answer);
    if (name !== 'a bad escape') assert.equal(answer.headers.get('connection'), 'close', name);
  }
}

/** An unknown path is 404, whatever is wrong with the body. */
async function refusesAsMissing(url: string, path: string, isError: (answer: RawAnswer) => void): Promise<void> {
  for await (const { form, method, answer } of everyForm(url, path)) {
    assert.equal(answer.status, 404, form);
    if (method !== 'HEAD') isError(answer);
  }
}

onDatabase('SQLite', 'The identity service', {}, (api) => {
  const isKeystoneError = ({ status, headers, body }: RawAnswer): void => {
    assert.equal(headers.get('content-type'), 'application/json');
    assert.match(headers.get('x-openstack-request-id') ?? '', /^req-/);
    assert.equal(JSON.parse(body).error.code, status);
  };

  it('never leaves a request to an unknown path without an answer, nor looks at its body', async () => {
    await refusesAsMissing(api.url, '/v3/nowhere', isKeystoneError);
  });

  it('never leaves a request with an unknown method without an answer', async () => {
    const statuses: Readonly<Record<string, number>> = { GET: 401, HEAD: 401, OPTIONS: 200 };
    for await (const { form, method, answer } of everyForm(api.url, '/v3/auth/catalog'))
      assert.equal(answer.status, statuses[method] ?? 405, form);
  });

  it('never leaves a request to the OpenID provider without an answer', async () => {
    for (const path of ['/openid/token', '/openid/nowhere', '/account', '/v3/OS-OAUTH2/access_token'])
      for await (const { form, answer } of everyForm(api.url, path))
        assert.ok(answer.status >= 200 && answer.status < 500, `${form}: ${answer.status} ${answer.body}`);
  });

  it('never leaves a request to any kind of route without an answer', async () => {
    for (const path of ['/v3/users', '/v3/auth/tokens', '/scim/v2/Users', '/v3/OS-SCIM/v2/Users', '/'])
      for await (const { form, answer } of everyForm(api.url, path))
        assert.ok(answer.status >= 200 && answer.status < 500, `${form}: ${answer.status} ${answer.body}`);
  });

  it('answers what is no request in its own error format, and closes', () => answersEach(api.url, isKeystoneError));

  it('answers a form that is too large before it ends the connection', async () => {
    const form = `form_token=${'x'.repeat(100_000)}`;
    for (const [path, type] of [
      ['/openid/authorize', 'application/x-www-form-urlencoded'],
      ['/v3/OS-OAUTH2/access_token', 'application/json'],
    ]) {
      const answer = await rawRequest(
        api.url,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      );
      assert.equal(answer.status, 413, `${path} ${answer.body}`);
    }
  });
});

onWallet('SQLite', 'The wallet node', {}, (wallet) => {
  const isProblem = ({ status, headers, body }: RawAnswer): void => {
    assert.equal(headers.get('content-type'), 'application/problem+json');
    const problem = JSON.parse(body);
    assert.equal(problem.status, status);
    assert.equal(problem.instance, headers.get('x-request-id'));
    assert.ok(problem.code && problem.detail, body);
  };

  it('never leaves a request to an unknown path without an answer, nor looks at its body', async () => {
    await refusesAsMissing(wallet.url, '/api/v1/nowhere', isProblem);
  });

  it('never leaves a request to a route without an answer', async () => {
    for (const path of ['/api/v1/wallet/keys', '/api/v1/auth/logout', '/healthz', '/dids/a/did.json'])
      for await (const { form, answer } of everyForm(wallet.url, path))
        assert.ok(answer.status >= 200 && answer.status < 500, `${form}: ${answer.status} ${answer.body}`);
  });

  it('answers what is no request in its own error format, and closes', () => answersEach(wallet.url, isProblem));

  it('repeats no foreign host in the Link header of a list', async () => {
    const person = await wallet.logIn();
    await person.make('keys');
    await person.make('keys');
    const request = `GET /api/v1/wallet/keys?limit=1 HTTP/1.1\r\nHost: evil.example\r\nCookie: ${person.cookie}\r\n\r\n`;
    const { status, headers } = await rawRequest(wallet.url, request);
    assert.equal(status, 200);
    assert.ok(headers.get('link')!.startsWith(`<${wallet.publicUrl}/api/v1/wallet/keys?`), headers.get('link'));
  });
});

const HSTS = /^max-age=\d{8}$/;
const fromElsewhere = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: evil.example\r\n${headers}\r\n`;

const identitySettings = { GATEHOUSE_IDENTITY_URL: 'https://id.example.org' };
onDatabase('SQLite', 'The identity service with a public address', { settings: identitySettings }, (api) => {
  it('repeats no foreign host, in links, headers or pages', async () => {
    const token = `X-Auth-Token: ${api.adminToken}\r\n`;
    for (const [path, headers] of [
      ['/v3/users?limit=1', token],
      ['/v3/users?limit=1', ''],
      ['/v3', ''],
      ['/scim/v2/Users?count=1', token],
      ['/.well-known/openid-configuration', ''],
      ['/openid/device', ''],
      ['/account', ''],
      ['/nowhere', ''],
    ]) {
      const answer = await rawRequest(api.url, fromElsewhere(path!, headers));
      assert.doesNotMatch(JSON.stringify([...answer.headers, answer.body]), /evil/, path);
    }
  });

  it('tells browsers to stay with https on every answer', async () => {
    for (const request of ['/v3', '/nowhere', '/account', '/openid/nowhere', '/.well-known/openid-configuration'].map((path) =>
      fromElsewhere(path),
    ))
      assert.match((await rawRequest(api.url, request)).headers.get('strict-transport-security') ?? '', HSTS, request);
  });
});

const walletSettings = { GATEHOUSE_WALLET_URL: 'https://wallet.example.org' };
onWallet('SQLite', 'The wallet node with a public address', { settings: walletSettings }, (wallet) => {
  it('tells browsers to stay with https on every answer', async () => {
    for (const request of [
      ...['/healthz', '/nowhere', '/api/v1/wallet/keys'].map((path) => fromElsewhere(path)),
      'no request\r\n\r\n',
    ])
      assert.match((await rawRequest(wallet.url, request)).headers.get('strict-transport-security') ?? '', HSTS, request);
  });
});
