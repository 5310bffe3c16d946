// Hostile issuers and verifiers on the pages of the wallet: names, logos, colours, labels and values that would deceive, run, call home, or
// cover the page. That the browser asks no stranger for anything is checked after each test (chromium.ts).
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/wallet/words/en/index.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen } from '../support/console.ts';
import { png } from '../support/pictures.ts';
import { IDENTITY, paths, queryFor, setUpPresentation } from '../support/presentation.ts';
import { computedStyle } from '../support/styles.ts';
import { onWallet, type WalletUser } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

const chromium = usesChromium();
const VCI = '/api/v1/wallet/oid4vci';
const VP = '/api/v1/wallet/oid4vp';
const SCRIPT = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>{{window.attacked = true}}';
/** Would read as another name, and turn around what follows. */
const TURNED = '\u202eknab ruoY\u2066\u200f';
const PILE = `Z${'\u0301\u0316'.repeat(300)}`;
const HUGE = 'W'.repeat(30_000);
const data = (bytes: Buffer | string, type = 'image/png'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const LOGO = data(png(8));
const INVISIBLE = /[\u202a-\u202e\u2066-\u2069\u200f]/;

interface Look {
  readonly text: string;
  readonly pictures: string[];
  readonly tooWide: number;
  readonly attacked: unknown;
}

const look = (page: Page): Promise<Look> =>
  page.evaluate<Look>(`({
    text: document.querySelector('main').innerText,
    pictures: [...document.images].map(({ src }) => src),
    tooWide: document.documentElement.scrollWidth - innerWidth,
    attacked: window.attacked,
  })`);

onWallet('SQLite', 'Strangers on the pages of the wallet', {}, (wallet) => {
  const world = setUpPresentation(wallet);
  const { issuer, verifier } = world;

  /** What the issuer says of itself and of its credential. */
  const says = (display: object, { labels = [] as object[], name = 'The toy issuer', claims = {} } = {}): void => {
    issuer.twist = {
      reply: (endpoint, { body }) => {
        if (endpoint !== 'metadata') return;
        body.display = [{ name, logo: { uri: 'https://evil.example/issuer.png' } }];
        body.credential_configurations_supported.identity.credential_metadata = { display: [display], claims: labels };
      },
      credential: ({ disclosures }) => void Object.assign(disclosures, claims),
    };
  };
  const received = async (person: WalletUser): Promise<any> => {
    const answer = await person.post(VCI, { uri: issuer.offer() });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.credentials[0];
  };

  it('neither run nor call home, and take no more room than others', async () => {
    const person = await wallet.logIn();
    says(
      { name: `${TURNED}${SCRIPT}`, description: PILE, logo: { uri: 'https://evil.example/pixel.png', alt_text: SCRIPT } },
      {
        name: `${TURNED} ${SCRIPT}`,
        labels: [
          { path: ['given_name'], display: [{ name: `${TURNED}${SCRIPT}` }] },
          { path: ['email'], display: [{ name: HUGE }] },
        ],
        claims: {
          given_name: `${TURNED}${SCRIPT}`,
          email: HUGE,
          portrait: data('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'),
          photo: 'https://evil.example/photo.png',
          picture: LOGO,
          [`${SCRIPT}${TURNED}`]: { [HUGE.slice(0, 5000)]: PILE, toString: 'x', '__proto__ ': 1 },
          list: Array.from({ length: 2000 }, (_, at) => at),
        },
      },
    );
    verifier.twist = {
      request: ({ payload }) =>
        void Object.assign(payload.client_metadata as object, {
          client_name: `${TURNED}${SCRIPT}${PILE}`,
          policy_uri: 'javascript:alert(1)',
        }),
    };
    const offer = await person.post(VCI, { uri: issuer.offer(), preview: true });
    const credential = await received(person);
    const asked = {
      credentials: [queryFor('id', IDENTITY, { claims: paths(['given_name'], ['email'], ['picture'], ['list']) })],
      credential_sets: [{ options: [['id']], purpose: `${TURNED}${SCRIPT}` }],
    };
    const request = await person.post(VP, { uri: await verifier.ask({ query: asked }), preview: true });
    assert.equal(request.status, 200, request.text);
    const shared = await person.post(VP, { uri: await verifier.ask({ query: asked }) });
    assert.equal(shared.body.status, 'submitted', shared.text);

    const page = await openWallet(chromium, person, '/', { viewport: { width: 390, height: 800 } });
    for (const path of [
      '/',
      `/credentials/${credential.id}`,
      `/receive/${offer.body.exchangeId}`,
      `/share/${request.body.exchangeId}`,
      '/history',
      `/history?party=${encodeURIComponent(new URL(verifier.url).host)}`,
      '/history?view=all',
      `/history/${shared.body.exchangeId}`,
    ]) {
      await page.goto(wallet.url + path);
      await page.locator('.screen-body[aria-busy=false]').waitFor();
      const { text, pictures, tooWide, attacked } = await look(page);
      assert.equal(attacked, undefined, path);
      assert.equal(tooWide, 0, path);
      assert.doesNotMatch(text, INVISIBLE, path);
      assert.ok(!text.includes('\u0301\u0316\u0301\u0316\u0301'), path);
      assert.deepEqual(
        pictures.filter((src) => src !== LOGO),
        [],
        path,
      );
      // Closed, what is long stays out of the way.
      assert.ok(text.length < 12_000, `${path}: ${text.length} characters`);
    }
    await page.goto(`${wallet.url}/credentials/${credential.id}`);
    await page.locator('dl img.claim-picture').waitFor();
    await page.locator('details', { hasText: words.credentials.wholeValue }).first().locator('summary').click();
    assert.ok((await look(page)).text.includes(HUGE), 'all of it can be read');
    await page.goto(`${wallet.url}/share/${request.body.exchangeId}`);
    await onScreen(page, words.share.title);
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
    assert.equal(
      await page.locator('.peer-host bdi').innerText(),
      new URL(verifier.url).host,
      'the host first, whatever it calls itself',
    );
  });

  it('have their colours only where they can be read, and their logo only if it is a picture in the metadata', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person);
    const style = () => computedStyle(page.locator('.credential-card'), 'color', 'backgroundColor');
    const [white, black] = ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'];
    const looks: [object, string, string][] = [
      [{ background_color: '#ffff00', text_color: '#ffffff' }, black, 'rgb(255, 255, 0)'],
      [{ background_color: '#777777', text_color: '#777777' }, black, 'rgb(119, 119, 119)'],
      [{ background_color: '#111111', text_color: '#222222' }, white, 'rgb(17, 17, 17)'],
      [{ background_color: 'rgb(11, 110, 79)', text_color: '#ffffff' }, white, 'rgb(11, 110, 79)'],
      [{ background_color: 'url(https://evil.example/)', text_color: '#27406b' }, white, 'rgb(39, 64, 107)'],
      [{ background_color: '#0000;position:fixed', text_color: 'transparent' }, white, 'rgb(39, 64, 107)'],
    ];
    for (const [colours, ink, ground] of looks) {
      says({ name: 'Card', ...colours, logo: { uri: LOGO } });
      const { id } = await received(person);
      await page.goto(`${wallet.url}/credentials/${id}`);
      await onScreen(page, 'Card');
      assert.deepEqual(await style(), [ink, ground], JSON.stringify(colours));
      assert.equal(await page.locator('.credential-card img').getAttribute('src'), LOGO);
    }
    for (const uri of [
      data(png(1, 60_000)),
      data('<svg onload="attacked = true"/>', 'image/svg'),
      'https://evil.example/logo.png',
    ]) {
      says({ name: 'Card', logo: { uri } });
      await page.goto(`${wallet.url}/credentials/${(await received(person)).id}`);
      await onScreen(page, 'Card');
      assert.equal(await page.locator('.credential-card img').count(), 0, uri.slice(0, 40));
    }
  });
});
