// Front-channel logout: which pages may be opened in a frame when a person signs out, and what they are told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty, type TokenSet } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type BrowserPage, redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const PATH = '/v3/OS-OAUTH2/consumers';
const GOODBYE = 'https://app.example.org/goodbye';
const OUT = 'https://app.example.org/out';
const FRONT = { frontchannel_logout_uri: OUT, frontchannel_logout_session_required: true, post_logout_redirect_uris: [GOODBYE] };

const framesOf = ({ text }: BrowserPage): string[] =>
  [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, src]) => src!.replaceAll('&amp;', '&'));
const frameSourcesOf = ({ headers }: BrowserPage): string | undefined =>
  /frame-src ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1];

onUsualDatabase('Front-channel logout', (api: TestApi) => {
  async function signedIn(values: Record<string, unknown> = FRONT, browser = new TestBrowser(api), person?: any) {
    const party = await RelyingParty.make(api, values);
    const who = person ?? (await makeUser(api));
    const tokens: TokenSet = await party.tokensFor(who, {}, browser);
    return { party, browser, tokens, person: who };
  }
  async function signOut(browser: TestBrowser, query: Record<string, string> = {}, answer: object = { logout: 'yes' }) {
    const page = await browser.go(`/openid/logout?${new URLSearchParams(query)}`);
    return browser.submit(page, undefined, answer as Record<string, string>);
  }

  describe('is refused at registration', () => {
    for (const [what, uri] of Object.entries({
      'for another host': 'https://evil.example/out',
      'for a host that only begins alike': 'https://app.example.org.evil.example/out',
      'for another port': 'https://app.example.org:8443/out',
      'for another scheme': 'http://app.example.org/out',
      'for a host below': 'https://a.app.example.org/out',
      'for our own pages': 'https://id.example.org/account',
    }))
      it(what, async () => {
        const consumer = { name: 'x', redirect_uris: ['https://app.example.org/callback'], frontchannel_logout_uri: uri };
        const answer = await api.post(PATH, { consumer });
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.text, /redirect_uris/);
        const { party } = await signedIn();
        const changed = await api.patch(`${PATH}/${party.application.id}`, { consumer: { frontchannel_logout_uri: uri } });
        assert.equal(changed.status, 400);
      });

    it('if the redirect addresses move away and it stays', async () => {
      const { party } = await signedIn();
      const consumer = { redirect_uris: ['https://new.example.org/callback'] };
      assert.equal((await api.patch(`${PATH}/${party.application.id}`, { consumer })).status, 400);
      const both = { ...consumer, frontchannel_logout_uri: 'https://new.example.org/out' };
      assert.equal((await api.patch(`${PATH}/${party.application.id}`, { consumer: both })).status, 200);
    });

    it('without any redirect address, and also inside of `extra`', async () => {
      assert.equal((await api.post(PATH, { consumer: { name: 'x', frontchannel_logout_uri: OUT } })).status, 400);
      const hidden = {
        name: 'x',
        redirect_uris: ['https://app.example.org/c'],
        extra: { frontchannel_logout_uri: 'https://evil.example/' },
      };
      const answer = await api.post(PATH, { consumer: hidden });
      if (answer.status === 200 || answer.status === 201)
        assert.notEqual(answer.body.consumer.frontchannel_logout_uri, 'https://evil.example/');
    });
  });

  it('opens the page of each application, with issuer and session, and goes on to where the person was going', async () => {
    const { party, browser, tokens, person } = await signedIn();
    const other = await signedIn(
      { ...FRONT, frontchannel_logout_uri: `${OUT}?app=two`, frontchannel_logout_session_required: false },
      browser,
      person,
    );
    const page = await signOut(browser, {
      client_id: party.application.id,
      post_logout_redirect_uri: GOODBYE,
      state: 'x"><script>',
    });
    assert.equal(page.status, 200);
    const frames = framesOf(page);
    const { sid } = tokens.claims()!;
    assert.ok(sid);
    assert.deepEqual(
      frames.sort(),
      [`${OUT}?${new URLSearchParams({ iss: api.url, sid: String(sid) })}`, `${OUT}?app=two`].sort(),
    );
    assert.equal(frameSourcesOf(page), 'https://app.example.org');
    assert.match(page.text, /sandbox="allow-same-origin allow-scripts"/);
    assert.doesNotMatch(page.text, /allow-top-navigation|allow-popups|<script>/);
    const [, next] = /<a class="button" href="([^"]+)" data-continue>/.exec(page.text)!;
    assert.equal(new URL(next!.replaceAll('&amp;', '&')).href.split('?')[0], GOODBYE);
    assert.equal(other.tokens.claims()!.sid, undefined, 'who is not told the session has no use for it');
  });

  it('has ended the session before anything is opened', async () => {
    const { party, browser } = await signedIn();
    const page = await signOut(browser);
    assert.equal(framesOf(page).length, 1);
    const { url } = await party.ask({ prompt: 'none' });
    assert.equal(redirectTargetOf(await browser.go(url)).searchParams.get('error'), 'login_required');
  });

  it('opens nothing when the person stays, when the form is forged, and when nobody is signed in', async () => {
    const { browser } = await signedIn();
    assert.deepEqual(framesOf(await signOut(browser, {}, {})), []);
    assert.deepEqual(framesOf(await browser.send('/openid/logout/confirm', { xsrf: 'guessed', logout: 'yes' })), []);
    const stranger = new TestBrowser(api);
    assert.deepEqual(framesOf(await stranger.send('/openid/logout/confirm', { xsrf: 'guessed', logout: 'yes' })), []);
  });

  it('tells no application of the sessions of others, nor one in which the person was not', async () => {
    const { party, browser, person } = await signedIn();
    const elsewhere = await signedIn(FRONT, new TestBrowser(api), person);
    const page = await signOut(browser);
    assert.equal(framesOf(page).length, 1);
    assert.doesNotMatch(page.text, new RegExp(String(elsewhere.tokens.claims()!.sid)));
    assert.doesNotMatch(page.text, new RegExp(party.application.secret));
  });

  it('opens no page whose application is gone, or has moved without being asked', async () => {
    const gone = await signedIn();
    await api.delete(`${PATH}/${gone.party.application.id}`);
    assert.deepEqual(framesOf(await signOut(gone.browser)), []);
    // As an older version, or a hand in the database, may have stored it.
    const party = await RelyingParty.make(api, FRONT);
    const db = await databaseOf(api);
    const extra = JSON.stringify({ ...FRONT, frontchannel_logout_uri: 'https://evil.example/out' });
    await db.write((tx) => tx.updateTable('consumers').set({ extra }).where('id', '=', party.application.id).execute());
    await db.close();
    const browser = new TestBrowser(api);
    await party.tokensFor(await makeUser(api), {}, browser);
    assert.deepEqual(framesOf(await signOut(browser)), []);
  });

  it('opens no more pages than a browser stands', async () => {
    const browser = new TestBrowser(api);
    const person = await makeUser(api);
    for (let at = 0; at < 33; at++) await signedIn({ ...FRONT, frontchannel_logout_uri: `${OUT}/${at}` }, browser, person);
    assert.equal(framesOf(await signOut(browser)).length, 30);
  });

  it('escapes what an address holds', async () => {
    const uri = `${OUT}?a="><script>alert(1)</script>&b='`;
    const consumer = { name: 'x', redirect_uris: ['https://app.example.org/callback'], frontchannel_logout_uri: uri };
    const { status } = await api.post(PATH, { consumer });
    if (status === 400) return;
    const { browser } = await signedIn({ ...FRONT, frontchannel_logout_uri: uri });
    assert.doesNotMatch((await signOut(browser)).text, /<script>alert/);
  });
});
