// Trying the sign-in of an application: the address in the console is no standing redirect address that somebody else could use.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, underAttack } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

underAttack('An attempt to sign in to an application from the console', (api) => {
  const admin = { name: 'admin', password: ADMIN_PASSWORD };
  let application: RelyingParty;
  let browser: TestBrowser;
  before(async () => {
    application = await RelyingParty.make(api);
    browser = new TestBrowser(api);
    await application.tokensFor(admin, {}, browser);
  });

  const begin = async (id = application.application.id): Promise<string> =>
    assertOk(await api.post(`/v3/OS-OAUTH2/consumers/${id}/sign-in-attempts`, {}), 201).attempt.redirect_uri;
  /** The answer to the authorization request: where it leads to, or that the address is refused. */
  async function ask(uri: string, by = browser, from = application, more: Record<string, string> = {}) {
    const { url, checks } = await from.ask({ redirect_uri: uri, ...more });
    const { status, headers, text } = await by.request(url);
    const target = headers.get('location');
    return { status, target: target === null ? undefined : new URL(target, api.url), text, checks };
  }
  const isRefused = ({ status, target, text }: Awaited<ReturnType<typeof ask>>): void => {
    assert.deepEqual([status, target], [400, undefined], text);
    assert.match(text, /redirect_uri/);
  };

  it('returns to the console with a code, once', async () => {
    const uri = await begin();
    assert.match(uri, new RegExp(`^${api.url}/console/try/[\\w-]{43}$`));
    const { target, checks } = await ask(uri);
    assert.ok(target?.href.startsWith(`${uri}?`), target?.href);
    const page = { redirectTarget: target } as Parameters<RelyingParty['redeem']>[0];
    const tokens = await application.redeem(page, checks);
    assert.equal((await application.userInfo(tokens)).sub, tokens.claims()!.sub);
    isRefused(await ask(uri));
    const tried = `/v3/OS-AUDIT/events?action=consumer.sign_in_tried&target_id=${application.application.id}`;
    assert.equal(assertOk(await api.get(tried)).events.length, 1);
  });

  it('does nothing for another person, another application, or without PKCE', async () => {
    const [uri, other] = [await begin(), await RelyingParty.make(api)];
    const victim = new TestBrowser(api);
    await application.tokensFor(await makeUser(api), {}, victim);
    isRefused(await ask(uri, victim));
    isRefused(await ask(uri, new TestBrowser(api)));
    isRefused(await ask(uri, browser, other));
    isRefused(await ask(uri, browser, application, { code_challenge_method: 'plain' }));
    isRefused(await ask(`${uri}x`));
    isRefused(await ask(`${uri}/../../account`));
    isRefused(await ask(`${api.url}/console/try/`));
    assert.ok((await ask(uri)).target?.href.startsWith(uri), 'those did not use it up');
  });

  it('ends after five minutes', async () => {
    const late = await begin();
    api.clock.advance(301);
    isRefused(await ask(late));
  });

  it('is not begun for an application that is deleted at the same moment', async () => {
    const { id } = await makeApplication(api, { redirect_uris: ['https://app.example.org/'] });
    const path = `/v3/OS-OAUTH2/consumers/${id}`;
    const [gone, ...begun] = await Promise.all([
      api.delete(path),
      ...Array.from({ length: 8 }, () => api.post(`${path}/sign-in-attempts`, {})),
    ]);
    assert.equal(gone.status, 204, gone.text);
    for (const { status, text } of begun) assert.ok(status === 201 || status === 404, text);
  });

  it('is begun by those who manage the application, which people must be able to sign in to', async () => {
    const { id } = application.application;
    const { token } = await makePerson(api);
    await assertForbidden(api, [token], 'POST', `/v3/OS-OAUTH2/consumers/${id}/sign-in-attempts`);
    const service = await makeApplication(api, { redirect_uris: [] });
    assertRefused(await api.post(`/v3/OS-OAUTH2/consumers/${service.id}/sign-in-attempts`, {}), 409);
    const pushes = await makeApplication(api, {
      redirect_uris: ['https://app.example.org/'],
      require_pushed_authorization_requests: true,
    });
    assertRefused(await api.post(`/v3/OS-OAUTH2/consumers/${pushes.id}/sign-in-attempts`, {}), 409);
  });
});
