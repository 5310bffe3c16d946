// Signing in with our own wallet node, in a real browser: on the same device by the link, on another by the QR code and the number.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { LANGUAGE_TAGS } from '../../src/platform/languages/index.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { TestApi } from '../support/api.ts';
import { ApplicationPage } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { readWalletRequest } from '../support/holder.ts';
import { freePort } from '../support/ports.ts';
import { readQrCode } from '../support/qr-codes.ts';
import { makeHolder, makeOffer, makeRoleWorld, type RoleWorld, takeRole } from '../support/role-credentials.ts';
import { outcome, press, titleOf, words } from '../support/visitor.ts';
import { TestWallet, type WalletUser } from '../support/wallet.ts';
import { useSession } from '../support/wallet-page.ts';
import { shareWithSignIn } from '../support/wallet-sign-in-page.ts';

const chromium = usesChromium();

describe('A wallet node at the sign-in page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-anchors-'));
  const anchors = join(folder, 'verifiers.pem');
  let api: TestApi;
  let wallet: TestWallet;
  let application: ApplicationPage;
  let world: RoleWorld;

  before(async () => {
    const port = await freePort();
    api = new TestApi('SQLite', {
      settings: {
        GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both',
        GATEHOUSE_IDENTITY_WALLET_LINK: `http://127.0.0.1:${port}/open`,
      },
    });
    await api.start();
    writeFileSync(anchors, '');
    const settings = { GATEHOUSE_WALLET_PORT: String(port), GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: anchors };
    wallet = new TestWallet('SQLite', { settings });
    await wallet.start();
    application = await ApplicationPage.start(api);
    world = await makeRoleWorld(api);
  });
  after(async () => {
    await application?.stop();
    await wallet?.stop();
    await api?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Somebody with the credential in their wallet at the node. */
  async function holderAt(): Promise<{ id: string; person: WalletUser }> {
    const holder = await makeHolder(api, world);
    const offer = await makeOffer(api, holder, [world.sdJwt]);
    const person = await wallet.logIn();
    const received = await person.post('/api/v1/wallet/oid4vci', { uri: offer.uri, txCode: offer.tx_code });
    assert.equal(received.status, 201, received.text);
    return { id: holder.id, person };
  }

  /** The wallet trusts the certificate of this verifier. */
  async function trustVerifier(link: string): Promise<void> {
    const { header } = await readWalletRequest(link);
    writeFileSync(anchors, `-----BEGIN CERTIFICATE-----\n${header.x5c[0]}\n-----END CERTIFICATE-----\n`);
  }

  async function atWalletPage(person?: WalletUser): Promise<Page> {
    const page = await chromium.open(api, {}, [wallet.url]);
    if (person) await useSession(page, person);
    await page.goto(application.signIn());
    await press(page, words.walletSignIn);
    assert.equal(await titleOf(page), words.walletTitle);
    return page;
  }
  const linkOn = async (page: Page): Promise<string> =>
    (await page.getByRole('link', { name: words.walletOpen }).getAttribute('href'))!;
  const consent = async (page: Page): Promise<string> => {
    if (!page.url().startsWith(application.url)) await press(page, words.allow);
    return outcome(page);
  };
  const share = (page: Page): Promise<string> => shareWithSignIn(page, api.url);

  it('signs its owner in on the same device', async () => {
    const { id, person } = await holderAt();
    const page = await atWalletPage(person);
    await trustVerifier(await linkOn(page));
    await page.getByRole('link', { name: words.walletOpen }).click();
    await share(page);
    await page.getByRole('link', { name: walletWords.share.goOnAt(new URL(api.url).host) }).click();
    await page.waitForLoadState();
    assert.equal(await consent(page), `Hello ${id}`);
    assert.deepEqual(application.received.at(-1)!.claims()!.amr, ['wallet']);
  });

  it('signs its owner in on another device, by the code and the number', async () => {
    const { id, person } = await holderAt();
    const desk = await atWalletPage();
    const code = readQrCode(await desk.locator('.qr svg').evaluate((svg) => svg.outerHTML))!;
    await trustVerifier(code);
    const phone = await chromium.open(api, { viewport: { width: 390, height: 800 } }, [wallet.url]);
    await useSession(phone, person);
    await phone.goto(code);
    await phone.goto(await share(phone));
    assert.equal(await titleOf(phone), words.walletDeviceTitle);
    const number = await phone.locator('.number code').innerText();
    await desk.getByLabel(words.walletCode).fill(number);
    await press(desk, words.continueLabel);
    assert.equal(await consent(desk), `Hello ${id}`);
  });

  it('signs nobody in after the role was taken away', async () => {
    const { id, person } = await holderAt();
    const page = await atWalletPage(person);
    await trustVerifier(await linkOn(page));
    await page.getByRole('link', { name: words.walletOpen }).click();
    const back = await share(page);
    await takeRole(api, { id }, world);
    await page.goto(back);
    assert.equal(await page.getByRole('alert').innerText(), words.walletRefused);
  });

  it('is asked by pages that everybody can use', async () => {
    for (const locale of LANGUAGE_TAGS) {
      const { person } = await holderAt();
      const desk = await chromium.open(api, { locale, bypassCSP: true }, [wallet.url]);
      await desk.goto(application.signIn({ ui_locales: locale }));
      await desk.locator('form:has(input[value="wallet"]) button').click();
      const code = readQrCode(await desk.locator('.qr svg').evaluate((svg) => svg.outerHTML))!;
      assert.deepEqual(await lookTroubles(desk, `wallet-${locale}`), []);
      await trustVerifier(code);
      const answer = await person.post('/api/v1/wallet/oid4vp', { uri: code });
      assert.equal(answer.status, 200, answer.text);
      const phone = await chromium.open(api, { locale, bypassCSP: true });
      await phone.goto(answer.body.redirectUri);
      assert.deepEqual(await lookTroubles(phone, `wallet-device-${locale}`), []);
    }
  });
});
