// Consent to an application applies to all browsers of a person. Ending a session in one browser does not affect the others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as client from 'openid-client';
import { onUsualDatabase } from '../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../test/support/relying-party.ts';
import { TestBrowser } from '../../test/support/test-browser.ts';

onUsualDatabase('What a person allowed', (api) => {
  const asksForConsent = (browser: TestBrowser): boolean => browser.seen.some(({ text }) => /value="allow"/.test(text));

  it('is not asked again in another browser, nor after logging out', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const first = new TestBrowser(api);
    const tokens = await party.tokensFor(person, { scope: 'openid profile' }, first);
    assert.ok(asksForConsent(first));

    const second = new TestBrowser(api);
    await party.tokensFor(person, { scope: 'openid profile' }, second);
    assert.ok(!asksForConsent(second));

    const end = client.buildEndSessionUrl(party.config, { id_token_hint: tokens.id_token! });
    await first.submit(await first.go(end), undefined, { logout: 'yes' });
    const third = new TestBrowser(api);
    await party.tokensFor(person, { scope: 'openid profile' }, third);
    assert.ok(!asksForConsent(third));
  });

  it('is asked for what is more than that', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    await party.tokensFor(person, { scope: 'openid' });
    const browser = new TestBrowser(api);
    await party.tokensFor(person, { scope: 'openid email' }, browser);
    assert.ok(asksForConsent(browser));
  });

  it('goes on in one browser when another logs out, or gives a token back', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const [here, there] = [new TestBrowser(api), new TestBrowser(api)];
    const mine = await party.tokensFor(person, {}, here);
    const others = await party.tokensFor(person, {}, there);
    await client.tokenRevocation(party.config, mine.access_token);
    assert.ok(await party.isActive(others.access_token));
    const end = client.buildEndSessionUrl(party.config, { id_token_hint: mine.id_token! });
    await here.submit(await here.go(end), undefined, { logout: 'yes' });
    assert.ok(await party.isActive(others.access_token));
    assert.equal((await party.userInfo(others)).sub, person.id);
  });

  it('is gone with the user or the application', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    await party.tokensFor(person);
    await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } });
    await api.patch(`/v3/users/${person.id}`, { user: { enabled: true } });
    const browser = new TestBrowser(api);
    await party.tokensFor(person, {}, browser);
    assert.ok(asksForConsent(browser), 'whoever was shut out starts anew');
  });
});
