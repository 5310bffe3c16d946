// What a person finds who starts Gatehouse without a setting and opens it in a browser, by whatever name they type.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/shared/words/en.ts';
import { ADMIN_PASSWORD, TestApi } from '../support/api.ts';
import { ApplicationPage } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { ADMIN, onScreen } from '../support/console.ts';
import { inFullRun, itAtLength } from '../support/extent.ts';
import { freePort } from '../support/ports.ts';
import { DEFAULT_ADDRESSES, type GatehouseProcess, type ProcessSettings, usesProcesses } from '../support/process.ts';
import { makeUser } from '../support/relying-party.ts';
import { TestBrowser } from '../support/test-browser.ts';
import { VirtualAuthenticator, withoutAutofill } from '../support/virtual-authenticator.ts';
import { enterPassword, follow, outcome, press, sectionOf, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();
const NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Where people try it in a browser. The other names lead there in the same way. */
const TRIED = inFullRun(NAMES, ['127.0.0.1']);
const SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };

/** The same service by another name of the machine. */
const named = (url: string, hostname: string): string => Object.assign(new URL(url), { hostname }).origin;

describe('A start without settings', () => {
  const { run, newFolder } = usesProcesses();
  let service: GatehouseProcess;
  let api: TestApi;
  let wallet: string;
  let application: ApplicationPage;

  async function start(settings: ProcessSettings): Promise<void> {
    service = run(['start'], { GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD, ...settings });
    await Promise.all([service.listening(), service.walletListening()]);
    const said = (name: string): string => new RegExp(`^Gatehouse ${name}: (\\S+)$`, 'm').exec(service.stderr)![1]!;
    api = Object.assign(new TestApi('SQLite'), { url: said('identity service') });
    wallet = said('wallet node');
    api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
  }

  before(async () => {
    const [identityPort, walletPort] = [await freePort(), await freePort()];
    await start({
      ...DEFAULT_ADDRESSES,
      GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
      GATEHOUSE_IDENTITY_PORT: String(identityPort),
      GATEHOUSE_WALLET_PORT: String(walletPort),
    });
    application = await ApplicationPage.start(api);
  });
  after(() => application?.stop());

  const openBrowser = (): Promise<Page> => chromium.open(api, {}, [wallet]);

  async function assertProgramLogsIn(base: string): Promise<void> {
    const person = await makeUser(api);
    // They do not say that they want a page.
    const program = { Accept: '*/*' };
    const [here, provider] = [new TestBrowser({ url: base }, program), new TestBrowser(api, program)];
    const { redirectTarget: toProvider } = await here.go('/api/v1/auth/login');
    const { redirectTarget: back } = await provider.answerForms(
      await provider.go(Object.assign(toProvider!, { hostname: new URL(api.url).hostname })),
      person,
    );
    assert.equal(back?.origin, base);
    await here.go(back);
    assert.equal((await here.request('/api/v1/auth/userinfo')).status, 200);
  }

  it('says addresses where everything works', () => {
    assert.deepEqual([new URL(api.url).hostname, new URL(wallet).hostname], ['localhost', 'localhost']);
    assert.ok(!service.stdout.includes('cannot use passkeys'), service.stdout);
    assert.ok(service.stderr.includes(`\nConsole: ${api.url}/console   Account: ${api.url}/account\n`), service.stderr);
  });

  it('has a first page that leads to the wallet beside it', async () => {
    const page = await openBrowser();
    await page.goto(api.url);
    await follow(page, words.homeWalletLink);
    assert.equal(page.url(), `${wallet}/`);
  });

  for (const name of NAMES) {
    it(`answers programs at ${name}, with links by that name`, async () => {
      const base = named(api.url, name);
      const { version } = (await (await fetch(`${base}/v3`)).json()) as { version: { links: { href: string }[] } };
      assert.equal(version.links[0]!.href, `${base}/v3/`);
      assert.equal((await fetch(`${named(wallet, name)}/livez`)).status, 200);
    });

    it(`lets programs log in to the wallet at ${name}, and stay there`, async () => {
      await assertProgramLogsIn(named(wallet, name));
    });
  }

  for (const name of TRIED) {
    it(`lets people sign in who opened it at ${name}: to their account, the console and the wallet`, async () => {
      const person = await makeUser(api);
      const page = await openBrowser();
      await page.goto(`${named(api.url, name)}/account/security?x=1`);
      await enterPassword(page, person);
      assert.equal(await titleOf(page), words.accountPages.security);
      await page.goto(`${named(wallet, name)}/keys`);
      await page.getByRole('link', { name: texts.signIn }).click();
      await onScreen(page, 'Keys');
      assert.equal(page.url(), `${wallet}/keys`);

      const other = await openBrowser();
      await other.goto(`${named(api.url, name)}/`);
      assert.equal(new URL(other.url()).origin, api.url);
      await other.goto(`${named(api.url, name)}/console/people`);
      await enterPassword(other, ADMIN);
      await onScreen(other, 'People');
    });

    it(`lets people sign in to an application that sends them to ${name}`, async () => {
      const person = await makeUser(api);
      const page = await openBrowser();
      const { headers } = await fetch(application.signIn(), { redirect: 'manual' });
      await page.goto(headers.get('location')!.replace(api.url, named(api.url, name)));
      await enterPassword(page, person);
      await press(page, words.allow);
      assert.equal(await outcome(page), `Hello ${person.id}`);
    });
  }

  it('offers passkeys', async () => {
    const person = await makeUser(api);
    const page = await openBrowser();
    await VirtualAuthenticator.in(page);
    await page.goto(`${named(api.url, '127.0.0.1')}/account/security`);
    await enterPassword(page, person);
    await press(page, words.passkeyAdd);
    await page.getByLabel(words.passkeyName).fill('My computer');
    await press(page, words.passkeyCreate);
    await page.getByRole('status').waitFor();
    assert.match(await sectionOf(page, words.passkeys).innerText(), /My computer/);
    await page.context().clearCookies();
    await withoutAutofill(page);
    await page.goto(application.signIn());
    await press(page, words.passkeySignIn);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  describe('on data that began at an IP address', () => {
    itAtLength('keeps that address, and with it what people hold in the wallet', async () => {
      const settings = {
        GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
        GATEHOUSE_IDENTITY_PORT: String(await freePort()),
        GATEHOUSE_WALLET_PORT: String(await freePort()),
      };
      await start(settings);
      const before = api.url;
      assert.equal(new URL(before).hostname, '127.0.0.1');
      const person = await makeUser(api);
      const keysAt = async (name: string) => {
        const page = await openBrowser();
        await page.goto(`${named(wallet, name)}/keys`);
        await page.getByRole('link', { name: texts.signIn }).click();
        await enterPassword(page, person);
        await onScreen(page, 'Keys');
        return page;
      };
      const page = await keysAt('127.0.0.1');
      const made = await page.evaluate(async () => {
        const headers = { 'Content-Type': 'application/json' };
        return (await fetch('/api/v1/wallet/keys', { method: 'POST', headers, body: '{}' })).json() as Promise<{ id: string }>;
      });
      assert.equal(await service.stop(), 0);

      await start({ ...settings, ...DEFAULT_ADDRESSES });
      assert.equal(api.url, before);
      assert.match(service.stdout, /"msg":"people cannot use passkeys[^"]*GATEHOUSE_IDENTITY_URL/);
      const { issuer } = (await (await fetch(`${api.url}/.well-known/openid-configuration`)).json()) as { issuer: string };
      assert.equal(issuer, before);
      for (const name of NAMES) await assertProgramLogsIn(named(wallet, name));
      for (const name of inFullRun(NAMES, ['localhost'])) {
        const again = await keysAt(name);
        assert.equal(new URL(again.url()).hostname, '127.0.0.1');
        const keys = await again.evaluate(async () => (await fetch('/api/v1/wallet/keys')).json() as Promise<{ id: string }[]>);
        assert.deepEqual(
          keys.map(({ id }) => id),
          [made.id],
        );
      }
    });
  });
});
