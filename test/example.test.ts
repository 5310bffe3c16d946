// The example of the guide, run as the guide says, by a person.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onDatabase, uniqueName } from './support/api.ts';
import { TestBrowser } from './support/test-browser.ts';

const EXAMPLE = fileURLToPath(new URL('../examples/web-application/server.js', import.meta.url));
const PASSWORD = 'a password of a test';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

onDatabase('SQLite', 'The example of a web application', {}, (api) => {
  let example: ChildProcess | undefined;
  after(() => example?.kill());

  it('greets a person who signed in, by name and roles, and signs them out', async () => {
    const port = await freePort();
    const home = `http://127.0.0.1:${port}`;
    const body = {
      name: 'Reports',
      redirect_uris: [`${home}/callback`],
      post_logout_redirect_uris: [`${home}/`],
    };
    const { consumer } = (await api.post('/v3/OS-OAUTH2/consumers', { consumer: body })).body;
    const ann = await api.make('user', { name: uniqueName('ann'), password: PASSWORD });
    const env = { ...process.env, ISSUER: api.url, CLIENT_ID: consumer.id, CLIENT_SECRET: consumer.secret, PORT: String(port) };
    example = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(example.stdout!, 'data');

    const started = await fetch(`${home}/login`, { redirect: 'manual' });
    const session = started.headers.getSetCookie()[0]!.split(';')[0]!;
    const person = new TestBrowser(api);
    const page = await person.go(started.headers.get('location')!);
    const back = await person.answerForms(page, { name: ann.name, password: PASSWORD });
    assert.equal(back.redirectTarget?.origin, home);

    const callback = await fetch(back.redirectTarget!, { redirect: 'manual', headers: { cookie: session } });
    assert.equal(callback.status, 303, await callback.text());
    const signedIn = callback.headers.getSetCookie()[0]!.split(';')[0]!;
    const welcome = await (await fetch(home, { headers: { cookie: signedIn } })).text();
    assert.match(welcome, new RegExp(`Hello, ${ann.name}`));
    assert.match(welcome, /Roles: none/);

    const logout = await fetch(`${home}/logout`, { redirect: 'manual', headers: { cookie: signedIn } });
    assert.equal(new URL(logout.headers.get('location')!).pathname, '/openid/logout');
    const replayed = await fetch(back.redirectTarget!, { redirect: 'manual', headers: { cookie: session } });
    assert.equal(replayed.status, 500, 'a code works once');
  });
});
