// Unknown paths and methods of the OpenID provider.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onDatabase } from '../../../../test/support/api.ts';
import { withoutSlash } from './index.ts';

const TOKEN = '/v3/OS-OAUTH2/access_token';

onDatabase('SQLite', 'The paths of the OpenID provider', {}, (api) => {
  it('answer 405 with Allow for a method they do not take, each in the shape of its errors', async () => {
    const refused: [string, string, string][] = [
      ['GET', '/openid/token', 'OPTIONS, POST'],
      ['GET', '/openid/token/', 'OPTIONS, POST'],
      ['GET', '/openid/introspect', 'OPTIONS, POST'],
      ['GET', '/openid/revoke', 'OPTIONS, POST'],
      ['GET', '/openid/par', 'OPTIONS, POST'],
      ['GET', '/openid/device/authorize', 'OPTIONS, POST'],
      ['GET', '/openid/backchannel', 'OPTIONS, POST'],
      ['GET', '/openid/logout/confirm', 'POST'],
      ['POST', '/openid/logout/success', 'GET, HEAD'],
      ['POST', '/openid/jwks', 'GET, HEAD, OPTIONS'],
      ['POST', '/openid/assets/style.css', 'GET, HEAD'],
      ['POST', '/openid/authorize/x', 'GET, HEAD'],
      ['OPTIONS', '/openid/authorize', 'GET, HEAD, POST'],
    ];
    for (const [method, path, allow] of refused) {
      const answer = await api.request(method, path, { token: null });
      assert.equal(answer.status, 405, path);
      assert.equal(answer.headers.get('allow'), allow, path);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      const error_description = 'The method is not allowed for the requested URL.';
      assert.deepEqual(answer.body, { error: 'invalid_request', error_description });
    }
    const head = await api.head('/openid/token', { token: null });
    assert.deepEqual([head.status, head.text], [405, '']);
  });

  it('refuse the code of a device that is given twice, instead of failing', async () => {
    for (const path of ['/openid/device', '/openid/device/', '/openid/device/.']) {
      const answer = await api.get(`${path}?user_code=ABCD&user_code=EFGH`, { token: null });
      assert.equal(answer.status, 400, path);
      assert.equal(answer.body.error, 'invalid_request');
    }
    // A single code is answered with a page.
    assert.equal((await fetch(`${api.url}/openid/device?user_code=ABCD`)).status, 200);
  });

  it('refuse a form without its session, instead of failing', async () => {
    for (const path of ['/openid/device', '/openid/logout/confirm'])
      for (const headers of [{}, { Cookie: 'gatehouse_session=nothing; gatehouse_session.sig=nothing' }]) {
        const answer = await fetch(api.url + path, { method: 'POST', body: new URLSearchParams({ xsrf: 'x' }), headers });
        assert.equal(answer.status, 400, path);
        assert.match(await answer.text(), /expired/);
      }
  });

  it("answer so also at Keyrock's token endpoint, and for the discovery document", async () => {
    for (const [method, path, allow] of [
      ['GET', TOKEN, 'OPTIONS, POST'],
      ['GET', `${TOKEN}/`, 'OPTIONS, POST'],
      ['GET', `${TOKEN}?grant_type=password`, 'OPTIONS, POST'],
      ['POST', '/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await api.request(method, path, { token: null });
      assert.equal(answer.status, 405, path);
      assert.equal(answer.headers.get('allow'), allow);
      const message = 'The method is not allowed for the requested URL.';
      assert.deepEqual(answer.body, { error: { code: 405, title: 'Method Not Allowed', message } });
    }
  });

  it('answer what they do take, with one slash more, too', async () => {
    for (const path of [TOKEN, `${TOKEN}/`, '/openid/token', '/openid/token/']) {
      const answer = await api.post(path, {}, { token: null });
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], path);
    }
    for (const path of ['/openid/jwks', '/openid/jwks/', '/.well-known/openid-configuration'])
      for (const method of ['GET', 'HEAD']) assert.equal((await api.request(method, path)).status, 200, `${method} ${path}`);
    const query = '?redirect_uri=https://app.example.org/';
    for (const path of ['/openid/authorize', '/openid/authorize/'])
      assert.equal(withoutSlash(path + query), `/openid/authorize${query}`, 'a slash of the query is left alone');
    for (const path of ['/openid/token', '/.well-known/openid-configuration', TOKEN]) {
      const asked = await api.request('OPTIONS', path, { token: null });
      assert.deepEqual(
        [asked.status, asked.headers.get('allow')?.includes('OPTIONS')],
        [204, true],
        'not the words of the library',
      );
    }
    const preflight = { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'POST' };
    assert.equal((await api.request('OPTIONS', '/openid/token', { headers: preflight })).status, 204);
  });

  it('are those, and no others', async () => {
    for (const path of ['/openid/nothing', '/openid/token/more', '/openid/jwks//']) {
      const answer = await api.get(path, { token: null });
      assert.equal(answer.status, 404, path);
      assert.deepEqual(answer.body, { error: 'invalid_request', error_description: 'The resource could not be found.' });
    }
  });
});
