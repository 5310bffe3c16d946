// The example of an MCP server, and a client with the official SDK that nobody registered: by a request, and by a document.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { assertOk } from './support/answers.ts';
import { onDatabase } from './support/api.ts';
import { certify } from './support/certificates.ts';
import { freePort } from './support/ports.ts';
import { makeUser } from './support/relying-party.ts';
import { REGISTERED, setPolicy } from './support/self-registration.ts';
import { redirectTargetOf, stepOf, TestBrowser } from './support/test-browser.ts';

const program = (name: string): string => fileURLToPath(new URL(`../examples/mcp-server/${name}.js`, import.meta.url));
const SCOPES = [
  { name: 'notes:read', description: 'to read your notes' },
  { name: 'notes:write', description: 'to add notes' },
];

onDatabase('SQLite', 'The example of an MCP server', {}, (api) => {
  const started: ChildProcess[] = [];
  after(() =>
    Promise.all(
      started.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill();
        await once(child, 'exit');
      }),
    ),
  );

  function start(name: string, settings: Record<string, string>) {
    const child = spawn(process.execPath, [program(name)], {
      env: { ...process.env, ISSUER: api.url, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() };
  }

  let server = '';
  before(async () => {
    const port = String(await freePort());
    const notes = start('server', { PORT: port });
    server = (await notes.lines.next()).value as string;
    assert.equal(server, `http://127.0.0.1:${port}/mcp`);
    const body = { identifier: server, name: 'Notes', applications: null, token_format: 'jwt', scopes: SCOPES };
    assertOk(await api.post('/v3/OS-OAUTH2/apis', { api: body }), 201);
  });

  /** A person lets the client in; what it prints from then on. */
  async function walk(settings: Record<string, string> = {}): Promise<{ printed: string[]; asked: string }> {
    const { child, lines } = start('client', { SERVER: server, CALLBACK_PORT: String(await freePort()), ...settings });
    const [, address] = /^open (.+)$/.exec((await lines.next()).value as string) ?? [];
    assert.ok(address);
    const query = new URL(address).searchParams;
    assert.deepEqual([query.get('resource'), query.get('code_challenge_method')], [server, 'S256']);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(address, await makeUser(api));
    const asked = browser.seen.find((one) => stepOf(one) === 'allow')!.text;
    await fetch(redirectTargetOf(page));
    const printed: string[] = [];
    for await (const line of lines) printed.push(line);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 0);
    return { printed, asked };
  }
  const DONE = ['add_note: added', 'list_notes: Buy bread', 'list_notes: Buy bread', 'refreshed'];

  it('refuses who has no token, or one for somebody else, and says where to get one', async () => {
    const ask = (token?: string) =>
      fetch(server, { method: 'POST', ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }) });
    for (const token of [undefined, 'nonsense', api.adminToken]) {
      const answer = await ask(token);
      assert.equal(answer.status, 401);
      assert.match(
        answer.headers.get('www-authenticate')!,
        /resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/mcp"/,
      );
    }
    const [, where] = /resource_metadata="([^"]+)"/.exec((await ask()).headers.get('www-authenticate')!)!;
    const metadata = (await (await fetch(where!)).json()) as Record<string, unknown>;
    assert.deepEqual([metadata.resource, metadata.authorization_servers], [server, [api.url]]);
  });

  it('does not start where the issuer calls itself something else', async () => {
    const other = api.url.replace('127.0.0.1', 'localhost');
    assert.notEqual(other, api.url);
    const child = spawn(process.execPath, [program('server')], {
      env: { ...process.env, ISSUER: other, PORT: '0' },
      stdio: 'pipe',
    });
    started.push(child);
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [status] = await once(child, 'close');
    assert.equal(status, 1);
    assert.match(said, /calls itself/);
  });

  it('serves a client that registers itself by a request', async () => {
    await setPolicy(api, { mode: 'open' });
    const { printed, asked } = await walk();
    assert.match(printed[0]!, /^client id [\da-f]{32}$/);
    assert.deepEqual(printed.slice(1), DONE);
    for (const { description } of SCOPES) assert.ok(asked.includes(description), asked);
    assert.match(asked, /registered itself/);
    const [registered] = assertOk(await api.get(`${REGISTERED}?registered_by=open`)).registered_applications;
    assert.equal(`client id ${registered.id}`, printed[0]);
  });

  it('serves a client whose id is the address of a document', async () => {
    const authority = certify({ name: 'CN=an authority of the test', ca: true });
    const { key, certificate } = certify({ name: 'CN=127.0.0.1', by: authority, names: [{ iPAddress: '127.0.0.1' }] });
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, authority.certificate.toString()]);
    let document = {};
    const host = createServer(
      { key: key.export({ type: 'pkcs8', format: 'pem' }), cert: certificate.toString() },
      (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document)),
    );
    try {
      await new Promise<void>((listening) => void host.listen(0, '127.0.0.1', listening));
      const id = `https://127.0.0.1:${(host.address() as AddressInfo).port}/client.json`;
      document = {
        client_id: id,
        client_name: 'Example of a client',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      };
      await setPolicy(api, { documents: 'allowed' });
      const { printed, asked } = await walk({ CLIENT_DOCUMENT: id });
      assert.deepEqual(printed, [`client id ${id}`, ...DONE]);
      assert.ok(asked.includes(new URL(id).host));
    } finally {
      setDefaultCACertificates(trusted);
      host.closeAllConnections();
      host.close();
    }
  });
});
