// Sessions of people, by API: who sees and ends them, and what ends with them.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const OFFLINE = { scope: 'openid offline_access' };
const pathOf = (id: string): string => `/v3/users/${id}/OS-SESSIONS/sessions`;
const isSignedIn = async (browser: TestBrowser): Promise<boolean> => stepOf(await browser.go('/account/sessions')) !== 'password';

onUsualDatabase('Sessions of people', (api) => {
  const db = usesDatabaseOf(api);
  let manager: { token: string; user: { id: string } };
  let strangers: string[];
  before(async () => {
    const [domain, project] = [
      await api.make('domain', { name: uniqueName('domain') }),
      await api.make('project', { name: uniqueName('project') }),
    ];
    manager = await api.persona(['manager', 'reader'], { domain: 'default' });
    strangers = [
      (await api.persona(['manager', 'reader'], { domain: domain.id })).token,
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['reader'], 'system')).token,
    ];
  });

  it('are shown with browser, address, times, how the person signed in, and applications', async () => {
    const party = await RelyingParty.make(api);
    const person = await makeUser(api);
    await party.tokensFor(person, {}, new TestBrowser(api, { 'user-agent': FIREFOX }));
    const { sessions, links } = assertOk(await api.get(pathOf(person.id)));
    assert.equal(links.self, api.url + pathOf(person.id));
    assert.equal(sessions.length, 1);
    const [session] = sessions;
    assert.deepEqual(
      { ...session, id: '', user_agent: '', signed_in_at: '', last_used_at: '', links: {} },
      {
        id: '',
        browser: 'Firefox',
        system: 'Linux',
        user_agent: '',
        address: '127.0.0.1',
        signed_in_at: '',
        last_used_at: '',
        amr: ['pwd'],
        applications: [{ id: party.application.id, name: party.application.name }],
        links: {},
      },
    );
    assert.ok(session.user_agent.endsWith(FIREFOX));
    assert.equal(session.links.self, `${api.url}${pathOf(person.id)}/${session.id}`);
    assert.ok(Math.abs(Date.parse(session.signed_in_at) - api.clock.now()) < 600_000);
    assert.ok(Date.parse(session.last_used_at) >= Date.parse(session.signed_in_at));
    assert.deepEqual(assertOk(await api.get(pathOf((await makeUser(api)).id))).sessions, []);
  });

  it('end one by one with their tokens, as on the account page, and are in the audit log', async () => {
    const party = await RelyingParty.make(api);
    const person = await makeUser(api);
    const [one, other] = [new TestBrowser(api), new TestBrowser(api, { 'user-agent': FIREFOX })];
    const [kept, ended] = [await party.tokensFor(person, OFFLINE, one), await party.tokensFor(person, OFFLINE, other)];
    const token = await api.logIn({ id: person.id, password: person.password });
    const { sessions } = assertOk(await api.get(pathOf(person.id), { token }));
    const session = sessions.find(({ browser }: { browser: string | null }) => browser === 'Firefox');
    const path = `${pathOf(person.id)}/${session.id}`;
    const answer = await api.delete(path, { token: manager.token });
    assertOk(answer, 204);
    assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, false]);
    assert.deepEqual([await party.isActive(kept.access_token), await party.isActive(ended.access_token)], [true, false]);
    await assert.rejects(refreshTokenGrant(party.config, ended.refresh_token!), { error: 'invalid_grant' });
    assertRefused(await api.delete(path), 404, /session/);
    const event = await db()
      .read.selectFrom('audit_events')
      .where('request_id', '=', answer.headers.get('x-openstack-request-id'))
      .select(['action', 'actor_id', 'target_id'])
      .executeTakeFirstOrThrow();
    assert.deepEqual(event, { action: 'session.ended', actor_id: manager.user.id, target_id: person.id });

    assertOk(await api.delete(pathOf(person.id), { token }), 204);
    assert.equal(await isSignedIn(one), false);
    assert.equal(await party.isActive(kept.access_token), false);
    assert.equal(await isAlive(api, token), true, 'tokens of the base API are no part of a session');
  });

  it('of somebody else are not seen and do not end', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    await browser.signIn('/account/sessions', person);
    const [{ id }] = assertOk(await api.get(pathOf(person.id))).sessions;
    const thief = await makeUser(api);
    const own = await api.logIn({ id: thief.id, password: thief.password });
    for (const [method, path] of [
      ['GET', pathOf(person.id)],
      ['DELETE', pathOf(person.id)],
      ['DELETE', `${pathOf(person.id)}/${id}`],
    ] as const) {
      await assertNeedsToken(api, method, path);
      await assertForbidden(api, [...strangers, own], method, path);
    }
    // By an id of their own with the session of the other.
    assertRefused(await api.delete(`${pathOf(thief.id)}/${id}`, { token: own }), 404);
    assertRefused(await api.get(pathOf('f'.repeat(32))), 404);
    assert.equal(await isSignedIn(browser), true);
  });

  it('of people with more rights are protected from the manager of their domain', async () => {
    const { users } = assertOk(await api.get('/v3/users?name=admin'));
    for (const [method, path] of [
      ['GET', pathOf(users[0].id)],
      ['DELETE', pathOf(users[0].id)],
      ['DELETE', `${pathOf(users[0].id)}/x`],
      ['POST', `/v3/users/${users[0].id}/OS-PASSWORD/expire`],
      ['GET', `/v3/users/${users[0].id}/OS-IMPACT/deletion`],
    ] as const)
      await assertForbidden(api, [manager.token], method, path);
    assertOk(await api.get(pathOf(manager.user.id), { token: manager.token }));
  });

  it('go on when the password expires, which only the next sign-in asks about', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    await browser.signIn('/account/sessions', person);
    const login = { id: person.id, password: person.password };
    const token = await api.logIn(login);
    const path = `/v3/users/${person.id}/OS-PASSWORD/expire`;
    await assertForbidden(api, [...strangers, token], 'POST', path);
    const { user } = assertOk(await api.post(path, undefined, { token: manager.token }));
    assert.ok(Date.parse(user.password_expires_at) <= api.clock.now());
    assert.equal(assertOk(await api.get(`/v3/users/${person.id}`)).user.password_expires_at, user.password_expires_at);
    assert.deepEqual([await isSignedIn(browser), await isAlive(api, token)], [true, true]);
    assertRefused(await api.authenticate(login), 401, /expired/);
    const change = { user: { original_password: person.password, password: 'a new password of a test' } };
    assertOk(await api.post(`/v3/users/${person.id}/password`, change, { token: null }), 204);
    await api.logIn({ id: person.id, password: 'a new password of a test' });

    const never = await api.make('user', { name: uniqueName('never'), password: 'x', options: { ignore_password_expiry: true } });
    assertRefused(await api.post(`/v3/users/${never.id}/OS-PASSWORD/expire`, undefined), 409, /ignore_password_expiry/);
    const none = await api.make('user', { name: uniqueName('none') });
    assertRefused(await api.post(`/v3/users/${none.id}/OS-PASSWORD/expire`, undefined), 409, /no password/);
  });
});
