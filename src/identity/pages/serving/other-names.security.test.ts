// A page that is opened at another name of this machine is redirected to the address of the service, and nowhere else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { it } from 'node:test';
import { onDatabase } from '../../../../test/support/api.ts';

const HTML = { Accept: 'text/html,*/*;q=0.8' };

onDatabase('SQLite', 'Another name of this machine', { settings: { GATEHOUSE_IDENTITY_HOST: 'localhost' } }, (api) => {
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<IncomingMessage> => {
    const sent = request({ host: '127.0.0.1', port: new URL(api.url).port, method, path, headers });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer;
  };
  const here = (name: string): { Host: string } => ({ Host: `${name}:${new URL(api.url).port}` });
  const target = async (...asked: Parameters<typeof ask>): Promise<string | undefined> => (await ask(...asked)).headers.location;

  it('leads to the same page at the address of the service, and is not remembered', async () => {
    assert.equal(new URL(api.url).hostname, 'localhost');
    for (const name of ['127.0.0.1', '[::1]', 'LOCALHOST'.toLowerCase()])
      for (const path of [
        '/account/security?a=b&c=%2F',
        '/console/people',
        '/',
        '/?x',
        '/openid/authorize?client_id=x',
        '//evil.example/account',
      ])
        for (const method of ['GET', 'HEAD']) {
          const { statusCode, headers } = await ask(method, path, { ...HTML, ...here(name) });
          if (name === 'localhost') assert.notEqual(headers.location, api.url + path);
          else {
            assert.deepEqual([statusCode, headers.location, headers['cache-control']], [302, api.url + path, 'no-store'], path);
            assert.equal(new URL(headers.location!).host, new URL(api.url).host);
          }
        }
  });

  it('leads nowhere from a host, a port or a name that is not of this machine, nor through a proxy', async () => {
    const { port } = new URL(api.url);
    const page = '/console/people';
    for (const host of [
      `evil.example:${port}`,
      `192.0.2.7:${port}`,
      '127.0.0.1:1',
      '127.0.0.1',
      `127.0.0.1.evil.example:${port}`,
      `x@127.0.0.1:${port}`,
      '%',
    ])
      assert.ok(!(await target('GET', page, { ...HTML, Host: host }))?.startsWith(`${api.url}${page}`), host);
    for (const header of ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host'])
      assert.ok(
        !(await target('GET', page, { ...HTML, ...here('127.0.0.1'), [header]: 'x' }))?.startsWith(`${api.url}${page}`),
        header,
      );
    assert.equal(await target('GET', page, { ...HTML, ...here('127.0.0.1') }), api.url + page, 'this test can fail');
  });

  it('serves the API to programs, and refuses a form as that of another site', async () => {
    for (const headers of [HTML, {}] as Record<string, string>[]) {
      assert.equal((await ask('GET', '/v3', { ...headers, ...here('127.0.0.1') })).statusCode, 200);
      assert.equal((await ask('GET', '/.well-known/openid-configuration', { ...headers, ...here('127.0.0.1') })).statusCode, 200);
    }
    assert.equal((await ask('GET', '/', here('127.0.0.1'))).statusCode, 300);
    // The cookies of a sign-in belong to the address where its pages are, also for programs that sign in as a browser does.
    const authorize = '/openid/authorize?client_id=x';
    assert.equal(await target('GET', authorize, here('127.0.0.1')), api.url + authorize);
    const form = { ...HTML, ...here('127.0.0.1'), 'Content-Type': 'application/x-www-form-urlencoded' };
    const origin = { Origin: `http://127.0.0.1:${new URL(api.url).port}` };
    assert.equal((await ask('POST', '/openid/language', { ...form, ...origin })).statusCode, 403);
  });
});
