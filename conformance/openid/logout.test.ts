// OpenID Connect RP-Initiated Logout and Back-Channel Logout.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import * as client from 'openid-client';
import { onUsualDatabase } from '../../test/support/api.ts';
import { makeUser, RelyingParty, refusal, type TokenSet } from '../../test/support/relying-party.ts';
import { type BrowserPage, redirectTargetOf, TestBrowser } from '../../test/support/test-browser.ts';

const GOODBYE = 'https://app.example.org/goodbye';
const BACK = { post_logout_redirect_uris: [GOODBYE] };

onUsualDatabase('Logging out of the OpenID provider', (api) => {
  interface SignedIn {
    readonly party: RelyingParty;
    readonly browser: TestBrowser;
    readonly tokens: TokenSet;
  }

  async function signedIn(values: Record<string, unknown> = BACK): Promise<SignedIn> {
    const [party, person, browser] = [await RelyingParty.make(api, values), await makeUser(api), new TestBrowser(api)];
    return { party, browser, tokens: await party.tokensFor(person, {}, browser) };
  }

  /** As the service sees it, whatever the cookie says. */
  async function hasSession({ party, browser }: Pick<SignedIn, 'party' | 'browser'>): Promise<boolean> {
    const { url } = await party.ask({ prompt: 'none' });
    const error = redirectTargetOf(await browser.go(url)).searchParams.get('error');
    assert.ok(error === null || error === 'login_required' || error === 'consent_required', String(error));
    return error !== 'login_required';
  }

  const endUrl = ({ config }: RelyingParty, parameters: Record<string, string>): URL => {
    const url = new URL(config.serverMetadata().end_session_endpoint!);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  };
  const confirm = (browser: TestBrowser, page: BrowserPage): Promise<BrowserPage> =>
    browser.submit(page, undefined, { logout: 'yes' });

  async function endsHere({ party, browser }: SignedIn, parameters: Record<string, string>): Promise<void> {
    const page = await confirm(browser, await browser.go(endUrl(party, parameters)));
    assert.deepEqual([page.status, page.redirectTarget], [200, undefined]);
    assert.match(page.text, /You are signed out/);
    assert.equal(await hasSession({ party, browser }), false);
  }

  async function isRefused({ party, browser }: SignedIn, parameters: Record<string, string>): Promise<void> {
    const page = await browser.go(endUrl(party, parameters));
    assert.deepEqual([page.status, page.redirectTarget], [400, undefined]);
    assert.equal(await hasSession({ party, browser }), true);
  }

  describe('by an application', () => {
    it('is announced in the metadata', async () => {
      const { config } = await RelyingParty.make(api);
      const metadata = config.serverMetadata();
      assert.equal(metadata.end_session_endpoint, `${api.url}/openid/logout`);
      assert.deepEqual([metadata.backchannel_logout_supported, metadata.backchannel_logout_session_supported], [true, true]);
    });

    it('asks the person, ends the session and its tokens, and goes back with the state', async () => {
      const { party, browser, tokens } = await signedIn();
      const url = client.buildEndSessionUrl(party.config, {
        id_token_hint: tokens.id_token!,
        post_logout_redirect_uri: GOODBYE,
        state: 'a state',
      });
      const asked = await browser.go(url);
      assert.match(asked.text, /Do you want to sign out/);
      assert.equal(await hasSession({ party, browser }), true, 'a link alone ends nothing');
      const left = redirectTargetOf(await confirm(browser, await browser.go(url)));
      assert.equal(left.href, `${GOODBYE}?state=a+state`);
      assert.equal(await hasSession({ party, browser }), false);
      assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
    });

    it('goes back without a state when there was none', async () => {
      const { party, browser, tokens } = await signedIn();
      const parameters = { id_token_hint: tokens.id_token!, post_logout_redirect_uri: GOODBYE };
      const left = redirectTargetOf(await confirm(browser, await browser.go(endUrl(party, parameters))));
      assert.equal(left.href, GOODBYE);
      assert.equal(await hasSession({ party, browser }), false);
    });

    it('goes back to an application that says its id instead of a hint', async () => {
      const { party, browser } = await signedIn();
      const page = await browser.go(client.buildEndSessionUrl(party.config, { post_logout_redirect_uri: GOODBYE }));
      assert.equal(redirectTargetOf(await confirm(browser, page)).href, GOODBYE);
    });

    it('goes nowhere without a hint of which application asks', async () => {
      await endsHere(await signedIn(), { post_logout_redirect_uri: GOODBYE, state: 'x' });
    });

    it('ends here without any parameters', async () => endsHere(await signedIn(), {}));

    it('ends here with nothing but a state', async () => endsHere(await signedIn(), { state: 'x' }));

    it('ends here with a hint and no address to go to', async () => {
      const one = await signedIn();
      await endsHere(one, { id_token_hint: one.tokens.id_token!, state: 'x' });
    });

    it('refuses an address that is not registered', async () => {
      const one = await signedIn();
      for (const uri of [
        'https://evil.example/',
        `${GOODBYE}/more`,
        'https://app.example.org/',
        `${GOODBYE}#x`,
        'javascript:alert(1)',
      ])
        await isRefused(one, { id_token_hint: one.tokens.id_token!, post_logout_redirect_uri: uri });
    });

    it('refuses an address with a query that is not registered', async () => {
      const one = await signedIn();
      await isRefused(one, { id_token_hint: one.tokens.id_token!, post_logout_redirect_uri: `${GOODBYE}?foo=bar` });
    });

    it('refuses a hint whose signature does not fit', async () => {
      const one = await signedIn();
      const [head, , signature] = one.tokens.id_token!.split('.');
      const claims = { ...one.tokens.claims(), sub: 'somebody' };
      const changed = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
      await isRefused(one, { id_token_hint: changed, post_logout_redirect_uri: GOODBYE });
    });

    it('refuses a hint that somebody else signed', async () => {
      const one = await signedIn();
      const secret = new TextEncoder().encode(one.party.application.secret);
      const forged = await new SignJWT({ ...one.tokens.claims() }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
      await isRefused(one, { id_token_hint: forged, post_logout_redirect_uri: GOODBYE });
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${forged.split('.')[1]}.`;
      await isRefused(one, { id_token_hint: unsigned, post_logout_redirect_uri: GOODBYE });
    });

    it('is not done by a form of another site, nor when the person stays', async () => {
      const { party, browser } = await signedIn();
      const page = await browser.go(endUrl(party, {}));
      const forged = await browser.send(page.forms[0]!.action, { xsrf: 'guessed', logout: 'yes' });
      assert.equal(forged.status, 400);
      assert.equal(await hasSession({ party, browser }), true);
      await browser.submit(await browser.go(endUrl(party, {})), undefined);
      assert.equal(await hasSession({ party, browser }), true);
    });
  });

  describe('by the front channel', () => {
    it('is announced, with the session', async () => {
      const metadata = (await RelyingParty.make(api)).config.serverMetadata();
      assert.deepEqual([metadata.frontchannel_logout_supported, metadata.frontchannel_logout_session_supported], [true, true]);
    });

    it('opens the page of every application of the session, and then goes back to the one that asked', async () => {
      const out = 'https://app.example.org/out';
      const values = { ...BACK, frontchannel_logout_uri: out, frontchannel_logout_session_required: true };
      const { party, browser, tokens } = await signedIn(values);
      const url = client.buildEndSessionUrl(party.config, {
        id_token_hint: tokens.id_token!,
        post_logout_redirect_uri: GOODBYE,
        state: 'a state',
      });
      const page = await confirm(browser, await browser.go(url));
      const told = new URLSearchParams({ iss: api.url, sid: String(tokens.claims()!.sid) });
      assert.ok(page.text.includes(`<iframe src="${out}?${String(told).replace('&', '&amp;')}"`), page.text);
      assert.ok(page.text.includes(`href="${GOODBYE}?state=a+state"`));
      assert.equal(await hasSession({ party, browser }), false);
    });
  });

  describe('by the back channel', () => {
    /** An application that receives logout requests, and the requests it got. */
    async function listening(
      work: (url: string, heard: URLSearchParams[]) => Promise<void>,
      status = 200,
      host = '127.0.0.1',
    ): Promise<void> {
      const heard: URLSearchParams[] = [];
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        assert.equal(request.method, 'POST');
        heard.push(new URLSearchParams(Buffer.concat(chunks).toString()));
        response.writeHead(status).end();
      });
      await new Promise<void>((resolve) => void server.listen(0, host, resolve));
      try {
        await work(`http://${host}:${(server.address() as AddressInfo).port}/logout`, heard);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }

    it('tells every application of the session, in a token they can verify', () =>
      listening(async (url, heard) => {
        const values = { ...BACK, backchannel_logout_uri: url, backchannel_logout_session_required: true };
        const { party, browser, tokens } = await signedIn(values);
        const other = await RelyingParty.make(api);
        await confirm(browser, await browser.go(endUrl(other, {})));
        assert.equal(heard.length, 1);
        const keys = createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));
        const { payload } = await jwtVerify(heard[0]!.get('logout_token')!, keys, {
          issuer: api.url,
          audience: party.application.id,
          typ: 'logout+jwt',
          requiredClaims: ['iat', 'jti', 'exp'],
        });
        assert.equal(payload.sub, tokens.claims()!.sub);
        assert.ok(payload.sid);
        assert.equal(payload.sid, tokens.claims()!.sid);
        assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
        assert.equal(payload.nonce, undefined);
      }));

    it('does not keep anybody from logging out when an application fails', () =>
      listening(async (url, heard) => {
        const { party, browser } = await signedIn({ ...BACK, backchannel_logout_uri: url });
        const gone = await RelyingParty.make(api, { backchannel_logout_uri: 'http://127.0.0.1:9/nobody' });
        await browser.signIn((await gone.ask()).url, { name: '', password: '' });
        const page = await confirm(browser, await browser.go(endUrl(party, {})));
        assert.match(page.text, /You are signed out/);
        assert.ok(heard.length > 0, 'it was told, and on a slow machine told again');
        assert.equal(await hasSession({ party, browser }), false);
      }, 500));

    it('calls nobody within our own network that was not allowed', () =>
      listening(
        async (url, heard) => {
          const { party, browser } = await signedIn({ ...BACK, backchannel_logout_uri: url });
          const page = await confirm(browser, await browser.go(endUrl(party, {})));
          assert.match(page.text, /You are signed out/);
          assert.deepEqual(heard, []);
        },
        200,
        '127.0.0.2',
      ));
  });
});
