// What must be refused: requests that are wrong, stolen, replayed or too late, and tokens of users who lost access.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as client from 'openid-client';
import { assertOk } from '../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../test/support/api.ts';
import { CALLBACK, makeUser, RelyingParty, refusal, type TokenSet } from '../../test/support/relying-party.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../test/support/test-browser.ts';

const OFFLINE = { scope: 'openid offline_access' };
const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, work));

/** A raw request to the token endpoint. */
async function post(api: TestApi, fields: Record<string, string>, secret?: { id: string; secret: string }) {
  const answer = await fetch(`${api.url}/openid/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: secret ? { Authorization: `Basic ${Buffer.from(`${secret.id}:${secret.secret}`).toString('base64')}` } : {},
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

onUsualDatabase(
  'The OpenID provider refuses',
  (api) => {
    const start = async (values: Record<string, unknown> = {}) => ({
      party: await RelyingParty.make(api, values),
      person: await makeUser(api),
      browser: new TestBrowser(api),
    });

    /** A code and the values needed to redeem it. */
    async function codeFor(party: RelyingParty, person: Awaited<ReturnType<typeof makeUser>>, more: Record<string, string> = {}) {
      const { url, checks } = await party.ask(more);
      const left = redirectTargetOf(await new TestBrowser(api).signIn(url, person));
      return { left, checks, code: left.searchParams.get('code')!, verifier: checks.pkceCodeVerifier! };
    }

    /** Asserts that none of these tokens works any more. */
    async function areDead(party: RelyingParty, tokens: TokenSet): Promise<void> {
      assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
      assert.equal(await party.isActive(tokens.access_token), false);
      if (!tokens.refresh_token) return;
      assert.equal(await party.isActive(tokens.refresh_token), false);
      assert.equal(await refusal(client.refreshTokenGrant(party.config, tokens.refresh_token)), 'invalid_grant');
    }

    const errorAt = async (party: RelyingParty, browser: TestBrowser, more: Record<string, string>) =>
      redirectTargetOf(await browser.go((await party.ask(more)).url)).searchParams.get('error');

    describe('an authorization request', () => {
      it('with another redirect_uri, and sends the person nowhere', async () => {
        const { party } = await start();
        const tries = [
          'https://evil.example/callback',
          'https://app.example.org.evil.example/callback',
          'https://app.example.org@evil.example/callback',
          'https://app.example.org/callback/',
          'https://app.example.org/callback/../other',
          'https://app.example.org/callback?next=https://evil.example',
          'https://app.example.org/callback#x',
          'https://APP.example.org/callback',
          'https://app.example.org:444/callback',
          'http://app.example.org/callback',
          '//app.example.org/callback',
          '/callback',
          'https://app.example.org/%63allback',
          ' https://app.example.org/callback',
          'javascript:alert(1)',
          'data:text/html,x',
        ];
        for (const redirect_uri of tries) {
          const page = await new TestBrowser(api).go((await party.ask({ redirect_uri })).url);
          assert.deepEqual([page.status, page.redirectTarget], [400, undefined], redirect_uri);
          assert.match(page.headers.get('content-type')!, /html/);
        }
      });

      it('that names two addresses, two applications or none', async () => {
        const { party } = await start();
        const twice = (await party.ask()).url;
        twice.searchParams.append('redirect_uri', 'https://evil.example/');
        const page = await new TestBrowser(api).go(twice);
        assert.equal(
          redirectTargetOf(page).origin + redirectTargetOf(page).pathname,
          CALLBACK,
          'the only one that is registered',
        );
        assert.equal(redirectTargetOf(page).searchParams.get('error'), 'invalid_request');
        const other = (await party.ask()).url;
        other.searchParams.append('client_id', 'another');
        const none = (await party.ask()).url;
        none.searchParams.delete('client_id');
        const unknown = (await party.ask()).url;
        unknown.searchParams.set('client_id', 'nobody');
        for (const url of [other, none, unknown]) {
          const { status, redirectTarget } = await new TestBrowser(api).go(url);
          assert.deepEqual([status, redirectTarget], [400, undefined], url.search);
        }
      });

      it('without PKCE, or with a plain challenge, from a public application', async () => {
        const { party, browser } = await start({ client_type: 'public' });
        const { url } = await party.ask();
        url.searchParams.delete('code_challenge');
        url.searchParams.delete('code_challenge_method');
        assert.equal(redirectTargetOf(await browser.go(url)).searchParams.get('error'), 'invalid_request');
        assert.equal(await errorAt(party, browser, { code_challenge_method: 'plain' }), 'invalid_request');
      });

      it('for a token in the address (the implicit and hybrid flows)', async () => {
        const { party, browser } = await start();
        const registered = await RelyingParty.make(api, { grant_type: 'implicit' });
        for (const one of [party, registered])
          for (const response_type of ['token', 'id_token', 'id_token token', 'code token', 'code id_token'])
            assert.equal(await errorIn(one, browser, { response_type }), 'unsupported_response_type', response_type);
      });

      /** Errors of those flows come back in the fragment. */
      async function errorIn(party: RelyingParty, browser: TestBrowser, more: Record<string, string>) {
        const left = redirectTargetOf(await browser.go((await party.ask(more)).url));
        return left.searchParams.get('error') ?? new URLSearchParams(left.hash.slice(1)).get('error');
      }

      it('that is not to ask anybody, when nobody is signed in or has agreed', async () => {
        const { party, person, browser } = await start();
        assert.equal(await errorAt(party, browser, { prompt: 'none' }), 'login_required');
        await party.tokensFor(person, {}, browser);
        assert.equal(await errorAt(party, browser, { prompt: 'none' }), null);
        assert.equal(await errorAt(party, browser, { prompt: 'none', scope: 'openid email' }), 'consent_required');
        const other = await RelyingParty.make(api);
        assert.equal(await errorAt(other, browser, { prompt: 'none' }), 'consent_required');
      });

      it('to go on by an old sign-in when a young one is asked for', async () => {
        const { party, person, browser } = await start();
        const first = await party.tokensFor(person, { max_age: '1000' }, browser);
        await sleep(2100);
        assert.equal(await errorAt(party, browser, { prompt: 'none', max_age: '1' }), 'login_required');
        const { url, checks } = await party.ask({ max_age: '1' });
        const asked = await browser.go(url);
        assert.equal(stepOf(asked), 'password');
        const second = await party.redeem(await browser.answerForms(asked, person), { ...checks, maxAge: 60 });
        assert.ok(second.claims()!.auth_time! > first.claims()!.auth_time!);
      });

      it('to let anybody else in where the application knows who it wants', async () => {
        const { party, person, browser } = await start();
        const tokens = await party.tokensFor(person, {}, browser);
        const another = await makeUser(api);
        const elsewhere = new TestBrowser(api);
        await party.tokensFor(another, {}, elsewhere);
        const hint = { prompt: 'none', id_token_hint: tokens.id_token! };
        assert.equal(await errorAt(party, browser, hint), null);
        assert.equal(await errorAt(party, elsewhere, hint), 'login_required');
      });

      it('to give scopes nobody knows', async () => {
        const { party, person } = await start();
        const tokens = await party.tokensFor(person, { scope: 'openid admin everything' });
        assert.equal(tokens.scope, 'openid');
        assert.deepEqual(Object.keys(await party.userInfo(tokens)), ['sub']);
        assert.equal(await refusal(client.clientCredentialsGrant(party.config, { scope: 'everything' })), 'invalid_scope');
      });

      it('with parameters that are no text, or far too long, without falling over', async () => {
        const { party } = await start();
        for (const [name, value] of [
          ['scope', 'openid '.repeat(2000)],
          ['state', 'x'.repeat(10_000)],
          ['nonce', '\u0000'],
          ['prompt', 'none login'],
          ['max_age', '-1'],
          ['max_age', 'soon'],
          ['claims', '{'],
          ['response_mode', 'nothing'],
          ['id_token_hint', 'x'],
          ['ui_locales', '<script>'],
          ['resource', 'x'],
        ] as const) {
          const { status } = await new TestBrowser(api).go((await party.ask({ [name]: value })).url);
          assert.ok(status < 500, `${name}: ${status}`);
        }
      });
    });

    describe('a code', () => {
      it('with a wrong or missing verifier, and then it is still good for the right one', async () => {
        const { party, person } = await start({ client_type: 'public' });
        const { code, verifier, checks } = await codeFor(party, person);
        const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: party.application.id };
        assert.equal((await post(api, fields)).body.error, 'invalid_grant');
        assert.equal(
          (await post(api, { ...fields, code_verifier: client.randomPKCECodeVerifier() })).body.error,
          'invalid_grant',
        );
        assert.ok(checks.pkceCodeVerifier);
        assert.equal((await post(api, { ...fields, code_verifier: verifier })).status, 200);
      });

      it('with another redirect_uri than it was sent to', async () => {
        const { party, person } = await start({ redirect_uris: [CALLBACK, 'https://app.example.org/other'] });
        const { code, verifier } = await codeFor(party, person);
        const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
        for (const redirect_uri of ['https://app.example.org/other', 'https://evil.example/'])
          assert.equal((await post(api, { ...fields, redirect_uri }, party.application)).body.error, 'invalid_grant');
      });

      it('of another application', async () => {
        const { party, person } = await start();
        const thief = await RelyingParty.make(api);
        const { code, verifier } = await codeFor(party, person);
        const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK };
        assert.equal((await post(api, fields, thief.application)).body.error, 'invalid_grant');
      });

      it('that was used, and takes back what it gave', async () => {
        const { party, person } = await start();
        const { left, checks } = await codeFor(party, person, OFFLINE);
        const tokens = await client.authorizationCodeGrant(party.config, left, checks);
        assert.equal((await party.userInfo(tokens)).sub, person.id);
        assert.equal(await refusal(client.authorizationCodeGrant(party.config, left, checks)), 'invalid_grant');
        await areDead(party, tokens);
      });

      it('to nine of ten who use it at once', async () => {
        const { party, person } = await start();
        const { code, verifier } = await codeFor(party, person);
        const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK };
        const answers = await times(10, () => post(api, fields, party.application));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)]);
        for (const { status, body } of answers) if (status === 400) assert.equal(body.error, 'invalid_grant');
      });

      it('that is older than a minute', async () => {
        const { party, person } = await start();
        const { left, checks } = await codeFor(party, person);
        api.clock.advance(61);
        assert.equal(await refusal(client.authorizationCodeGrant(party.config, left, checks)), 'invalid_grant');
      });

      it('that nobody gave', async () => {
        const { party } = await start();
        for (const code of ['guess', 'x'.repeat(43), '\u0000', '../../x', '']) {
          const { status } = await post(
            api,
            { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: 'x'.repeat(43) },
            party.application,
          );
          assert.equal(status, 400);
        }
      });
    });

    describe('an answer, in the eyes of the application,', () => {
      const because = (claim: string) => (error: any) => error.cause.message.includes(`"${claim}"`);

      it('with another nonce, state or issuer than it asked', async () => {
        const { party, person } = await start();
        for (const [claim, wrong] of [
          ['nonce', { expectedNonce: 'another' }],
          ['state', { expectedState: 'another' }],
        ] as const) {
          const { left, checks } = await codeFor(party, person);
          await assert.rejects(client.authorizationCodeGrant(party.config, left, { ...checks, ...wrong }), because(claim));
        }
        const { left, checks } = await codeFor(party, person);
        left.searchParams.set('iss', 'https://evil.example');
        await assert.rejects(client.authorizationCodeGrant(party.config, left, checks), because('iss'));
      });
    });

    describe('a refresh token', () => {
      it('that was used, and ends the whole family', async () => {
        const { party, person } = await start();
        const first = await party.tokensFor(person, OFFLINE);
        const second = await client.refreshTokenGrant(party.config, first.refresh_token!);
        assert.equal(await party.isActive(second.access_token), true);
        assert.equal(await refusal(client.refreshTokenGrant(party.config, first.refresh_token!)), 'invalid_grant');
        await areDead(party, first);
        await areDead(party, second as TokenSet);
      });

      it('to all but one who use it at once', async () => {
        const { party, person } = await start();
        const { refresh_token } = await party.tokensFor(person, OFFLINE);
        const fields = { grant_type: 'refresh_token', refresh_token: refresh_token! };
        const answers = await times(10, () => post(api, fields, party.application));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)]);
      });

      it('of another application, which may not ask about it as a public one nor revoke it', async () => {
        const { party, person } = await start();
        const [thief, stranger] = [await RelyingParty.make(api), await RelyingParty.make(api, { client_type: 'public' })];
        const tokens = await party.tokensFor(person, OFFLINE);
        assert.equal(await refusal(client.refreshTokenGrant(thief.config, tokens.refresh_token!)), 'invalid_grant');
        assert.equal(await stranger.isActive(tokens.access_token), false);
        for (const one of [thief, stranger])
          for (const token of [tokens.refresh_token!, tokens.access_token])
            assert.equal(await refusal(client.tokenRevocation(one.config, token)), 'invalid_request');
        assert.ok((await client.refreshTokenGrant(party.config, tokens.refresh_token!)).access_token);
      });

      it('in the place of an access token, and the other way round', async () => {
        const { party, person } = await start();
        const tokens = await party.tokensFor(person, OFFLINE);
        const info = client.fetchUserInfo(party.config, tokens.refresh_token!, person.id);
        assert.equal(await refusal(info), 'invalid_token');
        assert.equal(await refusal(client.refreshTokenGrant(party.config, tokens.access_token)), 'invalid_grant');
        const info2 = client.fetchUserInfo(party.config, tokens.id_token!, person.id);
        assert.equal(await refusal(info2), 'invalid_token');
      });
    });

    describe('an application', () => {
      const itself = (id: string, secret: string) => post(api, { grant_type: 'client_credentials' }, { id, secret });

      it('with a wrong secret, whether it exists or not', async () => {
        const { party } = await start();
        const wrong = await itself(party.application.id, 'wrong');
        const unknown = await itself('nobody', 'wrong');
        assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client']);
        assert.deepEqual(unknown, wrong);
        const none = await post(api, { grant_type: 'client_credentials', client_id: party.application.id });
        assert.equal(none.body.error, 'invalid_client');
      });

      it('with the secret it had before', async () => {
        const { party } = await start();
        const { id, secret } = party.application;
        assert.equal((await itself(id, secret)).status, 200);
        const fresh = assertOk(await api.request('POST', `/v3/OS-OAUTH2/consumers/${id}/secret`)).consumer.secret;
        assert.equal((await itself(id, secret)).status, 401);
        assert.equal((await itself(id, fresh)).status, 200);
      });

      it('that was deleted, and ends its tokens', async () => {
        const { party, person, browser } = await start();
        const other = await RelyingParty.make(api);
        const tokens = await party.tokensFor(person, OFFLINE);
        const own = await client.clientCredentialsGrant(party.config);
        const { url } = await party.ask();
        const asked = await browser.go(url);
        assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${party.application.id}`), 204);
        for (const token of [tokens.access_token, tokens.refresh_token!, own.access_token])
          assert.equal(await other.isActive(token), false);
        assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
        assert.equal(await refusal(client.refreshTokenGrant(party.config, tokens.refresh_token!)), 'invalid_client');
        assert.equal((await new TestBrowser(api).go(url)).status, 400);
        const late = await browser.answerForms(asked, person);
        assert.ok(late.status < 500 && late.redirectTarget === undefined, `${late.status}`);
      });

      it('at an address that was taken from it meanwhile', async () => {
        const { party, person, browser } = await start();
        const asked = await browser.go((await party.ask()).url);
        assertOk(
          await api.patch(`/v3/OS-OAUTH2/consumers/${party.application.id}`, {
            consumer: { redirect_uris: ['https://new.example.org/'] },
          }),
        );
        const page = await browser.answerForms(asked, person);
        assert.equal(page.redirectTarget?.searchParams.get('code') ?? null, null);
      });

      it('with a grant it is not registered for, or that there is not', async () => {
        const { party } = await start();
        for (const grant_type of ['implicit', 'urn:openid:params:grant-type:ciba', 'nothing', ''])
          assert.equal((await post(api, { grant_type }, party.application)).status, 400, grant_type);
      });
    });

    describe('what was given to a person', () => {
      async function withTokens() {
        const session = await start();
        const tokens = await session.party.tokensFor(session.person, OFFLINE, session.browser);
        const code = await codeFor(session.party, session.person);
        assert.equal(await session.party.isActive(tokens.access_token), true);
        return { ...session, tokens, code };
      }

      async function isOver({ party, browser, tokens, code }: Awaited<ReturnType<typeof withTokens>>): Promise<void> {
        await areDead(party, tokens);
        assert.equal(await refusal(client.authorizationCodeGrant(party.config, code.left, code.checks)), 'invalid_grant');
        assert.equal(await errorAt(party, browser, { prompt: 'none' }), 'login_required');
      }

      const change = async (id: string, values: Record<string, unknown>) =>
        assertOk(await api.patch(`/v3/users/${id}`, { user: values }));

      it('who was disabled, and does not give it back when they are enabled again', async () => {
        const session = await withTokens();
        await change(session.person.id, { enabled: false });
        await isOver(session);
        await change(session.person.id, { enabled: true });
        await isOver(session);
      });

      it('whose domain was disabled', async () => {
        const domain = await api.make('domain', { name: uniqueName('domain') });
        const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
        const person = await makeUser(api, { domain_id: domain.id });
        const tokens = await party.tokensFor(person, OFFLINE, browser);
        assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
        await areDead(party, tokens);
        assert.equal(await errorAt(party, browser, { prompt: 'none' }), 'login_required');
      });

      it('who was deleted', async () => {
        const session = await withTokens();
        assertOk(await api.delete(`/v3/users/${session.person.id}`), 204);
        await isOver(session);
      });

      it('who changed their password', async () => {
        const session = await withTokens();
        const user = { original_password: session.person.password, password: 'another password of a person' };
        assertOk(await api.post(`/v3/users/${session.person.id}/password`, { user }, { token: null }), 204);
        await isOver(session);
      });

      it('whose password an administrator changed', async () => {
        const session = await withTokens();
        await change(session.person.id, { password: 'another password of a person' });
        await isOver(session);
      });
    });

    describe('in its words', () => {
      it('nothing that a cache may keep or a stack trace tells', async () => {
        const { party } = await start();
        const answer = await fetch(`${api.url}/openid/token`, {
          method: 'POST',
          body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }),
          headers: {
            Authorization: `Basic ${Buffer.from(`${party.application.id}:${party.application.secret}`).toString('base64')}`,
          },
        });
        assert.match(answer.headers.get('cache-control')!, /no-store/);
        assert.deepEqual(Object.keys((await answer.json()) as object).sort(), ['error', 'error_description']);
      });
    });

    // The clock goes far ahead of the library's: nothing may follow.
    describe('after a month, a refresh token', () => {
      it('that nobody used for a month', async () => {
        const { party, person } = await start();
        const tokens = await party.tokensFor(person, OFFLINE);
        api.clock.advance(2_592_001);
        assert.equal(await refusal(client.refreshTokenGrant(party.config, tokens.refresh_token!)), 'invalid_grant');
      });
    });
  },
  { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' } },
);
