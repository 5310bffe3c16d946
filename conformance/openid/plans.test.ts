// Checks of OpenID's certification plans that no other test covers. PLANS.md lists the plans and the test for each check.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import * as client from 'openid-client';
import { onDatabase } from '../../test/support/api.ts';
import { CALLBACK, makeUser, RelyingParty, refusal } from '../../test/support/relying-party.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../test/support/test-browser.ts';

describe('PLANS.md', () => {
  const here = (name: string): URL => new URL(name, import.meta.url);
  const rows = readFileSync(here('./PLANS.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `oidcc-'));
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`([\w.-]+\.test\.ts)`: "([^"]+)"/g)].map(([, file, name]) => ({ file, name })),
  );
  const textOf = (file: string): string => {
    const path = here(`./${file}`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const names = (text: string): string[] =>
    [...text.matchAll(/\bit\(\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`)/g)].map(([, a, b, c]) => a ?? b ?? c!);

  it('names only tests that are there', () => {
    const missing = named.filter(({ file, name }) => !names(textOf(file!)).some((one) => one.replaceAll('"', "'") === name));
    assert.deepEqual(missing, []);
  });

  it('has a test for every row, or says why there is none', () => {
    assert.ok(rows.length >= 50, `${rows.length} rows`);
    assert.deepEqual(
      rows.filter((row) => !/\.test\.ts`: "/.test(row) && !/\| Not run: /.test(row)),
      [],
    );
  });

  it('names every test of this file that asks the service', () => {
    const asked = names(readFileSync(here('./plans.test.ts'), 'utf8').split('onDatabase(')[1]!);
    const known = new Set(named.map(({ name }) => name));
    assert.deepEqual(
      asked.filter((name) => !known.has(name.replaceAll('"', "'"))),
      [],
    );
  });
});

onDatabase('SQLite', 'The certification plans of OpenID', {}, (api) => {
  const start = async (values: Record<string, unknown> = {}, auth?: client.ClientAuth) => ({
    party: await RelyingParty.make(api, values, auth),
    person: await makeUser(api),
    browser: new TestBrowser(api),
  });
  const without = (url: URL, ...names: readonly string[]): URL => {
    for (const name of names) url.searchParams.delete(name);
    return url;
  };

  describe('discovery', () => {
    it('of the logout by back channel is there', async () => {
      const { body } = await api.get('/.well-known/openid-configuration', { token: null });
      assert.deepEqual([body.backchannel_logout_supported, body.backchannel_logout_session_supported], [true, true]);
      assert.ok(body.end_session_endpoint.startsWith(api.url));
    });

    it('has everything that is required, over what it really does', async () => {
      const answer = await api.get('/.well-known/openid-configuration', { token: null });
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type')!, /^application\/json/);
      const { body } = answer;
      assert.equal(body.issuer, api.url);
      for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
        assert.ok(body[name].startsWith(api.url), name);
      assert.ok(body.response_types_supported.includes('code'));
      assert.deepEqual(body.subject_types_supported, ['public']);
      assert.ok(body.id_token_signing_alg_values_supported.includes('RS256'));
      assert.ok(!body.id_token_signing_alg_values_supported.includes('none'));
      assert.ok(body.scopes_supported.includes('openid'));
      assert.ok(body.claims_supported.includes('sub'));
      assert.ok(body.response_modes_supported.includes('form_post'));
      assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
      assert.equal(body.request_uri_parameter_supported, false);
      assert.equal(body.request_parameter_supported, true);
      assert.deepEqual((await api.get('/openid/jwks', { token: null })).status, 200);
    });
  });

  describe('a request', () => {
    it('without a response_type is answered with an error', async () => {
      const { party, browser } = await start();
      const page = await browser.go(without((await party.ask()).url, 'response_type'));
      const error = page.redirectTarget?.searchParams.get('error');
      assert.ok(error ? error === 'invalid_request' : page.status === 400, `${error} ${page.status}`);
    });

    it('without a nonce is good in the code flow, and gets none', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask();
      const { expectedNonce: _, ...others } = checks;
      const tokens = await party.redeem(await browser.signIn(without(url, 'nonce'), person), others);
      assert.equal(tokens.claims()!.nonce, undefined);
    });

    it('without PKCE is good for a confidential application', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask();
      const { pkceCodeVerifier: _, ...others } = checks;
      const page = await browser.signIn(without(url, 'code_challenge', 'code_challenge_method'), person);
      assert.equal((await party.redeem(page, others)).claims()!.sub, person.id);
    });

    it('may be posted', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask();
      const elsewhere = { Origin: 'https://app.example.org', 'Sec-Fetch-Site': 'cross-site' };
      const asked = await browser.send(new URL(url.pathname, url), Object.fromEntries(url.searchParams), elsewhere);
      assert.equal((await party.redeem(await browser.answerForms(asked, person), checks)).claims()!.sub, person.id);
      const end = new URL('/openid/logout', url);
      assert.match((await browser.send(end, { client_id: party.application.id }, elsewhere)).text, /Do you want to sign out/);
    });

    it('may have what we do not know, or do not do, and goes on', async () => {
      const { party, person } = await start();
      for (const more of [
        { extra: 'foobar' },
        { display: 'page' },
        { display: 'popup' },
        { ui_locales: 'se' },
        { claims_locales: 'se' },
        { acr_values: '1 2' },
        { claims: '{"userinfo":{"name":{"essential":true}}}' },
        { scope: 'openid address phone' },
        { scope: 'email profile openid' },
      ]) {
        const tokens = await party.tokensFor(person, more);
        assert.equal(tokens.claims()!.sub, person.id, JSON.stringify(more));
        assert.equal((await party.userInfo(tokens)).sub, person.id);
      }
    });

    it('may have its scopes and parameters in any order', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask({ scope: 'openid email' });
      url.searchParams.set('scope', 'email openid');
      url.search = new URLSearchParams([...url.searchParams].reverse()).toString();
      const tokens = await party.redeem(await browser.signIn(url, person), checks);
      assert.equal((await party.userInfo(tokens)).email, person.user.email);
    });

    it('with acr_values gets an ID token with one of those that are announced', async () => {
      const { party, person } = await start();
      const announced = party.config.serverMetadata().acr_values_supported!;
      const { acr } = (await party.tokensFor(person, { acr_values: announced.join(' ') })).claims()!;
      assert.ok(announced.includes(String(acr)), String(acr));
    });

    it('for an essential claim gets it in the user information, and not in the ID token', async () => {
      const { party, person } = await start();
      assert.equal(party.config.serverMetadata().claims_parameter_supported, true);
      const tokens = await party.tokensFor(person, { claims: '{"userinfo":{"name":{"essential":true}}}' });
      assert.equal((await party.userInfo(tokens)).name, person.name);
      assert.equal(tokens.claims()!.name, undefined);
    });

    it('with a login_hint has the name in the form already', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask({ login_hint: person.name });
      const asked = await browser.go(url);
      assert.equal(asked.forms[0]!.fields.name, person.name);
      const page = await browser.submit(asked, 'password', { password: person.password });
      assert.ok((await party.redeem(await browser.submit(page, 'allow'), checks)).access_token);
    });

    it('with prompt=login asks again, and the sign-in is a new one', async () => {
      const { party, person, browser } = await start();
      const first = await party.tokensFor(person, { max_age: '10000' }, browser);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const { url, checks } = await party.ask({ prompt: 'login', max_age: '10000' });
      const asked = await browser.go(url);
      assert.equal(stepOf(asked), 'password');
      const second = await party.redeem(await browser.answerForms(asked, person), { ...checks, maxAge: 10_000 });
      assert.ok(second.claims()!.auth_time! > first.claims()!.auth_time!);
      assert.equal(second.claims()!.sub, first.claims()!.sub);
    });

    it('with a max_age that is not over does not ask again, and tells the same time', async () => {
      const { party, person, browser } = await start();
      const first = await party.tokensFor(person, { max_age: '10000' }, browser);
      const { url, checks } = await party.ask({ max_age: '10000' });
      const second = await party.redeem(await browser.go(url), { ...checks, maxAge: 10_000 });
      assert.equal(second.claims()!.auth_time, first.claims()!.auth_time);
    });

    it('as an object is refused without the signature of a registered key, and by reference as not supported', async () => {
      const { party, browser } = await start();
      const { parameters } = await party.parameters();
      const request = await new SignJWT({ ...parameters, client_id: party.application.id, redirect_uri: 'https://evil.example/' })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(party.application.secret));
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${request.split('.')[1]}.`;
      for (const [more, error] of [
        [{ request }, 'invalid_request_object'],
        [{ request: unsigned }, 'invalid_request_object'],
        [{ request_uri: 'https://app.example.org/request' }, 'request_uri_not_supported'],
      ] as const) {
        const left = redirectTargetOf(await browser.go((await party.ask(more)).url));
        assert.equal(left.origin + left.pathname, CALLBACK);
        assert.equal(left.searchParams.get('error'), error);
      }
    });
  });

  describe('tokens', () => {
    it('are given to applications that send their secret in the body', async () => {
      const values = { token_endpoint_auth_method: 'client_secret_post' };
      const { party, person } = await start(values, client.ClientSecretPost());
      assert.equal((await party.tokensFor(person)).claims()!.sub, person.id);
      const unregistered = await start({}, client.ClientSecretPost());
      assert.equal((await unregistered.party.tokensFor(unregistered.person)).claims()!.sub, unregistered.person.id);
    });

    it('are signed with a key that the JWKS has by its kid, and never unsigned', async () => {
      const { party, person } = await start();
      const { id_token } = await party.tokensFor(person);
      const { protectedHeader } = await jwtVerify(id_token!, createRemoteJWKSet(new URL(`${api.url}/openid/jwks`)));
      assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid']);
      const unsigned = { name: 'unsigned', id_token_signed_response_alg: 'none' };
      assert.equal((await api.post('/v3/OS-OAUTH2/consumers', { consumer: unsigned })).status, 400);
    });

    it('open the user information by GET, by POST with a header and by POST with a body', async () => {
      const { party, person } = await start();
      const { access_token } = await party.tokensFor(person);
      const url = `${api.url}/openid/userinfo`;
      const Authorization = `Bearer ${access_token}`;
      for (const init of [
        { headers: { Authorization } },
        { method: 'POST', headers: { Authorization } },
        { method: 'POST', body: new URLSearchParams({ access_token }) },
      ]) {
        const answer = await fetch(url, init);
        assert.equal(answer.status, 200);
        assert.match(answer.headers.get('content-type')!, /^application\/json/);
        assert.deepEqual(await answer.json(), { sub: person.id });
      }
      assert.equal((await fetch(`${url}?access_token=${access_token}`)).status, 400, 'an address is written down everywhere');
      const nobody = await fetch(url);
      assert.deepEqual([nobody.status, /^Bearer\b/.test(nobody.headers.get('www-authenticate')!)], [401, true]);
    });

    it('are taken back when their code comes a second time, also later', async () => {
      const { party, person, browser } = await start();
      const { url, checks } = await party.ask();
      const left = redirectTargetOf(await browser.signIn(url, person));
      const tokens = await client.authorizationCodeGrant(party.config, left, checks);
      api.clock.advance(30);
      assert.equal(await refusal(client.authorizationCodeGrant(party.config, left, checks)), 'invalid_grant');
      assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
    });
  });

  describe('an answer as a form', () => {
    it('carries errors too, and is not kept by anybody', async () => {
      const { party, browser } = await start();
      const { url, checks } = await party.ask({ response_mode: 'form_post', prompt: 'none' });
      const page = await browser.go(url);
      const { action, fields } = page.forms[0]!;
      assert.equal(action, CALLBACK);
      assert.deepEqual([fields.error, fields.state, fields.iss], ['login_required', checks.expectedState, api.url]);
      assert.match(page.headers.get('cache-control')!, /no-store/);
    });
  });
});
