// A person signs in through a real Keycloak, in a real Chromium. The folder of Keycloak is an argument.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { enterPassword } from '../../test/support/visitor.ts';
import { needCommand, stop } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { freePort, startService } from '../support/service.ts';
import { addProvider } from './console.ts';
import { Keycloak, type KeycloakPerson, TOKEN_SECONDS } from './keycloak.ts';

const REALM = 'acme';
const SECRET = 'the secret of gatehouse at keycloak';
const ANA: KeycloakPerson = { username: 'ana', email: 'ana@example.org', password: 'the password of ana at keycloak' };
const GROUP = 'engineers';
/** Where the application's codes arrive: nothing needs to listen there. */
const REDIRECT_URI = 'http://127.0.0.1:9/callback';

const { databaseUrl, keep, operands } = options('KEYCLOAK_FOLDER');
const folder = resolve(operands[0]!);
if (!existsSync(join(folder, 'bin/kc.sh'))) stop(`${folder} is not Keycloak: it has no bin/kc.sh`);
needCommand('chromium-headless-shell', 'chromium-headless-shell');
needCommand('java', 'openjdk-17-jre-headless');

const keycloak = await Keycloak.start(folder, await freePort(), REALM);
// Keycloak has an internal address, which outgoing calls avoid otherwise.
const settings = { GATEHOUSE_OUTBOUND_ALLOW: new URL(keycloak.url).host };
const service = await startService({ databaseUrl, keep, settings }).catch(async (error: unknown) => {
  await keycloak.stop();
  throw error;
});
const browser = await playwright.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

let token = '';
async function ask<T>(method: string, path: string, body?: object, expected = 200): Promise<T> {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Auth-Token': token },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  assert.equal(response.status, expected, `${method} ${path}: ${text}`);
  token = response.headers.get('x-subject-token') ?? token;
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function registerApplication(): Promise<{ clientId: string; clientSecret: string }> {
  const user = { name: 'admin', domain: { id: 'default' }, password: service.adminPassword };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  await ask('POST', '/v3/auth/tokens', { auth: { identity: { methods: ['password'], password: { user } }, scope } }, 201);
  const consumer = { name: 'An application', redirect_uris: [REDIRECT_URI], client_type: 'confidential' };
  const { consumer: application } = await ask<{ consumer: { id: string; secret: string } }>('POST', '/v3/OS-OAUTH2/consumers', {
    consumer,
  });
  return { clientId: application.id, clientSecret: application.secret };
}

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

async function signInThere(page: Page): Promise<void> {
  await page.locator('#username').fill(ANA.username);
  await page.locator('#password').fill(ANA.password);
  await page.locator('[name=login]').click();
}

/** From the sign-in page to Keycloak and back. */
async function signIn(page: Page): Promise<void> {
  await press(page, /Keycloak/);
  await page.waitForURL((url) => url.href.startsWith(keycloak.url) || url.href.startsWith(service.url), { waitUntil: 'load' });
  if (page.url().startsWith(keycloak.url)) await signInThere(page);
}

async function groupsOf(userId: string): Promise<string[]> {
  const { groups } = await ask<{ groups: { name: string }[] }>('GET', `/v3/users/${userId}/groups`);
  return groups.map(({ name }) => name);
}

let failed = 0;
async function step(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${(error as Error).stack}`);
  }
}

const contexts: BrowserContext[] = [];
async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en' });
  contexts.push(context);
  return context.newPage();
}

try {
  const application = await registerApplication();
  const ana = await keycloak.addPerson(ANA);
  const engineers = await keycloak.addGroup(GROUP);
  let userId = '';

  const page = await newPage();
  await step('console', async () => {
    const administrator = await newPage();
    await administrator.goto(`${service.url}/console`);
    await enterPassword(administrator, { name: 'admin', password: service.adminPassword });
    await addProvider(administrator, {
      server: keycloak.url,
      realm: REALM,
      group: GROUP,
      register: async (addresses) => {
        await keycloak.addClient('gatehouse', SECRET, addresses);
        return { id: 'gatehouse', secret: SECRET };
      },
      signIn: signInThere,
    });
  });
  await step('button', async () => {
    await page.goto(`${service.url}/account`);
    await press(page, /Keycloak/);
    await page.locator('#username').waitFor();
    assert.ok(page.url().startsWith(keycloak.url));
  });
  await step('first sign-in', async () => {
    await page.goto(`${service.url}/account`);
    await signIn(page);
    await page.waitForURL(`${service.url}/**`);
    // Somebody new chooses: a new account, or one that they have already.
    const choice = page.locator('form:has(input[value=provider-new]) button');
    if ((await choice.count()) > 0) await choice.click();
    await page.getByText(ANA.email).first().waitFor();
    const { users } = await ask<{ users: { id: string; name: string }[] }>('GET', `/v3/users?name=${ANA.username}`);
    userId = users[0]!.id;
  });
  await step('again', async () => {
    const other = await newPage();
    await other.goto(`${service.url}/account`);
    await signIn(other);
    await other.getByText(ANA.email).first().waitFor();
    const { users } = await ask<{ users: object[] }>('GET', `/v3/users?name=${ANA.username}`);
    assert.equal(users.length, 1);
  });
  await step('groups', async () => {
    assert.deepEqual(await groupsOf(userId), []);
    for (const [change, expected] of [
      [() => keycloak.join(ana, engineers), [GROUP]],
      [() => keycloak.leave(ana, engineers), []],
    ] as const) {
      await change();
      const visit = await newPage();
      await visit.goto(`${service.url}/account`);
      await signIn(visit);
      await visit.getByText(ANA.email).first().waitFor();
      assert.deepEqual(await groupsOf(userId), expected);
    }
  });
  await step('logout', async () => {
    // Keycloak tells the end of one session of a person only: the others end first.
    await keycloak.logOut(ana);
    const visit = await newPage();
    await visit.goto(`${service.url}/account`);
    await signIn(visit);
    await visit.getByText(ANA.email).first().waitFor();
    await keycloak.logOut(ana);
    await visit.goto(`${service.url}/account`);
    await visit.getByRole('button', { name: /Keycloak/ }).waitFor();
  });
  await step('disabled', async () => {
    const visit = await newPage();
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: application.clientId,
      response_type: 'code',
      scope: 'openid offline_access',
      prompt: 'consent',
      redirect_uri: REDIRECT_URI,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const arrived = visit.waitForRequest((request) => request.url().startsWith(REDIRECT_URI));
    await visit.goto(`${service.url}/openid/authorize?${query}`);
    await signIn(visit);
    await press(visit, 'Allow');
    const code = new URL((await arrived).url()).searchParams.get('code')!;
    const redeem = async (form: Record<string, string>): Promise<{ status: number; body: Record<string, string> }> => {
      const basic = Buffer.from(`${application.clientId}:${application.clientSecret}`).toString('base64');
      const response = await fetch(`${service.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${basic}` },
        body: new URLSearchParams(form),
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const first = await redeem(grant);
    assert.ok(first.body.refresh_token, JSON.stringify(first));
    await keycloak.setEnabled(ana, false);
    // Keycloak is asked again when its access token ends.
    await sleep(2 * TOKEN_SECONDS * 1000);
    const refreshed = await redeem({ grant_type: 'refresh_token', refresh_token: first.body.refresh_token });
    assert.equal(refreshed.body.error, 'invalid_grant', JSON.stringify(refreshed));
    const refused = await newPage();
    await refused.goto(`${service.url}/account`);
    await signIn(refused);
    await refused.getByText(/disabled/i).waitFor();
  });
} finally {
  await Promise.all(contexts.map((context) => context.close()));
  await browser.close();
  await service.stop();
  await keycloak.stop();
}
console.log(failed === 0 ? 'everything passed' : `${failed} FAILED`);
process.exit(failed === 0 ? 0 : 1);
