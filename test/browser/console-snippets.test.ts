// The texts that the console gives to developers, each run as it is shown, against a service that was started without any setting.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { snippetsOf } from '../../console/identity/applications/snippet-texts.ts';
import type { Kind } from '../../console/identity/applications/types.ts';
import { words } from '../../console/identity/words/en/index.ts';
import { words as spanish } from '../../console/identity/words/es/index.ts';
import type { TestApi } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { needsCommand } from '../support/commands.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { freePort } from '../support/ports.ts';
import { type GatehouseProcess, gatehouse } from '../support/process.ts';
import { press, words as visitorWords } from '../support/visitor.ts';

const { applications, snippets } = words;
const run = promisify(execFile);
const PROVIDER = { name: 'admin', domain: { id: 'default' } };

interface MadeSnippets {
  readonly id: string;
  readonly secret: string;
  /** By title. */
  readonly texts: ReadonlyMap<string, string>;
}

describe('What the console gives to developers', () => {
  needsCommand('curl');
  const chromium = usesChromium();
  let folder: string;
  let service: GatehouseProcess;
  let url: string;
  let password: string;
  const programs: { kill(): boolean }[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-snippets-'));
    service = gatehouse(['start'], {}, folder);
    const metadata = await fetch(`${await service.listening()}/.well-known/openid-configuration`);
    // As the first start prints it.
    url = ((await metadata.json()) as { issuer: string }).issuer;
    password = readFileSync(join(folder, 'data', 'admin-password'), 'utf8').trim();
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  });
  after(async () => {
    for (const program of programs) program.kill();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (path: string, others: readonly string[] = []): Promise<Page> =>
    openConsole(chromium, { url } as TestApi, { person: { name: 'admin', password }, path, others });

  /** Registers an application on the screens for it, and reads what they then show. */
  async function register(page: Page, kind: Kind, redirectUri?: string): Promise<MadeSnippets> {
    const name = `${kind} of a developer`;
    await goTo(page, `/applications/new?kind=${kind}`, applications.create);
    await page.getByLabel(applications.name, { exact: true }).fill(name);
    await press(page, applications.goOn);
    if (redirectUri !== undefined) {
      await page.getByLabel(applications.redirectUris).fill(redirectUri);
      await press(page, applications.register);
    }
    await onScreen(page, applications.madeTitle(name));
    const [id, secret = ''] = await page.locator('.copyable code').allInnerTexts();
    const texts = new Map<string, string>();
    for (const card of await page.locator('section.card:has(pre)').all())
      texts.set(await card.locator('h2').innerText(), await card.locator('pre').innerText());
    return { id: id!, secret, texts };
  }

  /** Each command of a text for the shell, one after the other. */
  const commandsOf = (text: string): string[] => text.split('\n').filter((line) => !line.startsWith('#'));

  async function shell(command: string, env: Readonly<Record<string, string>> = {}): Promise<any> {
    const { stdout } = await run('bash', ['-c', command], { env: { PATH: process.env.PATH, ...env } });
    return JSON.parse(stdout);
  }

  async function start(text: string, env: Readonly<Record<string, string>>): Promise<string> {
    const file = join(folder, `sign-in-${programs.length}.mjs`);
    writeFileSync(file, text);
    const program = spawn(process.execPath, [file], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    programs.push(program);
    let said = '';
    program.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const ended = once(program, 'exit').then(() => Promise.reject(new Error(`the program did not start: ${said}`)));
    ended.catch(() => {});
    const [line] = (await Promise.race([once(program.stdout, 'data'), ended])) as [Buffer];
    return /http\S+/.exec(String(line))![0];
  }

  async function adminToken(): Promise<string> {
    const identity = { methods: ['password'], password: { user: { ...PROVIDER, password } } };
    const scope = { project: PROVIDER };
    const response = await fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope } }),
    });
    assert.equal(response.status, 201);
    return response.headers.get('x-subject-token')!;
  }

  for (const [kind, host] of [
    ['web', 'localhost'],
    ['spa', '127.0.0.1'],
  ] as const)
    it(`signs people in with Node.js, for the kind ${kind} at ${host}`, async () => {
      const home = `http://${host}:${await freePort()}`;
      const page = await open('/applications', [home]);
      const { secret, texts } = await register(page, kind, `${home}/callback`);
      const address = await start(texts.get(snippets.node)!, kind === 'web' ? { CLIENT_SECRET: secret } : {});
      assert.equal(address, `${home}/`);
      await page.goto(address);
      await press(page, visitorWords.allow);
      assert.equal(new URL(page.url()).origin, home);
      const person = JSON.parse(await page.locator('body').innerText());
      assert.equal(person.preferred_username, 'admin');
      assert.ok(Array.isArray(person.roles), 'roles were asked for');
      // Somebody else's answer, in a browser that did not ask.
      const other = await fetch(page.url(), { redirect: 'manual' });
      assert.equal(other.status, 400);
    });

  it('asks with curl about the provider, for a token of the service, and as a proxy', async () => {
    const page = await open('/applications');
    const { id, secret, texts } = await register(page, 'proxy');
    assert.equal((await shell(texts.get(snippets.discovery)!)).issuer, url);
    const { access_token: accessToken } = await shell(texts.get(snippets.service)!, { CLIENT_SECRET: secret });
    const token = await adminToken();
    const { token: shown } = await shell(`curl "${url}/v3/auth/tokens" -H "X-Auth-Token: $TOKEN" -H "X-Subject-Token: $TOKEN"`, {
      TOKEN: token,
    });
    const env = { CLIENT_SECRET: secret, ACCESS_TOKEN: accessToken, TOKEN: token, USER_ID: shown.user.id };
    const [introspected, permissions] = commandsOf(texts.get(snippets.proxy)!);
    const answer = await shell(introspected!, env);
    assert.deepEqual([answer.active, answer.client_id], [true, id]);
    assert.ok(Array.isArray((await shell(permissions!, env)).permissions));
  });

  it('signs people in on a device with curl', async () => {
    const page = await open('/applications');
    const { texts } = await register(page, 'device');
    const [begin, poll] = commandsOf(texts.get(snippets.device)!);
    const begun = await shell(begin!);
    const env = { DEVICE_CODE: begun.device_code };
    assert.equal((await shell(poll!, env)).error, 'authorization_pending');
    await page.goto(begun.verification_uri_complete);
    while ((await page.getByRole('button', { name: visitorWords.allow, exact: true }).count()) === 0)
      await press(page, visitorWords.continueLabel);
    await press(page, visitorWords.allow);
    // The service asks devices to be slower when they poll too soon.
    const done = async () => (await shell(poll!, env)) as { error?: string; access_token?: string };
    let answer = await done();
    while (answer.error === 'slow_down') {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      answer = await done();
    }
    assert.ok(answer.access_token, JSON.stringify(answer));
  });

  it('allows plain http only where the service has no other address, and runs nothing that somebody wrote into an address', () => {
    const consumer = {
      id: 'c1',
      name: 'A',
      description: null,
      client_type: 'confidential',
      grant_type: 'authorization_code',
      redirect_uris: ['https://app.example.org/\'"`;process.exit(1);\\callback'],
      scopes: [],
      links: {},
    };
    for (const [client_type, language] of [
      ['confidential', words],
      ['public', spanish],
    ] as const) {
      const texts = (issuer: string) =>
        snippetsOf({ ...consumer, client_type }, { issuer, words: language.snippets })
          .map(({ text }) => text)
          .join('\n');
      assert.doesNotMatch(texts('https://id.example.org'), /allowInsecureRequests/);
      assert.match(texts('https://id.example.org'), /; Secure/);
      assert.match(texts('http://localhost:5000'), /allowInsecureRequests/);
      assert.ok(texts('https://id.example.org').includes(`const redirectUri = ${JSON.stringify(consumer.redirect_uris[0])};`));
    }
  });
});
