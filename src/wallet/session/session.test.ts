// /api/v1/auth: logging in, who it is, logging out, and how long it lasts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet, onWallet } from '../../../test/support/wallet.ts';
import { cookiesOf, isCleared, secretsOf } from '../../../test/support/wallet-session.ts';

const LOGIN = '/api/v1/auth/login';
const CALLBACK = '/api/v1/auth/callback';
const USERINFO = '/api/v1/auth/userinfo';
const LOGOUT = '/api/v1/auth/logout';
const JSON_PLEASE = { Accept: 'application/json' };
const FLOW = 'gatehouse_wallet_login';
const SESSION = 'gatehouse_wallet';

onEachWallet(
  'Logging in',
  (wallet) => {
    it('sends the browser to the provider with everything the code flow needs, and a cookie for this login', async () => {
      const answer = await wallet.get(LOGIN);
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const to = new URL(answer.headers.get('location')!);
      assert.equal(`${to.origin}${to.pathname}`, `${wallet.provider.issuer}/auth`);
      const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(to.searchParams);
      assert.deepEqual(rest, {
        client_id: 'wallet',
        response_type: 'code',
        redirect_uri: `${wallet.publicUrl}${CALLBACK}`,
        scope: 'openid profile email offline_access',
        code_challenge_method: 'S256',
      });
      for (const secret of [state, nonce, challenge]) assert.ok(secret!.length >= 43, secret);
      const { [FLOW]: flow, ...others } = cookiesOf(answer);
      assert.deepEqual(others, {});
      assert.deepEqual(flow!.attributes, ['HttpOnly', 'Max-Age=600', 'Path=/api/v1/auth', 'SameSite=Lax']);
      for (const secret of [state, nonce]) assert.ok(!flow!.value.includes(secret!));
    });

    it('uses nothing twice', async () => {
      const [one, two] = await Promise.all([wallet.get(LOGIN), wallet.get(LOGIN)]);
      const [first, second] = [one, two].map((answer) => new URL(answer!.headers.get('location')!).searchParams);
      for (const name of ['state', 'nonce', 'code_challenge']) assert.notEqual(first!.get(name), second!.get(name));
    });

    it('tells programs where to go instead of sending them there', async () => {
      for (const [path, headers] of [
        [LOGIN, JSON_PLEASE],
        [`${LOGIN}?response=json`, {}],
      ] as const) {
        const answer = await wallet.get(path, { headers });
        assert.equal(answer.status, 200);
        assert.deepEqual(Object.keys(answer.body), ['authorizationUrl']);
        assert.ok(answer.body.authorizationUrl.startsWith(`${wallet.provider.issuer}/auth?`));
        assert.ok(cookiesOf(answer)[FLOW]);
      }
      assert.equal((await wallet.get(LOGIN, { headers: { Accept: 'text/html,application/json' } })).status, 302);
      assert.equal((await wallet.get(`${LOGIN}?response=xml`)).status, 400);
    });

    it('passes prompt and login_hint on, and nothing else', async () => {
      const answer = await wallet.get(`${LOGIN}?prompt=login&login_hint=a%26b`);
      const { searchParams } = new URL(answer.headers.get('location')!);
      assert.deepEqual([searchParams.get('prompt'), searchParams.get('login_hint')], ['login', 'a&b']);
      assert.equal((await wallet.get(`${LOGIN}?redirect_uri=https://evil.example/`)).status, 400);
    });

    it('starts the session and goes to where the caller wanted', async () => {
      const { callback, flow } = await wallet.returned('anna', `&return_to=${encodeURIComponent('/keys?a=b&c=%2F#d')}`);
      const done = await wallet.get(callback, { headers: { Cookie: flow } });
      assert.equal(done.status, 303, done.text);
      assert.equal(done.headers.get('location'), '/keys?a=b&c=%2F#d');
      assert.equal(done.text, '');
      assert.equal(done.headers.get('cache-control'), 'no-store');
      const cookie = cookiesOf(done)[SESSION]!;
      assert.deepEqual(cookie.attributes, ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax']);
      assert.ok(isCleared(done, FLOW), 'the login is over');
      const info = await wallet.get(USERINFO, { headers: { Cookie: `other=1; ${SESSION}=${cookie.value}; last=2` } });
      assert.equal(info.status, 200, info.text);
      assert.equal(info.body.sub, 'anna');
    });

    it('goes to the root when nothing was wanted', async () => {
      const { callback, flow } = await wallet.returned('anna');
      assert.equal((await wallet.get(callback, { headers: { Cookie: flow } })).headers.get('location'), '/');
    });

    it('goes to a path in any script, as a header can carry it', async () => {
      const { callback, flow } = await wallet.returned('anna', `&return_to=${encodeURIComponent('/ключи/☃')}`);
      const done = await wallet.get(callback, { headers: { Cookie: flow } });
      assert.equal(done.status, 303, done.text);
      assert.equal(decodeURI(done.headers.get('location')!), '/ключи/☃');
    });

    const elsewhere = [
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\\/evil.example',
      'https://evil.example/',
      'HTTPS:evil.example',
      'https:/evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'evil.example',
      '',
      ' /wallet',
      '/ /evil.example',
      '/\t/evil.example',
      '\t//evil.example',
      '/\n/evil.example',
      '/\r\nSet-Cookie: a=b',
      '/\u0000/evil',
      '/\u0085/evil',
      '/\u00a0',
      '/.//evil.example',
      '/..//evil.example',
      '/a/../../..//evil.example',
      '/%2e//evil.example',
      '/a\\b',
      '@evil.example',
      ':80',
      '?a',
      '#a',
    ];
    it('refuses to go to another place, however it is written', async () => {
      for (const path of elsewhere)
        for (const at of [LOGIN, LOGOUT]) {
          const answer = await wallet.get(`${at}?return_to=${encodeURIComponent(path)}`);
          assert.equal(answer.status, 400, `${at} ${JSON.stringify(path)} ${answer.headers.get('location')}`);
          assert.equal(answer.body.code, 'invalid-request');
          assert.equal(answer.headers.getSetCookie().length, 0);
        }
      assert.equal((await wallet.get(`${LOGIN}?return_to=/a&return_to=//evil.example`)).status, 400);
      assert.equal((await wallet.get(`${LOGIN}?return_to=/${'a'.repeat(2000)}`)).status, 400);
      // It is longer where it is kept.
      assert.equal((await wallet.get(`${LOGIN}?return_to=/${encodeURIComponent('é'.repeat(700))}`)).status, 400);
    });

    it('takes an encoded slash for what it is: a letter of a path of ours', async () => {
      const { callback, flow } = await wallet.returned('anna', `&return_to=${encodeURIComponent('/%2F%2Fevil.example')}`);
      const done = await wallet.get(callback, { headers: { Cookie: flow } });
      assert.equal(new URL(done.headers.get('location')!, wallet.url).origin, wallet.url);
      assert.equal(done.headers.get('location'), '/%2F%2Fevil.example');
    });

    it('says who it is, with what the provider says of them', async () => {
      const before = Date.now();
      const anna = await wallet.logIn('anna');
      const { body, status } = await anna.get(USERINFO);
      assert.equal(status, 200);
      const { authTime, expiresAt, claims, ...rest } = body;
      assert.deepEqual(rest, {
        sub: 'anna',
        iss: wallet.provider.issuer,
        name: 'Person anna',
        preferred_username: 'anna',
        email: 'anna@example.org',
        email_verified: true,
        roles: ['people'],
        administrator: false,
      });
      assert.ok(Date.parse(authTime) >= before - 1000 && Date.parse(authTime) <= wallet.clock.now(), authTime);
      assert.ok(Math.abs(Date.parse(expiresAt) - wallet.clock.now() - 43_200_000) < 60_000, expiresAt);
      assert.deepEqual([claims.sub, claims.aud, claims.groups], ['anna', 'wallet', ['people']]);
      assert.equal((await wallet.get(USERINFO)).status, 401);
    });

    it('leaves claims of an unexpected kind among the claims', async () => {
      await wallet.provider.change('odd', { name: ['not', 'a', 'name'], email: 7, groups: 'admin' });
      const odd = await wallet.logIn('odd');
      const { body, status } = await odd.get(USERINFO);
      assert.equal(status, 200);
      assert.deepEqual(['name' in body, 'email' in body, body.roles], [false, false, []]);
      assert.deepEqual([body.claims.name, body.claims.email], [['not', 'a', 'name'], 7]);
    });

    it('answers 401 with a problem and a challenge to whoever has no session', async () => {
      const answer = await wallet.get('/api/v1/wallet/keys');
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.match(answer.headers.get('www-authenticate')!, /^Session /);
      assert.deepEqual([answer.body.code, answer.body.status], ['not-authenticated', 401]);
      assert.equal(answer.body.type, 'urn:gatehouse:problem:not-authenticated');
      assert.equal(answer.body.instance, answer.headers.get('x-request-id'));
    });

    it('refuses with the word of the provider when the provider refuses', async () => {
      for (const [query, word] of [
        ['', 'access_denied'],
        ['&prompt=none', 'login_required'],
      ]) {
        const { callback, flow } = await wallet.returned('', query);
        const answer = await wallet.get(callback, { headers: { Cookie: flow } });
        assert.equal(answer.status, 401, answer.text);
        assert.deepEqual([answer.body.code, answer.body.protocol], ['login-refused', { error: word }]);
        assert.ok(isCleared(answer, FLOW));
        assert.equal(cookiesOf(answer)[SESSION], undefined);
      }
    });

    it('repeats no text of a stranger in place of the error', async () => {
      const begun = await wallet.get(LOGIN);
      const state = new URL(begun.headers.get('location')!).searchParams.get('state');
      const error = encodeURIComponent('<script>"☃"');
      const answer = await wallet.get(`${CALLBACK}?state=${state}&error=${error}`, {
        headers: { Cookie: `${FLOW}=${cookiesOf(begun)[FLOW]!.value}` },
      });
      assert.deepEqual([answer.status, answer.body.protocol], [401, { error: 'invalid_response' }]);
      assert.ok(!answer.text.includes('script'));
    });

    describe('the callback', () => {
      const mismatch = async (callback: string, cookie?: string): Promise<void> => {
        const answer = await wallet.get(callback, cookie === undefined ? {} : { headers: { Cookie: cookie } });
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.body.code, 'login-state-mismatch');
        assert.ok(isCleared(answer, FLOW));
        assert.equal(cookiesOf(answer)[SESSION], undefined);
      };

      it('wants the cookie of this very login', async () => {
        const [one, two] = [await wallet.returned('anna'), await wallet.returned('anna')];
        await mismatch(one.callback);
        await mismatch(one.callback, two.flow);
        await mismatch(one.callback, `${FLOW}=`);
        await mismatch(one.callback, `${FLOW}=nonsense`);
        await mismatch(one.callback, one.flow.slice(0, -20));
        assert.equal((await wallet.get(one.callback, { headers: { Cookie: one.flow } })).status, 303, 'it was good all the time');
      });

      it('wants the state of this very login', async () => {
        const { callback, flow } = await wallet.returned('anna');
        const [path, query] = callback.split('?') as [string, string];
        for (const state of ['', 'x', undefined]) {
          const changed = new URLSearchParams(query);
          if (state === undefined) changed.delete('state');
          else changed.set('state', state);
          await mismatch(`${path}?${changed}`, flow);
        }
        await mismatch(path, flow);
      });

      it('works once', async () => {
        const { callback, flow } = await wallet.returned('anna');
        assert.equal((await wallet.get(callback, { headers: { Cookie: flow } })).status, 303);
        await mismatch(callback, flow);
      });

      it('works once also when the provider refused', async () => {
        const { callback, flow } = await wallet.returned('');
        assert.equal((await wallet.get(callback, { headers: { Cookie: flow } })).status, 401);
        await mismatch(callback, flow);
      });

      it('refuses a code that is not the one of this login', async () => {
        const [one, two] = [await wallet.returned('anna'), await wallet.returned('anna')];
        const query = new URLSearchParams(one.callback.split('?')[1]);
        query.set('code', new URLSearchParams(two.callback.split('?')[1]).get('code')!);
        const answer = await wallet.get(`${CALLBACK}?${query}`, { headers: { Cookie: one.flow } });
        assert.deepEqual([answer.status, answer.body.code, answer.body.protocol.error], [401, 'login-refused', 'invalid_grant']);
      });

      it('comes within ten minutes', async () => {
        const late = await wallet.returned('anna');
        wallet.clock.advance(601);
        await mismatch(late.callback, late.flow);
        const slow = await wallet.returned('anna');
        wallet.clock.advance(590);
        assert.equal((await wallet.get(slow.callback, { headers: { Cookie: slow.flow } })).status, 303);
      });
    });

    it('gives a new session each time, and ends the one this browser had', async () => {
      const first = await wallet.logIn('anna');
      const elsewhere = await wallet.logIn('anna');
      const { callback, flow } = await wallet.returned('anna');
      const done = await wallet.get(callback, { headers: { Cookie: `${flow}; ${first.cookie}` } });
      const second = `${SESSION}=${cookiesOf(done)[SESSION]!.value}`;
      assert.notEqual(second, first.cookie);
      assert.equal((await wallet.get(USERINFO, { headers: { Cookie: second } })).status, 200);
      const dead = await first.get(USERINFO);
      assert.equal(dead.status, 401);
      assert.ok(isCleared(dead));
      assert.equal((await elsewhere.get(USERINFO)).status, 200, 'the session of another browser stays');
    });
  },
  { provider: {} },
);

onEachWallet('Logging out', (wallet) => {
  for (const method of ['GET', 'POST'])
    it(`by ${method} ends the session here first, then sends the browser to end it at the provider`, async () => {
      const anna = await wallet.logIn('anna');
      const { idToken, refreshToken } = await secretsOf(wallet, anna.cookie);
      const answer = await anna.request(method, LOGOUT);
      assert.equal(answer.status, 303, answer.text);
      assert.ok(isCleared(answer));
      assert.ok(isCleared(answer, FLOW));
      const to = new URL(answer.headers.get('location')!);
      assert.equal(`${to.origin}${to.pathname}`, `${wallet.provider.issuer}/session/end`);
      assert.equal(to.searchParams.get('id_token_hint'), idToken);
      assert.equal(to.searchParams.get('post_logout_redirect_uri'), `${wallet.publicUrl}/`);
      const asked = await fetch(to, { redirect: 'manual' });
      assert.equal(asked.status, 200, 'the provider takes it');
      assert.equal((await anna.get(USERINFO)).status, 401);
      const { status, body } = await wallet.provider.token({ grant_type: 'refresh_token', refresh_token: refreshToken });
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], 'the refresh token is revoked');
    });

  it('would see a refresh token that is not revoked', async () => {
    const anna = await wallet.logIn('anna');
    const { refreshToken } = await secretsOf(wallet, anna.cookie);
    assert.equal((await wallet.provider.token({ grant_type: 'refresh_token', refresh_token: refreshToken })).status, 200);
  });

  it('names where to go to programs', async () => {
    for (const [path, headers] of [
      [LOGOUT, JSON_PLEASE],
      [`${LOGOUT}?response=json`, {}],
    ] as const) {
      const anna = await wallet.logIn('anna');
      const answer = await anna.post(path, undefined, { headers });
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.endSessionUrl.startsWith(`${wallet.provider.issuer}/session/end?`));
      assert.ok(isCleared(answer));
      assert.equal((await anna.get(USERINFO)).status, 401);
    }
  });

  it('comes back to where the caller wants, or from the provider to the address that is registered there', async () => {
    const anna = await wallet.logIn('anna');
    const to = new URL((await anna.get(`${LOGOUT}?return_to=/bye`)).headers.get('location')!);
    assert.equal(to.searchParams.get('post_logout_redirect_uri'), `${wallet.publicUrl}/`);
    assert.equal((await wallet.get(`${LOGOUT}?return_to=/bye`)).headers.get('location'), '/bye');
  });

  it('is the same without a session, twice, and with a cookie that is none', async () => {
    const anna = await wallet.logIn('anna');
    await anna.get(LOGOUT);
    for (const cookie of ['', anna.cookie, `${SESSION}=nonsense`])
      for (const method of ['GET', 'POST']) {
        const headers = { Cookie: cookie, Origin: wallet.publicUrl };
        const answer = await wallet.request(method, LOGOUT, { headers });
        assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/']);
        assert.ok(isCleared(answer));
        const json = await wallet.request(method, LOGOUT, { headers: { ...headers, ...JSON_PLEASE } });
        assert.deepEqual([json.status, json.body], [200, {}]);
      }
  });
});

onWallet(
  'SQLite',
  'A node with an https address',
  {
    settings: { GATEHOUSE_WALLET_URL: 'https://wallet.example.org', GATEHOUSE_WALLET_ROLES_CLAIM: 'realm_access.roles' },
    provider: { redirectUri: 'https://wallet.example.org/api/v1/auth/callback' },
  },
  (wallet) => {
    it('has cookies that only TLS and this host can carry', async () => {
      const begun = await wallet.get(LOGIN);
      assert.ok(cookiesOf(begun)[FLOW]!.attributes.includes('Secure'));
      const { callback, flow } = await wallet.returned('anna');
      const done = await wallet.get(callback, { headers: { Cookie: flow } });
      const { value, attributes } = cookiesOf(done)[`__Host-${SESSION}`]!;
      assert.deepEqual(attributes, ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax', 'Secure']);
      assert.ok(cookiesOf(done)[FLOW]!.attributes.includes('Secure'));
      assert.equal((await wallet.get(USERINFO, { headers: { Cookie: `__Host-${SESSION}=${value}` } })).status, 200);
      assert.equal((await wallet.get(USERINFO, { headers: { Cookie: `${SESSION}=${value}` } })).status, 401);
      const bad = await wallet.get(USERINFO, { headers: { Cookie: `__Host-${SESSION}=x` } });
      assert.ok(cookiesOf(bad)[`__Host-${SESSION}`]!.attributes.includes('Secure'), 'else browsers would not clear it');
    });

    it('finds roles by steps through the claims', async () => {
      await wallet.provider.change('ruth', { realm_access: { roles: ['admin', { name: 'holder' }, 7, null, ['x']] } });
      const ruth = await wallet.logIn('ruth');
      assert.deepEqual((await ruth.get(USERINFO)).body.roles, ['admin', 'holder']);
      for (const access of [undefined, null, 'roles', [], { roles: 'admin' }, { roles: { 0: 'admin' } }]) {
        await wallet.provider.change('ruth', { realm_access: access });
        const again = await wallet.logIn('ruth');
        assert.deepEqual((await again.get(USERINFO)).body.roles, [], JSON.stringify(access));
      }
    });
  },
);

onWallet(
  'SQLite',
  'A provider that names claims by addresses',
  { settings: { GATEHOUSE_WALLET_ROLES_CLAIM: 'https://example.org/roles', GATEHOUSE_WALLET_ADMIN_ROLE: 'boss' }, provider: {} },
  (wallet) => {
    it('is supported: the dots in its claim names do not separate path steps', async () => {
      await wallet.provider.change('ruth', { 'https://example.org/roles': ['boss'] });
      const ruth = await wallet.logIn('ruth');
      assert.deepEqual((await ruth.get(USERINFO)).body.roles, ['boss']);
    });
  },
);
