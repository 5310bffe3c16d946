// The API document and the page that shows it, as both services serve them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { curlOf } from '../console/api/curl.ts';
import { type ApiDocument, entriesOf, search } from '../console/api/document.ts';
import { identityOpenApi, walletOpenApi } from '../src/openapi.ts';
import { onDatabase } from './support/api.ts';
import { onWallet } from './support/wallet.ts';

interface ServiceAddress {
  readonly url: string;
}

/** What anybody sees, without a token. */
function serves(service: () => ServiceAddress, make: (server: string) => unknown): void {
  const ask = (path: string, init: RequestInit = {}) => fetch(service().url + path, init);

  it('serves its document to everybody, with its own address', async () => {
    const answer = await ask('/openapi.json');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(make(service().url))));
    const etag = answer.headers.get('etag')!;
    assert.equal((await ask('/openapi.json', { headers: { 'If-None-Match': etag } })).status, 304);
    const head = await ask('/openapi.json', { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } });
    assert.deepEqual([head.status, head.headers.get('content-encoding')], [200, 'gzip']);
    assert.ok(Number(head.headers.get('content-length')) < 200_000);
  });

  it('shows it on a page with nothing of others in it', async () => {
    const page = await ask('/openapi');
    const policy = page.headers.get('content-security-policy')!;
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const text = await page.text();
    assert.doesNotMatch(text, /(?:src|href)="(?!\/)/);
    const files = [...text.matchAll(/(?:src|href)="(\/openapi\/files\/[^"]+)"/g)].map(([, path]) => path!);
    assert.ok(files.length > 5);
    for (const path of files) assert.equal((await ask(path)).status, 200, path);
    assert.match(await (await ask('/openapi', { headers: { 'Accept-Language': 'es' } })).text(), /<html lang="es">/);
  });

  it('refuses everything else there', async () => {
    for (const path of ['/openapi', '/openapi.json']) {
      const refused = await ask(path, { method: 'POST' });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    }
    for (const path of ['/openapi/files/x', '/openapi/files/../../package.json', '/openapi/other'])
      assert.equal((await ask(path)).status, 404, path);
  });
}

onDatabase('SQLite', 'The identity service', {}, (api) => serves(() => api, identityOpenApi));
onWallet('SQLite', 'The wallet node', {}, (wallet) => serves(() => wallet, walletOpenApi));

describe('The page of the API', () => {
  const document = identityOpenApi() as unknown as ApiDocument;
  const entries = entriesOf(document);
  const entryOf = (id: string) => entries.find(({ operation }) => operation.operationId === id)!;

  it('finds operations by words of their path, id, summary and tag', () => {
    const found = (text: string) => search(entries, text).map(({ operation }) => operation.operationId);
    assert.ok(found('create user').includes('createUser'));
    assert.deepEqual(found('POST /v3/auth/tokens log'), ['logIn']);
    assert.deepEqual(found('no such thing'), []);
    assert.equal(found('').length, entries.length);
  });

  it('writes a command that a shell takes as it is, without a secret in it', () => {
    const command = curlOf(entryOf('createUser'), document);
    assert.match(command, /^curl -i -X POST 'http:\/\/127\.0\.0\.1:5000\/v3\/users' \\\n {2}-H "X-Auth-Token: \$TOKEN"/);
    assert.match(command, /-d '\{"user":/);
    assert.match(curlOf(entryOf('getUser'), document), /\/v3\/users\/<user_id>'/);
    assert.match(curlOf(entryOf('validateToken'), document), /-H "X-Subject-Token: \$X_SUBJECT_TOKEN"/);
    assert.match(curlOf(entryOf('introspectToken'), document), /Content-Type: application\//);
    const quotes = structuredClone(entryOf('createUser')) as {
      operation: { requestBody: { content: Record<string, { example: unknown }> } };
    };
    quotes.operation.requestBody.content['application/json']!.example = { user: { name: "O'Neill; rm" } };
    assert.match(curlOf(quotes as never, document), /O'\\''Neill; rm/);
  });
});
