// Libraries by which web applications sign people in, each as its documentation says, with a person in a real Chromium.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Page, chromium as playwright } from 'playwright-core';
import { enterPassword, press, words } from '../../test/support/visitor.ts';
import { needCommand } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { whenAndWhat } from '../support/results.ts';
import { cleanEnvironment, freePort, startService } from '../support/service.ts';
import { type Built, LIBRARIES, type Library } from './libraries.ts';

/** Of access tokens: the shortest that there is. */
const TOKEN_SECONDS = 60;
const PATIENCE_MS = 30_000;
const STARTS_WITHIN_MS = 120_000;

const { databaseUrl, keep, only } = options();
needCommand('chromium-headless-shell', 'chromium-headless-shell');
const chosen = Object.entries(LIBRARIES).filter(([name]) => only.length === 0 || only.includes(name));
const ports = await Promise.all(chosen.map(freePort));
// The applications have an internal address, which outgoing calls avoid otherwise: they are told of the end of a session.
const settings = { GATEHOUSE_OUTBOUND_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(',') };
const service = await startService({ databaseUrl, keep, settings });
const browser = await playwright.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

let token = '';
async function ask(path: string, body: object): Promise<any> {
  const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': token };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  token = response.headers.get('x-subject-token') ?? token;
  return JSON.parse(text);
}

interface Somebody {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly email: string;
}

async function somebody(name: string): Promise<Somebody> {
  const values = { name, email: `${name}@example.org`, password: `the password of ${name}` };
  return { ...values, id: (await ask('/v3/users', { user: values })).user.id };
}

async function start(library: Library, { command, args }: Built, at: string, folder: string): Promise<ChildProcess> {
  const consumer = {
    name: library.title,
    redirect_uris: [at + library.redirect],
    post_logout_redirect_uris: [at + (library.signedOut ?? '/')],
    access_token_lifetime: TOKEN_SECONDS,
    ...(library.backChannel
      ? { backchannel_logout_uri: at + library.backChannel, backchannel_logout_session_required: true }
      : {}),
  };
  const { id, secret } = (await ask('/v3/OS-OAUTH2/consumers', { consumer })).consumer;
  const log = openSync(join(folder, 'example.log'), 'w');
  const child = spawn(command, args, {
    stdio: ['ignore', log, log],
    cwd: folder,
    env: {
      ...cleanEnvironment(),
      ISSUER: service.url,
      CLIENT_ID: id,
      CLIENT_SECRET: secret,
      PORT: new URL(at).port,
      FOLDER: folder,
      DATABASE: join(folder, 'database'),
      ...library.env,
    },
  });
  for (const end = Date.now() + STARTS_WITHIN_MS; ; await sleep(200)) {
    if (await fetch(at).catch(() => undefined)) return child;
    if (Date.now() > end || child.exitCode !== null) throw new Error(`it did not start: see ${folder}/example.log`);
  }
}

/** What a person does at one example. */
class Visit {
  readonly page: Page;
  readonly #library: Library;
  readonly #at: string;
  readonly #person: Somebody;

  constructor(page: Page, library: Library, at: string, person: Somebody) {
    this.page = page;
    this.#library = library;
    this.#at = at;
    this.#person = person;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  async signIn(): Promise<void> {
    await this.page.goto(this.#at);
    await this.page.getByRole('link', { name: 'Sign in' }).click();
    if (await this.#isAsked()) await enterPassword(this.page, this.#person);
    await this.page.waitForURL((url) => url.origin === this.#at || url.pathname.startsWith('/openid/'));
    const allow = this.page.getByRole('button', { name: words.allow, exact: true });
    if (this.page.url().startsWith(service.url)) await allow.click();
    await this.seesThemselves();
  }

  #isAsked = (): Promise<boolean> => this.page.getByLabel(words.password, { exact: true }).isVisible();

  async seesThemselves(): Promise<void> {
    await this.page.getByText('Hello').waitFor();
    const text = await this.page.locator('body').innerText();
    assert.ok(text.includes(this.#person.email), text);
    assert.ok(text.startsWith('Hello ') && this.page.url().startsWith(this.#at), text);
  }

  async staysSignedIn(): Promise<void> {
    const { refresh, page: shown } = this.#library;
    const seen = async (path: string): Promise<string> => {
      await this.page.goto(this.#at + path);
      return this.page.locator('body').innerText();
    };
    const before = refresh.by === 'token' ? await seen(refresh.page) : '';
    await sleep((TOKEN_SECONDS + 2) * 1000);
    const silent = this.page.waitForRequest((request) => new URL(request.url()).searchParams.get('prompt') === 'none');
    if (refresh.by !== 'silent') silent.catch(() => {});
    if (refresh.by === 'token') assert.notEqual(await seen(refresh.page), before, 'the access token is the same');
    await this.page.goto(this.#at + shown);
    if (refresh.by === 'silent') await silent;
    await this.seesThemselves();
  }

  async signOut(): Promise<void> {
    await this.page.goto(this.#at + this.#library.page);
    await this.page.getByText('Sign out', { exact: true }).click();
    await this.page.waitForURL((url) => url.origin === service.url);
    await press(this.page, words.signOut);
    await this.page.waitForURL((url) => url.origin === this.#at);
    await this.seesNobody();
    await this.page.getByRole('link', { name: 'Sign in' }).click();
    await this.page.getByLabel(words.password, { exact: true }).waitFor();
  }

  async seesNobody(): Promise<void> {
    await this.page.getByRole('link', { name: 'Sign in' }).waitFor();
  }

  /** In another tab of the browser, at the service itself. */
  async signOutThere(): Promise<void> {
    const tab = await this.page.context().newPage();
    await tab.goto(`${service.url}/openid/logout`);
    await press(tab, words.signOut);
    await tab.close();
  }

  async isSignedOutHere(): Promise<void> {
    const seen = async (): Promise<boolean> => {
      await this.page.goto(this.#at + this.#library.page);
      return (await this.page.locator('body').innerText()).startsWith('Hello');
    };
    for (const end = Date.now() + PATIENCE_MS; await seen(); await sleep(500))
      assert.ok(Date.now() < end, 'the application was not told');
  }
}

const STEPS = {
  'signs in; ID token and user information': (visit: Visit) => visit.signIn(),
  'stays signed in when the access token has ended': (visit: Visit) => visit.staysSignedIn(),
  'signs out, here and there': (visit: Visit) => visit.signOut(),
  'is told of the end of a session (back channel)': async (visit: Visit) => {
    await visit.signIn();
    await visit.signOutThere();
    await visit.isSignedOutHere();
  },
};
const BACK_CHANNEL = Object.keys(STEPS).at(-1)!;

interface Row {
  readonly title: string;
  readonly results: readonly string[];
}

async function walk([name, library]: (typeof chosen)[number], port: number, built: Built): Promise<Row> {
  const folder = join(service.folder, name);
  const at = `http://127.0.0.1:${port}`;
  const example = await start(library, built, at, folder);
  const context = await browser.newContext({ locale: 'en' });
  const results: string[] = [];
  try {
    const visit = new Visit(await context.newPage(), library, at, await somebody(name));
    for (const [step, act] of Object.entries(STEPS)) {
      if (step === BACK_CHANNEL && !library.backChannel) {
        results.push('the library has none');
        continue;
      }
      const problem = await act(visit).then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
      results.push(problem === undefined ? 'ok' : 'FAILED');
      console.log(`${results.at(-1)!.padEnd(7)} ${name}: ${step}${problem === undefined ? '' : `\n${problem}`}`);
      if (problem !== undefined) await visit.page.screenshot({ path: join(folder, `${results.length}.png`) }).catch(() => {});
    }
  } finally {
    await context.close();
    example.kill('SIGTERM');
    if (example.exitCode === null && example.signalCode === null) await once(example, 'exit');
  }
  return { title: `${library.title} ${built.version}`, results };
}

let rows: Row[] = [];
let failed = 1;
try {
  const user = { name: 'admin', domain: { id: 'default' }, password: service.adminPassword };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  await ask('/v3/auth/tokens', { auth: { identity: { methods: ['password'], password: { user } }, scope } });
  // First all are built, which keeps this process from everything else.
  const built = chosen.map(([name, library]) => {
    const folder = join(service.folder, name);
    mkdirSync(folder);
    return library.build(folder);
  });
  rows = await Promise.all(
    chosen.map((one, index) =>
      walk(one, ports[index]!, built[index]!).catch((error: unknown) => {
        console.log(`FAILED  ${one[0]}: ${(error as Error).message}`);
        return { title: one[1].title, results: Object.keys(STEPS).map(() => 'FAILED') };
      }),
    ),
  );
  failed = rows.flatMap(({ results }) => results).filter((result) => result === 'FAILED').length;
} finally {
  await browser.close();
  await service.stop(failed > 0);
}
if (only.length === 0)
  writeFileSync(
    join(import.meta.dirname, 'RESULTS.md'),
    `# Libraries of web applications: results

Written by \`conformance/relying-parties/run.ts\`, ${whenAndWhat()} Each library unchanged, with a person in Chromium. ${failed} FAILED.

| Library | ${Object.keys(STEPS).join(' | ')} |
|---|${Object.keys(STEPS)
      .map(() => '---|')
      .join('')}
${rows.map(({ title, results }) => `| ${title} | ${results.join(' | ')} |`).join('\n')}
`,
  );
console.log(failed === 0 ? 'everything passed' : `${failed} FAILED`);
process.exit(failed === 0 ? 0 : 1);
