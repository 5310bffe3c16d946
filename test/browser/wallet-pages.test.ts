// The pages of the wallet in a real browser: receiving, sharing, history, keys, identifiers, the node; and attacks.
import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/shared/words/en.ts';
import { words } from '../../console/wallet/words/en/index.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen } from '../support/console.ts';
import { itAtLength } from '../support/extent.ts';
import { IDENTITY, MEMBERSHIP, PresentationSetup, queryFor } from '../support/presentation.ts';
import { qrPicture } from '../support/qr-codes.ts';
import { press } from '../support/visitor.ts';
import { onUsualWallet } from '../support/wallet.ts';
import { openBrowser, openWallet, useSession } from '../support/wallet-page.ts';

const chromium = usesChromium({ reusesContexts: true });
const hostOf = ({ url }: { readonly url: string }): string => new URL(url).host;
const EVIL = '<img src=x onerror="window.attacked = true"><script>window.attacked = true</script>';

onUsualWallet('The pages of the wallet', (wallet) => {
  const world = new PresentationSetup(wallet);
  const { issuer, verifier } = world;
  before(async () => {
    await issuer.start();
    await verifier.start();
  });
  after(async () => {
    await issuer.stop();
    await verifier.stop();
  });
  afterEach(() => {
    issuer.reset();
    verifier.reset();
  });

  const claims = [
    { id: 'name', path: ['given_name'] },
    { id: 'mail', path: ['email'] },
  ];
  const withChoice = { credentials: [queryFor('id', IDENTITY, { claims, claim_sets: [['name', 'mail'], ['name']] })] };

  async function paste(page: Page, link: string): Promise<void> {
    await page.getByLabel(words.open.link).fill(link);
    await press(page, words.open.look);
  }
  const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const issuerCalled = (endpoint: string): boolean => issuer.seen.some((one) => one.endpoint === endpoint);

  itAtLength('are for browsers; clients still get the addresses of the service', async () => {
    const json = await wallet.get('/');
    assert.equal(json.body.service, 'Gatehouse wallet node');
    const page = await wallet.get('/', { headers: { Accept: 'text/html,*/*' } });
    assert.match(page.headers.get('content-type')!, /^text\/html/);
    assert.match(page.headers.get('content-security-policy')!, /require-trusted-types-for 'script'/);
    assert.match(page.headers.get('content-security-policy')!, /frame-ancestors 'none'/);
    assert.equal((await wallet.request('POST', '/history')).status, 405);
    assert.equal((await wallet.get('/pages/../package.json')).status, 404);
    assert.equal((await wallet.get('/pages/x/wallet/main.ts')).status, 404);
    assert.equal((await wallet.get('/nowhere', { headers: { Accept: 'text/html' } })).status, 404);
  });

  it('ask whoever is not signed in to sign in, and come back to the same screen', async () => {
    const page = await openBrowser(chromium, wallet);
    await page.goto(`${wallet.url}/history?open=true`);
    const link = page.getByRole('link', { name: texts.signIn });
    const href = new URL((await link.getAttribute('href'))!, wallet.url);
    assert.deepEqual([href.pathname, href.searchParams.get('return_to')], ['/api/v1/auth/login', '/history?open=true']);
    await useSession(page, await wallet.logIn());
    await page.reload();
    await onScreen(page, words.history.title);
    await press(page, await page.locator('.tools button').first().innerText());
    // The provider's own page, which may lead on at once.
    const left = page.waitForRequest(/\/session\/end/);
    await press(page, texts.signOut);
    await left;
    // In another tab: the provider's page may still lead this one on.
    const other = await page.context().newPage();
    await other.goto(wallet.url);
    await other.getByRole('link', { name: texts.signIn }).waitFor();
  });

  it('receive a credential: who offers what, a transaction code, and the card', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person);
    await onScreen(page, words.credentials.title);
    await page.getByText(words.credentials.empty).waitFor();
    await page.getByRole('main').getByRole('link', { name: words.open.title }).first().click();
    await onScreen(page, words.open.title);
    await page.getByLabel(words.open.link).fill('https://example.org/');
    await page.getByText(words.open.noLink).waitFor();

    await paste(page, issuer.offer({ txCode: '1234' }));
    await onScreen(page, words.receive.title);
    await page.locator('.peer-host', { hasText: hostOf(issuer) }).waitFor();
    await page.locator('q', { hasText: 'The toy issuer' }).waitFor();
    await page.getByText(words.receive.proofs.none).waitFor();
    await page.getByText('“By letter”').waitFor();
    assert.equal(issuerCalled('token'), false, 'nothing is accepted by looking');
    await page.getByLabel(words.receive.txCode).fill('9999');
    await press(page, words.receive.accept);
    await page.getByRole('alert').getByText(words.problems.explanations['tx-code-rejected'].title).waitFor();
    await page.getByLabel(words.receive.txCode).fill('1234');
    await press(page, words.receive.accept);
    await onScreen(page, 'Identity');
    await page.getByText('Lovelace').waitFor();
    await page.goto(wallet.url);
    await page.getByRole('link', { name: 'Identity' }).waitFor();

    await page.getByRole('link', { name: 'Identity' }).click();
    await onScreen(page, 'Identity');
    await press(page, words.credentials.purge);
    await dialogButton(page, words.credentials.purge).click();
    await page.getByText(words.credentials.empty).waitFor();
  });

  it('share exactly what was shown: chosen credential, fewer claims', async () => {
    const { person } = await world.holder();
    const older = (await person.get('/api/v1/wallet/credentials')).body[0];
    await world.receive(person);
    const page = await openWallet(chromium, person, '/receive');
    await onScreen(page, words.open.title);
    await paste(page, await verifier.ask({ query: withChoice }));
    await onScreen(page, words.share.title);
    // The name is its own word, so that it is not what people are asked about.
    await page
      .locator('.peer-host', { hasText: hostOf(verifier) })
      .getByText(words.peers.notVerified)
      .waitFor();
    await page.locator('q', { hasText: 'The toy verifier' }).waitFor();
    await page.getByText(words.share.proofs.did).waitFor();
    await page.getByText('ada@example.org', { exact: true }).waitFor();
    await page.locator(`input[type=radio][value="${older.id}"]`).check();
    await page.getByRole('group', { name: words.share.howMuch }).getByRole('radio').nth(1).check();
    await page.getByText('ada@example.org', { exact: true }).waitFor({ state: 'detached' });
    await press(page, words.share.consent(hostOf(verifier)));
    await page.getByText(words.share.shared).waitFor();
    const { id } = await world.readToken(verifier.tokens[0]!);
    assert.deepEqual(id![0]!.claims, { given_name: 'Ada' });
    await page.getByRole('link', { name: words.share.seeHistory }).click();
    await onScreen(page, words.history.sharedWith(hostOf(verifier)));
    await page.getByText('given name').waitFor();
    // By party: what each gave and got.
    await page.goto(`${wallet.url}/history`);
    await page.getByText(words.history.gaveTimes(2)).waitFor();
    await page.getByRole('link', { name: hostOf(verifier) }).click();
    await onScreen(page, words.history.withParty(hostOf(verifier)));
    await page.getByText(words.history.got('Identity', 'given name')).waitFor();
    await page.getByRole('link', { name: words.history.details }).click();
    await onScreen(page, words.history.sharedWith(hostOf(verifier)));
  });

  itAtLength('leave out what is optional, unless the person adds it, and say what for', async () => {
    const { person } = await world.holder();
    await world.receive(person, { configuration: 'membership' });
    const query = {
      credentials: [queryFor('id', IDENTITY, { claims: [{ path: ['given_name'] }] }), queryFor('club', MEMBERSHIP)],
      credential_sets: [
        { options: [['id']], purpose: 'To let you in' },
        { options: [['club']], required: false },
      ],
    };
    for (const adds of [false, true]) {
      const page = await openWallet(chromium, person, '/receive');
      await paste(page, await verifier.ask({ query }));
      await page.locator('q', { hasText: 'To let you in' }).waitFor();
      const box = page.getByRole('checkbox', { name: words.share.alsoShow('membership') });
      assert.equal(await box.isChecked(), false);
      if (adds) await box.check();
      assert.equal(await page.getByRole('heading', { name: 'membership', exact: true }).count(), adds ? 1 : 0);
      await press(page, words.share.consent(hostOf(verifier)));
      await page.getByText(words.share.shared).waitFor();
      assert.deepEqual(Object.keys(verifier.tokens.at(-1)!), adds ? ['id', 'club'] : ['id']);
    }
  });

  itAtLength('ask issuers whether credentials are valid when the person wants it, and not before', async () => {
    const list = 'https://lists.example/1';
    const { person } = await world.holder({
      draft: ({ payload }) => void Object.assign(payload, { status: { status_list: { idx: 1, uri: list } } }),
    });
    const page = await openWallet(chromium, person);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.reload();
    await page.getByText(words.credentials.statuses.unknown).waitFor();
    assert.ok(!asked.some((url) => url.includes('refreshStatus')));
    await press(page, words.credentials.check);
    await page.getByText(words.credentials.wasChecked).waitFor();
    assert.equal(asked.filter((url) => url.includes('refreshStatus=true')).length, 1);
  });

  itAtLength('say which credential is asked for in a format that the wallet does not know', async () => {
    const { person } = await world.holder();
    const novel = { id: 'pass', format: 'a+format', meta: {} };
    const page = await openWallet(chromium, person, '/receive');
    await paste(page, await verifier.ask({ query: { credentials: [novel, queryFor('id', IDENTITY)] } }));
    await page.getByText(words.share.unknownFormat('pass', 'a+format')).waitFor();
    assert.equal(await page.getByRole('button', { name: words.share.consent(hostOf(verifier)) }).count(), 0);
    const other = await openWallet(chromium, person, '/receive');
    const query = { credentials: [novel, queryFor('id', IDENTITY)], credential_sets: [{ options: [['pass'], ['id']] }] };
    await paste(other, await verifier.ask({ query }));
    await other.getByText(`(${words.share.unknown})`).waitFor();
    await press(other, words.share.consent(hostOf(verifier)));
    await other.getByText(words.share.shared).waitFor();
  });

  itAtLength('refuse a request, and say so to the verifier', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person, '/receive');
    await paste(page, await verifier.ask());
    await page.getByText(words.share.notSatisfiable).waitFor();
    assert.equal(await page.getByRole('button', { name: words.share.consent(hostOf(verifier)) }).count(), 0);
    await press(page, words.share.refuse);
    await page.getByText(words.share.refused).waitFor();
    assert.deepEqual(
      verifier.posted.map(({ error }) => error),
      ['access_denied'],
    );
  });

  itAtLength('show how a deferred credential comes on, and resume and cancel what is open', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person, '/receive');
    await paste(page, issuer.offer({ deferred: true }));
    await onScreen(page, words.receive.title);
    await press(page, words.receive.accept);
    await onScreen(page, words.history.offerOf(hostOf(issuer)));
    await page.getByText(words.history.nextSteps.wait).waitFor();
    issuer.ready = true;
    wallet.clock.advance(60);
    await press(page, words.history.askNow);
    await page.getByText(words.history.receivedTitle).waitFor();

    // Looked at, left, found again in the history, and cancelled.
    await page.goto(`${wallet.url}/receive`);
    await paste(page, issuer.offer());
    await onScreen(page, words.receive.title);
    await page.goto(wallet.url);
    await page.getByText(words.history.waiting(1)).waitFor();
    await page.getByRole('link', { name: words.history.show }).click();
    await page.getByRole('link', { name: hostOf(issuer) }).click();
    await onScreen(page, words.history.offerOf(hostOf(issuer)));
    await page.getByRole('link', { name: words.history.goOn }).click();
    await onScreen(page, words.receive.title);
    await page.goBack();
    await onScreen(page, words.history.offerOf(hostOf(issuer)));
    await press(page, words.history.cancel);
    await dialogButton(page, words.history.cancel).click();
    await page.getByText(words.history.states.cancelled, { exact: true }).waitFor();
  });

  itAtLength('read the link from a picture of a QR code, in the browser', async () => {
    const page = await openWallet(chromium, await wallet.logIn(), '/receive');
    const picture = (text: string) => ({ name: 'code.png', mimeType: 'image/png', buffer: qrPicture(text) });
    await page.getByLabel(words.open.picture).setInputFiles(picture('https://example.org/'));
    await page.getByText(words.open.noCode).waitFor();
    await page.getByLabel(words.open.picture).setInputFiles(picture(issuer.offer({}, 'reference')));
    await onScreen(page, words.receive.title);
  });

  itAtLength('show an offer again that has changed since', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person, '/receive');
    await paste(page, issuer.offer());
    await onScreen(page, words.receive.title);
    issuer.twist = {
      reply: (endpoint, { body }) => {
        if (endpoint === 'metadata') body.display = [{ name: 'Another issuer' }];
      },
    };
    await press(page, words.receive.accept);
    await page.getByText(words.receive.outdated).waitFor();
    await page.getByText('Another issuer').waitFor();
    assert.equal(issuerCalled('token'), false);
    await press(page, words.receive.accept);
    await onScreen(page, 'Identity');
  });

  itAtLength('manage keys: made, rotated, revoked, deleted', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person, '/keys');
    await page.getByText(words.keys.empty).waitFor();
    await press(page, words.keys.create);
    await page.getByRole('textbox', { name: words.keys.alias }).fill('Signing');
    await dialogButton(page, texts.create).click();
    const card = page.getByRole('article', { name: 'Signing' });
    await card.getByRole('button', { name: words.keys.rotate }).click();
    await page.getByLabel(words.keys.graceDays).fill('4000');
    await page.getByText(words.keys.badGrace).waitFor();
    await page.getByLabel(words.keys.graceDays).fill('30');
    await dialogButton(page, words.keys.rotate).click();
    await page.getByRole('progressbar', { name: /days/ }).waitFor();
    const [key] = (await person.get('/api/v1/wallet/keys?state=rotated')).body;
    const old = page.locator(`article:has(#${key.id})`);
    await old.getByRole('button', { name: words.keys.revoke }).click();
    await dialogButton(page, words.keys.revoke).click();
    await old.getByText(words.keys.states.revoked, { exact: true }).first().waitFor();
    await old.getByRole('button', { name: words.keys.purge }).click();
    await dialogButton(page, words.keys.purge).click();
    await old.waitFor({ state: 'detached' });
  });

  itAtLength('manage identifiers: made, published as it is served, withdrawn, deleted', async () => {
    const person = await wallet.logIn();
    const page = await openWallet(chromium, person, '/identifiers');
    await press(page, words.identifiers.create);
    await page.getByLabel(words.identifiers.alias).last().fill('The company');
    await dialogButton(page, texts.create).click();
    await onScreen(page, 'The company');
    await page.getByText(words.identifiers.notServed).waitFor();
    await press(page, words.identifiers.publish);
    await dialogButton(page, words.identifiers.publish).click();
    await page.getByText(words.identifiers.served).waitFor();
    const [did] = (await person.get('/api/v1/wallet/dids')).body;
    const served = await wallet.get(new URL(did.documentUrl).pathname);
    assert.deepEqual(JSON.parse(await page.locator('pre').innerText()), served.body);
    await press(page, words.identifiers.withdraw);
    await dialogButton(page, words.identifiers.withdraw).click();
    await page.getByText(words.identifiers.notServed).waitFor();
    await press(page, words.identifiers.remove);
    await dialogButton(page, words.identifiers.remove).click();
    await onScreen(page, words.identifiers.title);
  });

  it('show the node to its administrators only', async () => {
    const page = await openWallet(chromium, await wallet.logIn('admin'));
    await page.getByRole('link', { name: words.experts.title }).click();
    await page.getByRole('link', { name: words.node.title }).click();
    await onScreen(page, words.node.title);
    assert.equal(await page.locator('#menu a[aria-current=page]').innerText(), words.experts.title);
    await page.getByText(words.identifiers.served).waitFor();
    const other = await openWallet(chromium, await wallet.logIn(), '/node');
    await other.getByRole('alert').getByText(texts.refusedTitle, { exact: true }).waitFor();
    assert.equal(await other.getByRole('link', { name: words.node.title, exact: true }).count(), 0);
    await other.getByRole('link', { name: words.experts.title }).click();
    await onScreen(other, words.keys.title);
    assert.equal(await other.getByRole('link', { name: words.node.title, exact: true }).count(), 0);
  });

  it('ask nobody anything when another site opens a link, before the person agrees', async () => {
    const { person } = await world.holder();
    issuer.seen.length = 0;
    const offer = issuer.offer({}, 'reference');
    const page = await openWallet(chromium, person, `/open?uri=${encodeURIComponent(offer)}`);
    await onScreen(page, words.open.offerTitle);
    await page.getByText(new URL(issuer.url).host).waitFor();
    assert.deepEqual(issuer.seen, []);
    await press(page, words.open.look);
    await onScreen(page, words.receive.title);
    assert.ok(!page.url().includes('offer'), 'the link is not in the address any more');

    // The parameters themselves, as at the address of a wallet.
    await page.goto((await verifier.ask()).replace('openid4vp://', `${wallet.url}/open`));
    await onScreen(page, words.open.requestTitle);
    await press(page, words.open.look);
    await onScreen(page, words.share.title);
    // Whoever asks is checked by the document of the identifier.
    const asking = { client_id: 'decentralized_identifier:did:web:verifier.example%3A8443:shop', request: 'e30.e30.' };
    await page.goto(`${wallet.url}/open?${new URLSearchParams(asking)}`);
    await page.getByText('verifier.example:8443').waitFor();
    await page.goto(`${wallet.url}/open?uri=javascript:alert(1)`);
    await page.getByText(words.open.noLink).waitFor();
  });

  it('show names and claims of strangers as texts', async () => {
    const person = await wallet.logIn();
    issuer.twist = {
      reply: (endpoint, { body }) => {
        if (endpoint !== 'metadata') return;
        body.display = [{ name: EVIL }];
        body.credential_configurations_supported.identity.credential_metadata = {
          display: [{ name: EVIL, description: EVIL, background_color: '#ffff00', text_color: '#ffffff' }],
          claims: [{ path: ['given_name'], display: [{ name: EVIL }] }],
        };
      },
      credential: ({ disclosures }) => {
        disclosures.given_name = EVIL;
      },
    };
    verifier.twist = {
      request: ({ payload }) => void Object.assign(payload.client_metadata as object, { client_name: EVIL }),
    };
    const page = await openWallet(chromium, person, '/receive');
    await paste(page, issuer.offer());
    await onScreen(page, words.receive.title);
    await press(page, words.receive.accept);
    await page.getByRole('heading', { level: 1, name: /onerror/ }).waitFor();
    await page.goto(`${wallet.url}/receive`);
    await paste(page, await verifier.ask());
    await onScreen(page, words.share.title);
    await page.getByText(EVIL).first().waitFor();
    for (const path of ['/', '/history']) {
      await page.goto(wallet.url + path);
      await page.getByText(EVIL).first().waitFor();
    }
    assert.equal(await page.evaluate('window.attacked'), undefined);
  });

  it('keep what was entered when the session ends, and show nothing of the first person to another', async () => {
    const person = await wallet.logIn('somebody');
    const page = await openWallet(chromium, person, '/receive');
    await onScreen(page, words.open.title);
    await page.context().clearCookies();
    await paste(page, issuer.offer());
    const dialog = page.getByRole('dialog', { name: texts.signedOutTitle });
    await dialog.waitFor();
    await useSession(page, await wallet.logIn('somebody'));
    await dialog.getByRole('button', { name: texts.goOn }).click();
    await onScreen(page, words.receive.title);

    await page.goto(`${wallet.url}/keys`);
    await onScreen(page, words.keys.title);
    await useSession(page, await wallet.logIn('another'));
    await page.context().clearCookies();
    await press(page, words.keys.create);
    await dialogButton(page, texts.create).click();
    await dialog.waitFor();
    await useSession(page, await wallet.logIn('another'));
    await dialog.getByRole('button', { name: texts.goOn }).click();
    await page.waitForURL(`${wallet.url}/`);

    // In another tab, without a word to this one: the cookie is that of the other person then.
    await page.goto(`${wallet.url}/keys`);
    await onScreen(page, words.keys.title);
    await useSession(page, await wallet.logIn('somebody'));
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await page.waitForURL(`${wallet.url}/`);
  });
});
