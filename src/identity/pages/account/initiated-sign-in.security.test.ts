// Sign-ins that begin elsewhere (OpenID Connect Core 1.0, 4), one thing wrong at a time: nobody is sent to another site, nobody becomes somebody
// else, and who asks learns nothing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT, signInAt } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

onUsualDatabase('A sign-in that begins elsewhere', (api) => {
  const [id, closed, off] = [uniqueName('begins'), uniqueName('closed'), uniqueName('off')];
  let provider: PlainProvider;

  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, settings: { accepts_initiated_login: true } });
    await connectProvider(api, provider, { id: closed });
    await connectProvider(api, provider, { id: off, settings: { accepts_initiated_login: true } });
    assertOk(await api.patch(`${ROOT}/identity_providers/${off}`, { identity_provider: { enabled: false } }));
  });
  after(() => provider.stop());

  const path = (of: string, query: Record<string, string> | [string, string][]): string =>
    `/openid/providers/${of}/login?${new URLSearchParams(query)}`;
  const begin = (query: Record<string, string> = {}, browser = new TestBrowser(api)): Promise<BrowserPage> =>
    browser.go(path(id, { iss: provider.issuer, ...query }));
  const isAtProvider = ({ redirectTarget }: BrowserPage): boolean => redirectTarget?.origin === new URL(provider.issuer).origin;

  it('goes to the provider with its hint, and back to the account of who signs in there', async () => {
    const browser = new TestBrowser(api);
    const there = await begin({ login_hint: 'hinted' }, browser);
    assert.ok(isAtProvider(there), there.text);
    assert.equal(there.redirectTarget!.searchParams.get('login_hint'), 'hinted');
    const sub = uniqueName('anna');
    const choice = await browser.go(await signInAt(provider, there.redirectTarget!, sub));
    const page = await browser.submit(choice, 'provider-new');
    assert.equal(page.status, 200);
    assert.equal(new URL(page.url).pathname, '/account');
    assert.match(page.text, new RegExp(sub));
  });

  it('may be posted by another site, which sends no cookies', async () => {
    const browser = new TestBrowser(api);
    const elsewhere = { Origin: 'https://portal.example.org', 'Sec-Fetch-Site': 'cross-site' };
    const there = await browser.send(`/openid/providers/${id}/login`, { iss: provider.issuer }, elsewhere);
    assert.ok(isAtProvider(there), there.text);
  });

  it('accepts the issuer with another slash at its end', async () => {
    assert.ok(isAtProvider(await new TestBrowser(api).go(path(id, { iss: `${provider.issuer}/` }))));
  });

  describe('is refused, always in the same words', () => {
    const issuer = (): string => provider.issuer;
    const CASES: Readonly<Record<string, () => string>> = {
      'without an issuer': () => path(id, {}),
      'with an empty issuer': () => path(id, { iss: '' }),
      'for another issuer': () => path(id, { iss: 'https://evil.example' }),
      'for an issuer that begins alike': () => path(id, { iss: `${issuer()}.evil.example` }),
      'for an issuer with a path more': () => path(id, { iss: `${issuer()}/realm` }),
      'for an issuer in other letters': () => path(id, { iss: issuer().replace('http', 'HTTP') }),
      'for an issuer with many slashes': () => path(id, { iss: issuer() + '/'.repeat(3000) }),
      'with two issuers': () =>
        path(id, [
          ['iss', issuer()],
          ['iss', 'https://evil.example'],
        ]),
      'with two targets': () =>
        path(id, [
          ['iss', issuer()],
          ['target_link_uri', 'a'],
          ['target_link_uri', 'b'],
        ]),
      'with two hints': () =>
        path(id, [
          ['iss', issuer()],
          ['login_hint', 'a'],
          ['login_hint', 'b'],
        ]),
      'for a provider that is not set up for it': () => path(closed, { iss: issuer() }),
      'for a provider that is disabled': () => path(off, { iss: issuer() }),
      'for a provider that does not exist': () => path(uniqueName('nobody'), { iss: issuer() }),
    };
    const texts = new Set<string>();
    for (const [what, address] of Object.entries(CASES))
      it(what, async () => {
        const browser = new TestBrowser(api);
        const page = await browser.go(address());
        assert.deepEqual([page.status, page.redirectTarget], [400, undefined], page.text);
        assert.deepEqual(
          browser.setCookies.filter((line) => /session|interaction/.test(line)),
          [],
        );
        texts.add(page.text);
        assert.equal(texts.size, 1, 'it says what it said before');
      });
  });

  it('leads to no other place than an account page, whatever it is told', async () => {
    for (const target of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      `${api.url}.evil.example/account`,
      `${api.url}@evil.example/account`,
      `${api.url}/account/security?next=https://evil.example`,
      `${api.url}/account/../openid/logout`,
      `${api.url}/openid/logout`,
      `${api.url}/console`,
      '',
    ]) {
      const page = await new TestBrowser(api).request(path(id, { iss: provider.issuer, target_link_uri: target }));
      const to = new URL(page.headers.get('location')!, api.url);
      assert.equal(to.origin, api.url);
      assert.equal(to.searchParams.get('redirect_uri'), `${api.url}/account`, target);
    }
    const page = await new TestBrowser(api).request(
      path(id, { iss: provider.issuer, target_link_uri: `${api.url}/account/security` }),
    );
    const to = new URL(page.headers.get('location')!, api.url);
    assert.equal(to.searchParams.get('redirect_uri'), `${api.url}/account/security`);
  });

  it('carries nothing else into the sign-in', async () => {
    const more = {
      prompt: 'none',
      redirect_uri: 'https://evil.example/',
      client_id: 'x',
      response_type: 'code',
      scope: 'all_info',
      state: 'x',
    };
    const page = await new TestBrowser(api).request(path(id, { iss: provider.issuer, ...more, login_hint: 'x'.repeat(300) }));
    const query = new URL(page.headers.get('location')!, api.url).searchParams;
    assert.deepEqual([...query.keys()].sort(), ['client_id', 'idp_hint', 'redirect_uri', 'response_type', 'scope']);
    assert.deepEqual(
      [query.get('client_id'), query.get('response_type'), query.get('scope')],
      ['gatehouse_account', 'none', 'openid'],
    );
  });

  it('replaces nobody: who is signed in stays who they are, and no sign-in begins', async () => {
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    await browser.signIn('/account', person);
    const page = await begin({ login_hint: 'somebody else' }, browser);
    assert.equal(new URL(page.url).pathname, '/account');
    assert.match(page.text, new RegExp(person.name));
  });

  it('is bound to the browser: the answer of the provider is worth nothing in another one', async () => {
    const [theirs, victim] = [new TestBrowser(api), new TestBrowser(api)];
    const back = await signInAt(provider, (await begin({}, theirs)).redirectTarget!, uniqueName('mallory'));
    await begin({}, victim);
    const page = await victim.go(back);
    assert.notEqual(stepOf(page), 'provider-new');
    const account = await victim.go('/account');
    assert.equal(stepOf(account), 'password', 'nobody is signed in');
  });

  it('ends when the setting is taken away, and stays when those who do not know it write', async () => {
    const one = uniqueName('taken');
    await connectProvider(api, provider, { id: one, settings: { accepts_initiated_login: true } });
    const at = `${ROOT}/identity_providers/${one}/openid`;
    const openid = { issuer: provider.issuer, client_id: provider.clientId, button_name: one };
    const opens = async (): Promise<boolean> =>
      (await new TestBrowser(api).request(path(one, { iss: provider.issuer }))).status !== 400;
    assert.equal(assertOk(await api.put(at, { openid })).openid.accepts_initiated_login, true);
    assert.equal(await opens(), true);
    assertOk(await api.put(at, { openid: { ...openid, accepts_initiated_login: false } }));
    assert.equal(await opens(), false);
    assertOk(await api.put(at, { openid: { ...openid, accepts_initiated_login: true } }));
    assertOk(await api.put(at, { openid: { ...openid, client_id: 'another' } }));
    assert.equal(await opens(), false, 'another client at the provider has to be given it again');
  });
});
