// The session of the console: who gets a token, and how long it is good for.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type TestApi, underAttack } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const SESSION = '/console/session';

underAttack('The console', (api) => {
  const origin = (): string => new URL(api.url).origin;
  const ask = (
    browser: TestBrowser,
    method = 'POST',
    headers: Record<string, string> = { Origin: origin() },
  ): Promise<BrowserPage> => browser.request(SESSION, { method, headers });
  const tokenIn = ({ status, text }: BrowserPage): string => {
    assert.equal(status, 201, text);
    return JSON.parse(text).token;
  };
  const read = (token: string, path: string) => api.request('GET', path, { token });

  async function signedIn(service: TestApi = api) {
    const [person, browser] = [await makeUser(service), new TestBrowser(service)];
    const page = await browser.signIn('/console/people?search=a', person);
    return { person, browser, page };
  }

  it('asks a stranger to sign in, and then shows the screen that was asked for', async () => {
    const { browser, page } = await signedIn();
    assert.equal(new URL(page.url).pathname + new URL(page.url).search, '/console/people?search=a');
    assert.match(page.text, /<script type="module" src="\/console\/files\//);
    assert.equal((await ask(new TestBrowser(api))).status, 401);
    for (const state of [
      'https://evil.example',
      '//evil.example',
      '/console/../account',
      '/console/%2e%2E/account',
      '/console/\\evil',
      '/consoles',
      '/account',
    ])
      assert.equal(
        (await browser.request(`/console/signed-in?state=${encodeURIComponent(state)}`)).headers.get('location'),
        '/console',
        state,
      );
  });

  it('does not send those to the sign-in again who left it', async () => {
    const browser = new TestBrowser(api);
    const left = await browser.submit(await browser.go('/console/people?search=a'), 'cancel');
    assert.ok(left.text.includes(LANGUAGES.en.notSignedInTitle), left.text);
    assert.match(left.text, /<a class="button" href="\/console\/people\?search=a"/);
  });

  it('gives a short token of the person, as old as their sign-in', async () => {
    const { person, browser } = await signedIn();
    const answer = await ask(browser);
    const token = tokenIn(answer);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { body } = await api.request('GET', '/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } });
    assert.equal(body.token.user.id, person.id);
    assert.deepEqual(body.token.methods, ['password']);
    assert.ok(Date.parse(body.token.expires_at) - Date.parse(body.token.issued_at) <= 300_000);
    // Changes of how one signs in need a recent login. A new token of an old session is none.
    api.clock.advance(1000);
    const later = tokenIn(await ask(browser));
    assert.equal((await read(later, `/v3/users/${person.id}`)).status, 200);
    const enabling = await api.request('POST', `/v3/users/${person.id}/OS-TWO-FACTOR/two_factor_auth`, {
      token: later,
      body: { two_factor_auth: { security_question: 'q', security_answer: 'a' } },
    });
    assert.equal(enabling.status, 401, enabling.text);
    assert.equal(enabling.body.error.max_age, 900, 'a client knows that signing in again helps');
    assert.equal((await read(token, `/v3/users/${person.id}`)).status, 401, 'the first one has expired');
  });

  it('refuses requests that do not come from its own page', async () => {
    const { browser } = await signedIn();
    const foreign: Record<string, string>[] = [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: origin(), 'Sec-Fetch-Site': 'cross-site' },
      { Origin: origin(), 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const method of ['POST', 'DELETE'])
      for (const headers of foreign) assert.equal((await ask(browser, method, headers)).status, 403, JSON.stringify(headers));
    assert.equal((await browser.request(SESSION)).status, 405);
    tokenIn(await ask(browser));
  });

  it('takes no cookie for the API itself', async () => {
    const { person, browser } = await signedIn();
    assert.equal((await browser.request(`/v3/users/${person.id}`, { headers: { Origin: origin() } })).status, 401);
  });

  it('ends everything of the session when the person signs out: cookie, token, and tokens made from it', async () => {
    const { person, browser } = await signedIn();
    const stolen = browser.cookie(/session$/i)!;
    const token = tokenIn(await ask(browser));
    const scoped = await api.request('POST', '/v3/auth/tokens', {
      token: '',
      body: { auth: { identity: { methods: ['token'], token: { id: token } }, scope: 'unscoped' } },
    });
    const made = scoped.headers.get('x-subject-token')!;
    assert.equal((await read(made, `/v3/users/${person.id}`)).status, 200);
    assert.equal((await ask(browser, 'DELETE')).status, 200);
    for (const one of [token, made]) assert.equal((await read(one, `/v3/users/${person.id}`)).status, 401);
    const thief = new TestBrowser(api);
    for (const { name, value } of [stolen]) thief.putCookie(name, value, '/');
    assert.equal((await ask(thief)).status, 401);
    assert.equal((await ask(browser, 'DELETE')).status, 200, 'signing out twice does nothing');
  });

  it('leaves nothing of a session that ends while its tokens are renewed', async () => {
    const { person, browser } = await signedIn();
    const [ended, ...asked] = await Promise.all([ask(browser, 'DELETE'), ask(browser), ask(browser), ask(browser)]);
    assert.equal(ended.status, 200, ended.text);
    for (const one of asked)
      if (one.status !== 401) assert.equal((await read(tokenIn(one), `/v3/users/${person.id}`)).status, 401);
    assert.equal((await ask(browser)).status, 401, 'the session does not come back');
  });

  it('gives no token to a session from before a second factor was turned on', async () => {
    const { person, browser } = await signedIn();
    tokenIn(await ask(browser));
    const enabled = await enable(api, person);
    assert.equal(enabled.status, 201);
    const answer = await ask(browser);
    assert.equal(answer.status, 401, answer.text);
  });

  it('gives no token to a session that is not strong enough any more, and one again when it is', async () => {
    const { person, browser } = await signedIn();
    const page = (): Promise<BrowserPage> => browser.go('/account/security');
    for (const [rules, status] of [
      [[['password', 'totp']], 401],
      [[['password'], ['totp']], 201],
    ] as const) {
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: rules };
      assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { options } })).status, 200);
      const answer = await ask(browser);
      assert.equal(answer.status, status, answer.text);
      // The session itself has not ended: that is not why.
      assert.equal(new URL((await page()).url).pathname, '/account/security');
    }
  });

  it('closes to people who were disabled, at once', async () => {
    const { person, browser } = await signedIn();
    const token = tokenIn(await ask(browser));
    assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })).status, 200);
    assert.equal((await read(token, `/v3/users/${person.id}`)).status, 401);
    assert.equal((await ask(browser)).status, 401);
  });

  it('cannot be framed, and runs no script but its own files', async () => {
    const { page } = await signedIn();
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    const policy = page.headers.get('content-security-policy')!;
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
  });
});
