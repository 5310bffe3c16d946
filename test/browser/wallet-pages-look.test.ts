// How the pages of the wallet look: without barriers, from a phone to a wide screen, in light and dark; by keyboard; in Spanish.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { withEnglish } from '../../console/shared/languages.ts';
import { words as written } from '../../console/wallet/words/de/index.ts';
import { words } from '../../console/wallet/words/en/index.ts';
import { words as spanish } from '../../console/wallet/words/es/index.ts';
import { keyboardTroubles, lookTroubles } from '../support/accessibility.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen } from '../support/console.ts';
import { png } from '../support/pictures.ts';
import { IDENTITY, queryFor, setUpPresentation } from '../support/presentation.ts';
import { onWallet } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

const chromium = usesChromium();
const BUDGET = 120 * 1024;

const WIDTHS = [390, 768, 2560];

/** Nothing stands out of the page, at the widths that `lookTroubles` leaves out. */
async function widthTroubles(page: Page, name: string): Promise<string[]> {
  const troubles: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (wide > 0) troubles.push(`${name} at ${width}: ${wide} px too wide`);
    const { SCREENSHOTS: folder } = process.env;
    if (folder) await page.screenshot({ path: join(folder, `wallet-${name}-${width}.png`), fullPage: true });
  }
  return troubles;
}

// The pages do not depend on the database.
onWallet('SQLite', 'The pages of the wallet', {}, (wallet) => {
  const { issuer, verifier } = setUpPresentation(wallet);
  const claims = [
    { id: 'name', path: ['given_name'] },
    { id: 'mail', path: ['email'] },
  ];
  const withChoice = { credentials: [queryFor('id', IDENTITY, { claims, claim_sets: [['name', 'mail'], ['name']] })] };

  it('look right everywhere, without barriers', async () => {
    const admin = await wallet.logIn('admin');
    issuer.twist = {
      reply: (endpoint, { body }) => {
        if (endpoint === 'metadata')
          body.credential_configurations_supported.identity.credential_metadata.display = [
            {
              name: 'Identity',
              background_color: '#0b6e4f',
              text_color: '#0b7050',
              description: 'Who you are, by the toy issuer',
              logo: { uri: `data:image/png;base64,${png(32).toString('base64')}`, alt_text: 'The toy issuer' },
            },
          ];
      },
    };
    await admin.post('/api/v1/wallet/oid4vci', { uri: issuer.offer() });
    await admin.post('/api/v1/wallet/oid4vci', { uri: issuer.offer({ configurations: ['membership'] }), count: 3 });
    const deferred = await admin.post('/api/v1/wallet/oid4vci', { uri: issuer.offer({ deferred: true }) });
    const offer = await admin.post('/api/v1/wallet/oid4vci', {
      uri: issuer.offer({ txCode: '123456', configurations: ['identity', 'membership', 'odd'] }),
      preview: true,
    });
    const request = await admin.post('/api/v1/wallet/oid4vp', { uri: await verifier.ask({ query: withChoice }), preview: true });
    const unproved = await admin.post('/api/v1/wallet/oid4vp', {
      uri: await verifier.ask({ by: 'unsigned', prefix: 'redirect_uri' }),
      preview: true,
    });
    const key = await admin.make('keys', { alias: 'Signing' });
    await admin.post(`/api/v1/wallet/keys/${key.id}/rotate`, {});
    const did = await admin.make('dids', { alias: 'The company' });
    await admin.post(`/api/v1/wallet/dids/${did.id}/publish`);
    const [credential] = (await admin.get('/api/v1/wallet/credentials')).body;

    const screens: [string, string][] = [
      ['credentials', '/'],
      ['credential', `/credentials/${credential.id}`],
      ['open', '/receive'],
      ['open-link', `/open?uri=${encodeURIComponent(issuer.offer())}`],
      ['offer', `/receive/${offer.body.exchangeId}`],
      ['share', `/share/${request.body.exchangeId}`],
      ['share-unproved', `/share/${unproved.body.exchangeId}`],
      ['history', '/history'],
      ['history-all', '/history?view=all'],
      ['history-party', `/history?party=${encodeURIComponent(new URL(issuer.url).host)}`],
      ['exchange', `/history/${deferred.body.exchangeId}`],
      ['keys', '/keys'],
      ['identifiers', '/identifiers'],
      ['identifier', `/identifiers/${did.id}`],
      ['node', '/node'],
    ];
    const page = await openWallet(chromium, admin, '/', { bypassCSP: true });
    const troubles: string[] = [];
    for (const [name, path] of screens) {
      await page.goto(wallet.url + path);
      await page.locator('.screen-body[aria-busy=false]').waitFor();
      troubles.push(...(await lookTroubles(page, `wallet-${name}`)), ...(await widthTroubles(page, name)));
    }
    for (const [name, path, button] of [
      ['dialog', '/keys', words.keys.create],
      ['dialog-revoke', '/keys', words.keys.revoke],
      ['dialog-rotate', '/keys', words.keys.rotate],
      ['dialog-cancel', `/history/${deferred.body.exchangeId}`, words.history.cancel],
      ['dialog-withdraw', `/identifiers/${did.id}`, words.identifiers.withdraw],
      ['dialog-delete', `/credentials/${credential.id}`, words.credentials.purge],
      ['dialog-decline', `/receive/${offer.body.exchangeId}`, words.receive.decline],
      ['dialog-identifier', '/identifiers', words.identifiers.create],
    ] as const) {
      await page.goto(wallet.url + path);
      await page.locator('.screen-body[aria-busy=false]').waitFor();
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
      troubles.push(...(await lookTroubles(page, `wallet-${name}`)));
    }
    // For experts, opened.
    await page.goto(`${wallet.url}/share/${request.body.exchangeId}`);
    await page.getByText(words.experts.title, { exact: true }).last().click();
    troubles.push(...(await lookTroubles(page, 'wallet-experts')));
    assert.deepEqual(troubles, []);
  });

  it('say the next step where there is nothing yet', async () => {
    const page = await openWallet(chromium, await wallet.logIn(), '/', { bypassCSP: true });
    const troubles: string[] = [];
    for (const path of ['/', '/history', '/history?view=all', '/keys']) {
      await page.goto(wallet.url + path);
      await page.locator('.empty').getByRole('link', { name: words.open.title }).waitFor();
      troubles.push(...(await lookTroubles(page, `wallet-empty${path.replace(/\W/g, '-')}`)));
    }
    assert.deepEqual(troubles, []);
  });

  it('show every credential that is chosen, and say that not all are described', async () => {
    const person = await wallet.logIn();
    const COUNT = 42;
    for (let one = 0; one < COUNT; one++) {
      const answer = await person.post('/api/v1/wallet/oid4vci', { uri: issuer.offer({ configurations: ['identity'] }) });
      assert.equal(answer.status, 201, answer.text);
    }
    const { body } = await person.post('/api/v1/wallet/oid4vp', {
      uri: await verifier.ask({ query: withChoice }),
      preview: true,
    });
    const page = await openWallet(chromium, person, `/share/${body.exchangeId}`);
    await onScreen(page, words.share.title);
    await page.getByText(words.share.many(COUNT, 40)).waitFor();
    await page.getByLabel(words.share.which).selectOption({ index: COUNT - 1 });
    await page.getByText(words.share.many(COUNT, 41)).waitFor();
    await page.getByRole('button', { name: words.share.consent(new URL(verifier.url).host) }).waitFor();
    await page.locator('dl.disclosed').getByText('Ada', { exact: true }).waitFor();
  });

  it('load little at first', async () => {
    const page = await openWallet(chromium, await wallet.logIn());
    await onScreen(page, words.credentials.title);
    const loaded = await page.evaluate<number[]>(
      "performance.getEntriesByType('resource').map(({ transferSize }) => transferSize).filter((size) => size > 0)",
    );
    const bytes = loaded.reduce((sum, one) => sum + one, 0);
    assert.ok(loaded.length > 10 && bytes < BUDGET, `${bytes} bytes in ${loaded.length} files`);
  });

  for (const [locale, here, brand] of [
    ['es', spanish, 'Cartera Gatehouse'],
    ['de', withEnglish(words, written), 'Gatehouse Wallet'],
  ] as const)
    it(`work by keyboard alone, and in other languages: ${locale}`, async () => {
      const person = await wallet.logIn();
      const page = await openWallet(chromium, person, '/receive', { bypassCSP: true, locale });
      await onScreen(page, here.open.title);
      assert.equal(await page.locator('.brand').innerText(), brand, 'as on the page before the sign-in');
      assert.deepEqual(await keyboardTroubles(page), []);
      await person.post('/api/v1/wallet/oid4vci', { uri: issuer.offer() });
      for (const [path, title] of [
        ['/', here.credentials.title],
        ['/history', here.history.title],
        ['/keys', here.keys.title],
        ['/identifiers', here.identifiers.title],
      ] as const) {
        await page.goto(wallet.url + path);
        await onScreen(page, title);
        assert.deepEqual(await keyboardTroubles(page), [], path);
      }
      await page.goto(wallet.url);
      await page.getByRole('link', { name: 'Identity' }).click();
      await onScreen(page, 'Identity');
      assert.deepEqual(await keyboardTroubles(page), []);
    });
});
