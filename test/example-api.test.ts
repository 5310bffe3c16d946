// The example of an API, with both ways to check a token.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onDatabase } from './support/api.ts';
import { changeApi, makeApi } from './support/apis.ts';
import { makeApplication } from './support/applications.ts';
import { freePort } from './support/ports.ts';
import { makeUser, RelyingParty } from './support/relying-party.ts';

const SERVER = fileURLToPath(new URL('../examples/api/server.js', import.meta.url));

onDatabase('SQLite', 'The example of an API', {}, (api) => {
  const started: ChildProcess[] = [];
  after(() =>
    Promise.all(
      started.map((child) => {
        child.kill();
        return once(child, 'exit');
      }),
    ),
  );

  async function start(settings: Record<string, string>): Promise<string> {
    const port = String(await freePort());
    const env = { ...process.env, ISSUER: api.url, PORT: port, ...settings };
    const child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    await once(child.stdout!, 'data');
    return `http://127.0.0.1:${port}`;
  }

  it('answers whoever has a token for it with the scope, and nobody else', async () => {
    const own = await makeApplication(api);
    const [papers, other] = [await makeApi(api, { application_id: own.id }), await makeApi(api)];
    const credentials = { CLIENT_ID: own.id, CLIENT_SECRET: own.secret };
    const [byKeys, byAsking] = [
      await start({ AUDIENCE: papers.identifier }),
      await start({ AUDIENCE: papers.identifier, ...credentials }),
    ];
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const tokenFor = async (resource: string, scope: string) =>
      (await party.tokensFor(person, { resource, scope: `openid ${scope}` })).access_token;
    const good = await tokenFor(papers.identifier, 'papers:read');
    const bad: readonly [string, number][] = [
      [await tokenFor(papers.identifier, 'papers:write'), 403],
      [await tokenFor(other.identifier, 'papers:read'), 401],
      [(await party.tokensFor(person)).access_token, 401],
      ['nonsense', 401],
    ];
    const ask = (home: string, token: string) => fetch(home, { headers: { Authorization: `Bearer ${token}` } });
    for (const home of [byKeys, byAsking]) {
      const answer = await ask(home, good);
      assert.deepEqual(await answer.json(), { papers: [], of: person.id, by: party.application.id });
      for (const [token, status] of bad) assert.equal((await ask(home, token)).status, status, `${home} ${token.slice(0, 20)}`);
      assert.equal((await fetch(home)).status, 401);
    }
    await changeApi(api, papers, { scopes: [] });
    assert.equal((await ask(byAsking, good)).status, 401, 'who asks knows at once');
    assert.equal((await ask(byKeys, good)).status, 200, 'who does not ask knows when it expires');
  });
});
