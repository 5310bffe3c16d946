// Sessions on the account page: only one's own end, and with them what applications got.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const SESSIONS = '/account/sessions';
const SECURITY = '/account/security';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const OFFLINE = { scope: 'openid offline_access' };

const idsOn = (page: BrowserPage): string[] =>
  page.forms.filter(({ fields }) => fields.step === 'end-session').map(({ fields }) => fields.session!);
const isSignedIn = async (browser: TestBrowser): Promise<boolean> => stepOf(await browser.go(SESSIONS)) !== 'password';

onUsualDatabase('Sessions on the account page', (api) => {
  it('show browser and address, without markup of others, and end with their tokens', async () => {
    const party = await RelyingParty.make(api);
    const person = await makeUser(api);
    const [here, there] = [new TestBrowser(api), new TestBrowser(api, { 'user-agent': `<b>${FIREFOX}</b>` })];
    const [kept, ended] = [await party.tokensFor(person, OFFLINE, here), await party.tokensFor(person, OFFLINE, there)];
    const page = await here.go(SESSIONS);
    assert.match(page.text, /Firefox on Linux[\s\S]*from 127\.0\.0\.1/);
    assert.ok(!page.text.includes('<b>'));
    const [id] = idsOn(page);
    const done = await here.submit(page, 'end-session');
    assert.match(done.text, /role="status"/);
    assert.deepEqual(idsOn(done), []);
    assert.equal(await isSignedIn(there), false);
    assert.deepEqual([await party.isActive(kept.access_token), await party.isActive(ended.access_token)], [true, false]);
    assert.ok((await refreshTokenGrant(party.config, kept.refresh_token!)).access_token);
    await assert.rejects(refreshTokenGrant(party.config, ended.refresh_token!), { error: 'invalid_grant' });
    const again = await here.send(SESSIONS, { ...page.forms[0]!.fields, step: 'end-session', session: id! });
    assert.equal(again.status, 200, 'twice');
  });

  it('of somebody else do not end', async () => {
    const [person, thief] = [await makeUser(api), await makeUser(api)];
    const [one, other, evil] = [new TestBrowser(api), new TestBrowser(api), new TestBrowser(api)];
    await one.signIn(SESSIONS, person);
    const [id] = idsOn(await other.signIn(SESSIONS, person));
    await new TestBrowser(api).signIn(SESSIONS, thief);
    const page = await evil.signIn(SESSIONS, thief);
    await evil.submit(page, 'end-session', { session: id! });
    for (const session of ['', 'x', `${id}x`]) await evil.submit(page, 'end-session', { session });
    assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, true]);
  });

  it('end by no form of another session, person or site', async () => {
    const person = await makeUser(api);
    const [here, there] = [new TestBrowser(api), new TestBrowser(api)];
    const page = await here.signIn(SESSIONS, person);
    const elsewhere = await there.signIn(SESSIONS, person);
    const { fields } = elsewhere.forms.find((form) => form.fields.step === 'end-sessions')!;
    assert.equal((await here.send(SESSIONS, fields)).status, 403, 'the token of another session');
    assert.equal((await there.send(SESSIONS, { ...fields, form_token: '' })).status, 403);
    for (const headers of [{ origin: 'https://evil.example.org' }, { 'sec-fetch-site': 'cross-site' }])
      assert.equal((await there.send(SESSIONS, fields, headers)).status, 403, JSON.stringify(headers));
    assert.ok(page.status === 200 && (await isSignedIn(here)) && (await isSignedIn(there)));
  });

  it('do not survive a change of the password, not even the copy of the cookie of who made it', async () => {
    const person = await makeUser(api);
    const [here, other] = [new TestBrowser(api), new TestBrowser(api)];
    await other.signIn(SECURITY, person);
    const page = await here.signIn(SECURITY, person);
    const copy = new TestBrowser(api);
    for (const name of ['gatehouse_session', 'gatehouse_session.sig']) copy.putCookie(name, here.cookie(name)!.value, '/');
    assert.equal(await isSignedIn(copy), true);
    const fresh = { new_password: 'another password', new_password_again: 'another password' };
    const done = await here.submit(page, 'change-password', { current_password: person.password, ...fresh });
    assert.match(done.text, /role="status"/);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(copy), await isSignedIn(other)], [true, false, false]);
    assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })).status, 200);
    assert.equal(await isSignedIn(here), false);
  });
});
