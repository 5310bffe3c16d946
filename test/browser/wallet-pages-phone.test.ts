// The pages of the wallet on a phone: installed, reading codes with the camera, and opening links. Nothing of a person is kept there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { words } from '../../console/wallet/words/en/index.ts';
import { lookTroubles, PHONE } from '../support/accessibility.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen } from '../support/console.ts';
import { setUpPresentation } from '../support/presentation.ts';
import { qrPicture } from '../support/qr-codes.ts';
import { soon } from '../support/soon.ts';
import { press } from '../support/visitor.ts';
import { onWallet } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

const chromium = usesChromium();

/** The stream of a camera that sees this picture. Whether it was turned off again is in `window.tracks`. */
const cameraThatSees = (picture: Buffer): string => `(() => {
  window.tracks = [];
  navigator.mediaDevices.getUserMedia = async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 640 });
    setInterval(() => canvas.getContext('2d').drawImage(image, 0, 0, 640, 640), 50);
    const stream = canvas.captureStream(20);
    window.tracks = stream.getTracks();
    return stream;
  };
})()`;

// The pages do not depend on the database.
onWallet('SQLite', 'The wallet on a phone', {}, (wallet) => {
  const { issuer, verifier } = setUpPresentation(wallet);
  const openOnPhone = async (path: string, script?: string, more: BrowserContextOptions = {}): Promise<Page> => {
    const page = await openWallet(chromium, await wallet.logIn(), '/healthz', {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
      ...more,
    });
    if (script) await page.addInitScript(script);
    await page.goto(wallet.url + path);
    return page;
  };

  it('can be installed, in the language of the reader', async () => {
    const manifest = (language: string) => wallet.get('/manifest.webmanifest', { headers: { 'Accept-Language': language } });
    const { body, headers } = await manifest('es-MX, en;q=0.5');
    assert.match(headers.get('content-type')!, /^application\/manifest\+json/);
    assert.deepEqual([body.name, body.lang, body.start_url, body.display], ['Cartera Gatehouse', 'es', '/', 'standalone']);
    assert.equal((await manifest('en')).body.name, 'Gatehouse Wallet');
    for (const { src, sizes, type } of body.icons) {
      const icon = await fetch(wallet.url + src);
      const bytes = Buffer.from(await icon.arrayBuffer());
      assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, type]);
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
    }
    assert.equal((await wallet.request('POST', '/manifest.webmanifest')).status, 405);

    const page = await openOnPhone('/');
    await onScreen(page, words.credentials.title);
    const session = await page.context().newCDPSession(page);
    const { errors, data } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    assert.equal(JSON.parse(data!).name, 'Gatehouse Wallet');
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // A context of a test is like a private window, in which nothing can be installed.
    assert.deepEqual(
      installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'),
      [],
    );
    // What a person sees is never kept by the browser for later.
    assert.deepEqual(
      await page.evaluate<unknown[]>(
        'Promise.all([navigator.serviceWorker.getRegistrations(), caches.keys(), Object.keys(localStorage)])',
      ),
      [[], [], []],
    );
  });

  it('leads from links of pages to the wallet', async () => {
    const { body } = await wallet.get('/manifest.webmanifest');
    const { url } = body.protocol_handlers.find(({ protocol }: any) => protocol === 'web+openidcredentialoffer');
    const link = issuer.offer().replace('openid-credential-offer:', 'web+openidcredentialoffer:');
    const page = await openOnPhone(url.replace('%s', encodeURIComponent(link)));
    await onScreen(page, words.open.offerTitle);
    await press(page, words.open.look);
    await onScreen(page, words.receive.title);
    // Pasted, with the schemes that a page cannot have.
    for (const [uri, title] of [
      [issuer.offer({}, 'reference'), words.receive.title],
      [await verifier.ask(), words.share.title],
    ] as const) {
      assert.match(uri, /^(?:openid-credential-offer|openid4vp):\/\//);
      await page.goto(`${wallet.url}/receive`);
      await page.getByLabel(words.open.link).fill(uri);
      await press(page, words.open.look);
      await onScreen(page, title);
    }
  });

  it('lets only the page that reads codes use the camera', async () => {
    const policy = async (path: string): Promise<string> =>
      (await wallet.get(path, { headers: { Accept: 'text/html' } })).headers.get('permissions-policy')!;
    assert.match(await policy('/receive'), /camera=\(self\)/);
    for (const path of ['/', '/history', '/receive/ex_1', '/open', '/openapi', '/receive/'])
      assert.match(await policy(path), /camera=\(\)/, path);
    const page = await openOnPhone('/');
    await onScreen(page, words.credentials.title);
    const mayUse = "document.featurePolicy.allowsFeature('camera')";
    assert.equal(await page.evaluate(mayUse), false);
    await page.goto(`${wallet.url}/receive`);
    assert.equal(await page.evaluate(mayUse), true);
  });

  it('reads a code with the camera, also from a page that may not use it, and turns it off', async () => {
    const page = await openOnPhone('/', cameraThatSees(qrPicture(issuer.offer({}, 'reference'))));
    await page.getByRole('main').getByRole('link', { name: words.open.title }).first().click();
    await onScreen(page, words.open.title);
    assert.equal(await page.locator('main h2').first().innerText(), words.open.scan, 'what one does with a phone comes first');
    await press(page, words.open.startCamera);
    await onScreen(page, words.receive.title);
    assert.equal(await page.locator('dialog').count(), 0);
    assert.deepEqual(await page.evaluate('tracks.map(({ readyState }) => readyState)'), ['ended']);
  });

  it('turns the camera off when the dialog is closed, and does not take any other code', async () => {
    const page = await openOnPhone('/receive', cameraThatSees(qrPicture('https://evil.example/')), { bypassCSP: true });
    await press(page, words.open.startCamera);
    await page.getByText(words.open.holdCode).waitFor();
    // It looks several times.
    const isSeen = 'tracks.length > 0 && document.querySelector("video")?.currentTime > 0.5';
    await soon(true, () => page.evaluate<boolean>(isSeen));
    assert.deepEqual(await lookTroubles(page, 'wallet-camera'), []);
    await page.keyboard.press('Escape');
    await soon(true, () => page.evaluate<boolean>('tracks.every(({ readyState }) => readyState === "ended")'));
    await onScreen(page, words.open.title);
  });

  it('says what to do where there is no camera, or it is not allowed', async () => {
    const none = await openOnPhone('/receive', "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })");
    await none.getByText(words.open.cameraUnsupported).waitFor();
    assert.equal(await none.getByRole('button', { name: words.open.startCamera }).count(), 0);
    const refused = await openOnPhone('/receive', 'navigator.mediaDevices.getUserMedia = async () => { throw new Error(); }');
    await press(refused, words.open.startCamera);
    await refused.getByText(words.open.noCamera).waitFor();
    await refused.getByLabel(words.open.link).waitFor();
  });
});
