// The consent page shows each API that an application requests (RFC 8707), and the application gets no other.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const words = LANGUAGES.en;

const WALLET = 'https://wallet.example.org';
const OTHER = 'https://files.example.org/v1';

onUsualDatabase('A resource of an application’s request', (api) => {
  before(async () => {
    await makeApi(api, { identifier: WALLET, name: 'Wallet', scopes: [] });
    await makeApi(api, { identifier: OTHER, name: 'Files', scopes: [] });
  });

  const questions = (browser: TestBrowser): readonly BrowserPage[] => browser.seen.filter((page) => stepOf(page) === 'allow');
  const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

  it('is named on the page, and allowed with it', async () => {
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    const tokens = await party.tokensFor(person, { resource: WALLET }, browser);
    const { aud, scope } = payloadOf(tokens.access_token);
    assert.deepEqual([aud, scope], [WALLET, undefined]);
    const [page] = questions(browser);
    assert.ok(page!.text.includes(`<li>${words.scopes.openid}</li>`));
    assert.ok(
      page!.text.includes('to use <strong>Wallet</strong> (<code>https://wallet.example.org</code>) in your name'),
      page!.text,
    );
  });

  it('is not covered by what was allowed before, is asked for once, and is remembered', async () => {
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    await party.tokensFor(person, { scope: 'openid email' }, browser);
    assert.equal(questions(browser).length, 1);
    assert.ok(!questions(browser)[0]!.text.includes('in your name'));

    await party.tokensFor(person, { resource: WALLET }, browser);
    assert.equal(questions(browser).length, 2, 'in the same session');
    await party.tokensFor(person, { resource: WALLET }, browser);
    await party.tokensFor(person, { scope: 'openid email' }, browser);
    assert.equal(questions(browser).length, 2);

    const elsewhere = new TestBrowser(api);
    await party.tokensFor(person, { resource: WALLET, scope: 'openid' }, elsewhere);
    assert.equal(questions(elsewhere).length, 0, 'in another browser');
    await party.tokensFor(person, { resource: OTHER }, elsewhere);
    assert.equal(questions(elsewhere).length, 1, 'another one is another question');
    assert.ok(questions(elsewhere)[0]!.text.includes(OTHER));

    const third = new TestBrowser(api);
    for (const resource of [WALLET, OTHER]) await party.tokensFor(person, { resource, scope: 'openid' }, third);
    await party.tokensFor(person, { scope: 'openid email' }, third);
    assert.equal(questions(third).length, 0, 'what was allowed one by one stands together');
  });

  it('is asked for although its scopes were allowed, and by one person for themselves only', async () => {
    const [party, one, two] = [await RelyingParty.make(api), await makeUser(api), await makeUser(api)];
    await party.tokensFor(one, { scope: 'openid email', resource: WALLET });
    const browser = new TestBrowser(api);
    await party.tokensFor(two, { scope: 'openid email', resource: WALLET }, browser);
    assert.equal(questions(browser).length, 1);
  });

  it('is not granted when the person denies it, or with prompt=none', async () => {
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    await party.tokensFor(person, {}, browser);
    const silent = redirectTargetOf(await browser.go((await party.ask({ resource: WALLET, prompt: 'none' })).url));
    assert.equal(silent.searchParams.get('error'), 'consent_required');
    const no = redirectTargetOf(await browser.signIn((await party.ask({ resource: WALLET })).url, { ...person, consent: false }));
    assert.equal(no.searchParams.get('error'), 'access_denied');
    // A grant without the resource gives no token for it at the token endpoint either.
    const { url, checks } = await party.ask();
    const back = redirectTargetOf(await browser.go(url));
    const redeemed = client.authorizationCodeGrant(party.config, back, checks, { resource: WALLET });
    assert.equal(await refusal(redeemed), 'invalid_target');
  });

  it('shows each of several, cut where it is long, its host always whole, and as text', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.org`;
    const long = `https://${host}/${'x'.repeat(90)}`;
    const strange = 'https://api.example.org/<b>&"x\'';
    await makeApi(api, { identifier: long, scopes: [] });
    await makeApi(api, { identifier: strange, name: '<i>&amp;', scopes: [{ name: 'a', description: '<u>a</u>' }] });
    const { url } = await party.ask({ resource: long, scope: 'openid a' });
    url.searchParams.append('resource', strange);
    const page = await new TestBrowser(api).signIn(url, { ...person, consent: false });
    assert.equal(redirectTargetOf(page).searchParams.get('error'), 'access_denied');
    const browser = new TestBrowser(api);
    const shown = await browser.submit(await browser.go(url), 'password', { name: person.name, password: person.password });
    assert.ok(shown.text.includes(`https://${host}/xxx`), shown.text);
    assert.ok(shown.text.includes('…</code>') && !shown.text.includes('x'.repeat(80)));
    for (const tag of ['<b>', '<i>', '<u>']) assert.ok(!shown.text.includes(tag), tag);
    assert.ok(shown.text.includes('&lt;u&gt;a&lt;/u&gt;'));
    assert.ok(shown.text.includes('https://api.example.org/'));
  });

  it('is named to whoever connects a device, too', async () => {
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    await party.tokensFor(person, {}, browser);
    const begun = await client.initiateDeviceAuthorization(party.config, { scope: 'openid', resource: WALLET });
    const confirm = await browser.go(begun.verification_uri_complete!);
    const page = await browser.submit(await browser.submit(confirm, undefined), undefined);
    assert.equal(stepOf(page), 'allow', page.text);
    assert.ok(page.text.includes(WALLET));
    await browser.submit(page, 'allow');
    const redeemed = { device_code: begun.device_code };
    const tokens = await client.genericGrantRequest(party.config, 'urn:ietf:params:oauth:grant-type:device_code', redeemed);
    assert.equal(payloadOf(tokens.access_token).aud, WALLET);
  });

  it('cannot pretend to be on another host', async () => {
    const party = await RelyingParty.make(api);
    const { url } = await party.ask({ resource: 'https://wallet.example.org@evil.example' });
    assert.equal(redirectTargetOf(await new TestBrowser(api).go(url)).searchParams.get('error'), 'invalid_target');
  });

  it('needs no consent for first-party applications', async () => {
    const { clientId } = await api.service.registerWallet(WALLET);
    const asked = { client_id: clientId, response_type: 'code', scope: 'openid', resource: WALLET, state: 'x' };
    const query = new URLSearchParams({ ...asked, redirect_uri: `${WALLET}/api/v1/auth/callback` });
    const browser = new TestBrowser(api);
    const page = await browser.signIn(`${api.url}/openid/authorize?${query}`, await makeUser(api));
    assert.ok(redirectTargetOf(page).searchParams.has('code'));
    assert.equal(questions(browser).length, 0);
  });
});
