// Everything together: `gatehouse start`, a real browser, a wallet.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestApi } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { type GatehouseProcess, gatehouse } from '../support/process.ts';
import { enterPassword, press, words } from '../support/visitor.ts';

const PASSWORD = 'the administrator of the tests';
const chromium = usesChromium();

interface Said {
  readonly status: number;
  readonly body: any;
}

/** Sends a request from within the browser, like a page at the wallet's address. */
const call = (page: Page, method: string, path: string, body?: object): Promise<Said> =>
  page.evaluate(
    async ([how, where, what]) => {
      const answer = await fetch(where!, {
        method: how!,
        ...(what ? { headers: { 'Content-Type': 'application/json' }, body: what } : {}),
      });
      const text = await answer.text();
      return { status: answer.status, body: text ? JSON.parse(text) : undefined };
    },
    [method, path, body && JSON.stringify(body)] as const,
  );

const shown = async (page: Page): Promise<any> => JSON.parse(await page.locator('pre').innerText());

describe('A wallet in a browser', () => {
  let folder: string;
  let service: GatehouseProcess;
  let wallet: string;
  let identity: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    service = gatehouse(['start'], { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_ADMIN_PASSWORD: PASSWORD });
    wallet = await service.walletListening();
    identity = await service.listening();
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Two services are involved. Their pages may load nothing from elsewhere. */
  async function open(): Promise<Page> {
    // The browser shows a stand-in for a page at this address, because our own answers may not send requests.
    const page = await chromium.open({ url: wallet } as TestApi, { bypassCSP: true });
    const context = page.context();
    context.removeAllListeners('request');
    context.on('request', (request) => {
      if (![wallet, identity].includes(new URL(request.url()).origin)) strangers.push(request.url());
    });
    return page;
  }
  const strangers: string[] = [];
  afterEach(() => assert.deepEqual(strangers.splice(0), [], 'requests to other places'));

  /** Completes all forms of the provider, until it redirects back. */
  async function signIn(page: Page): Promise<void> {
    await enterPassword(page, { name: 'admin', password: PASSWORD });
    if (!page.url().startsWith(wallet)) await press(page, words.allow);
    assert.equal(page.url(), `${wallet}/api/v1/auth/userinfo`);
  }

  it('logs in, makes a key and a DID, publishes it, and logs out', async () => {
    const page = await open();
    await page.goto(`${wallet}/api/v1/auth/userinfo`);
    assert.equal((await shown(page)).code, 'not-authenticated');

    await page.goto(`${wallet}/api/v1/auth/login?return_to=/api/v1/auth/userinfo`);
    assert.ok(page.url().startsWith(`${identity}/openid/`), page.url());
    await signIn(page);
    const info = await shown(page);
    assert.equal(info.iss, identity);
    assert.ok(info.sub);
    const cookies = await page.context().cookies(wallet);
    const session = cookies.find(({ name }) => name === 'gatehouse_wallet');
    assert.deepEqual([session?.httpOnly, session?.sameSite, session?.path], [true, 'Lax', '/']);
    assert.ok(!cookies.some(({ name }) => name === 'gatehouse_wallet_login'), 'the cookie of the login is gone');
    assert.equal(await page.evaluate('document.cookie'), '', 'no script can read it');

    const key = await call(page, 'POST', '/api/v1/wallet/keys', { alias: 'signing' });
    assert.equal(key.status, 201, JSON.stringify(key.body));
    const did = await call(page, 'POST', '/api/v1/wallet/dids', { path: 'browser', keyIds: [key.body.id] });
    assert.equal(did.status, 201, JSON.stringify(did.body));
    assert.equal((await call(page, 'GET', '/dids/browser/did.json')).status, 404, 'a draft is nobody’s to read');
    const published = await call(page, 'POST', `/api/v1/wallet/dids/${did.body.id}/publish`);
    assert.equal(published.status, 200, JSON.stringify(published.body));
    const document = (await (await fetch(`${wallet}/dids/browser/did.json`)).json()) as { id: string };
    assert.equal(document.id, did.body.did);
    assert.deepEqual(document, published.body.document);

    await page.goto(`${wallet}/api/v1/auth/logout`);
    if (page.url().startsWith(identity)) await press(page, words.signOut);
    await page.waitForURL(`${wallet}/`);
    await page.goto(`${wallet}/api/v1/auth/userinfo`);
    assert.equal((await shown(page)).code, 'not-authenticated');
    assert.equal((await call(page, 'GET', '/api/v1/wallet/keys')).status, 401);
    await page.context().addCookies([session!]);
    assert.equal((await call(page, 'GET', '/api/v1/wallet/keys')).status, 401, 'nor does a copy of the cookie help');
    await page.goto(`${wallet}/api/v1/auth/login`);
    assert.equal(await page.getByLabel(words.userName).isVisible(), true, 'signed out at the identity service, too');
  });

  it('cannot be used by a page of another origin, although the browser would send the cookie', async () => {
    const page = await open();
    await page.goto(`${wallet}/api/v1/auth/login?return_to=/api/v1/auth/userinfo`);
    await signIn(page);
    const before = await call(page, 'GET', '/api/v1/wallet/keys');
    // The same host with another port is another origin of the same site: SameSite alone does not help here.
    const statuses: number[] = [];
    page.on('response', (answer) => {
      if (answer.url().startsWith(`${wallet}/api/`)) statuses.push(answer.status());
    });
    const elsewhere = await page.context().newPage();
    elsewhere.on('response', (answer) => {
      if (answer.url().startsWith(`${wallet}/api/`)) statuses.push(answer.status());
    });
    await elsewhere.goto(`${identity}/healthz`);
    await elsewhere.evaluate(async (url) => {
      await fetch(`${url}/api/v1/wallet/keys`, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(
        () => 0,
      );
      await fetch(`${url}/api/v1/auth/logout`, { method: 'POST', mode: 'no-cors', credentials: 'include' }).catch(() => 0);
    }, wallet);
    assert.deepEqual(statuses, [415, 403]);
    assert.deepEqual((await call(page, 'GET', '/api/v1/wallet/keys')).body, before.body);
  });
});
