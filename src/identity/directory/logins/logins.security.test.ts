// All logins are audit events, successful or not, at every endpoint: with the user, and never with what was typed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { logInWith, makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

interface Event {
  readonly action: string;
  readonly actor_id: string | null;
  readonly outcome: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function rowsAbout(api: TestApi, userId: string) {
  const db = await databaseOf(api);
  try {
    const rows = await db.read
      .selectFrom('audit_events')
      .where('target_id', '=', userId)
      .where('action', 'in', ['user.logged_in', 'user.login_refused', 'user.password_proved'])
      .orderBy('at')
      .select(['action', 'actor_id', 'outcome', 'detail', 'request_id'])
      .execute();
    for (const { request_id: id } of rows) assert.match(id ?? '', /^req-/);
    return rows;
  } finally {
    await db.close();
  }
}

const eventsAbout = async (api: TestApi, userId: string): Promise<Event[]> =>
  (await rowsAbout(api, userId)).map(({ action, actor_id, outcome, detail }) => ({
    action,
    actor_id,
    outcome,
    detail: JSON.parse(detail),
  }));

const only = (events: readonly Event[]): Event => {
  assert.equal(events.length, 1, JSON.stringify(events));
  return events[0]!;
};

onUsualDatabase('No login goes without a trace', (api) => {
  it('a good one by the API', async () => {
    const { user, password } = await makeUser(api);
    const token = await api.logIn({ id: user.id, password });
    const event = only(await eventsAbout(api, user.id));
    assert.deepEqual(event, {
      action: 'user.logged_in',
      actor_id: user.id,
      outcome: 'success',
      detail: { address: '127.0.0.1', methods: ['password'], via: 'api' },
    });
    const again = { auth: { identity: { methods: ['token'], token: { id: token } } } };
    assert.equal((await api.post('/v3/auth/tokens', again, { token: null })).status, 201);
    only(await eventsAbout(api, user.id));
  });

  it('a bad one by the API, and its log line names whom it was about', async () => {
    const { user } = await makeUser(api);
    assert.equal((await api.authenticate({ name: user.name, password: 'wrong' })).status, 401);
    const { action, actor_id, outcome, detail } = only(await eventsAbout(api, user.id));
    assert.deepEqual([action, actor_id, outcome], ['user.login_refused', null, 'failure']);
    assert.deepEqual(detail, { address: '127.0.0.1', methods: ['password'], via: 'api', reason: 'password wrong' });
    assert.ok(api.logged.some((line) => line.includes('request refused') && line.includes(`user ${user.id}`)));
  });

  it('one of a disabled user, with the reason', async () => {
    const { user, password } = await makeUser(api, { enabled: false });
    assert.equal((await api.authenticate({ id: user.id, password })).status, 401);
    assert.match(String(only(await eventsAbout(api, user.id)).detail.reason), /disabled/);
  });

  it('one with a wrong code, and one with a right one', async () => {
    const person = await makeTwoFactorPerson(api);
    assert.equal((await logInWith(api, person, { verification_code: person.phone.wrong() })).status, 401);
    assert.equal((await logInWith(api, person, { verification_code: person.phone.fresh() })).status, 201);
    const events = await eventsAbout(api, person.user.id);
    const bad = events.find(({ action }) => action === 'user.login_refused');
    assert.equal(bad?.detail.reason, 'verification code wrong');
    assert.ok(events.some(({ action, detail }) => action === 'user.logged_in' && String(detail.methods) === 'password,totp'));
  });

  it('those at the sign-in page', async () => {
    const { user, password } = await makeUser(api);
    const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
    const page = await browser.go((await party.ask()).url);
    await browser.submit(page, 'password', { name: user.name, password: 'wrong' });
    await browser.submit(page, 'password', { name: user.name, password });
    const events = await eventsAbout(api, user.id);
    assert.deepEqual(events.map(({ action }) => action).sort(), ['user.logged_in', 'user.login_refused']);
    assert.ok(events.every(({ detail }) => detail.via === 'sign-in page' && detail.address === '127.0.0.1'));
  });

  it('those of the password grant', async () => {
    const { user, password } = await makeUser(api);
    const { application } = await RelyingParty.make(api, { grant_type: 'password' });
    const ask = (secret: string) =>
      fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'password', username: user.name, password: secret }),
      });
    assert.equal((await ask('wrong')).status, 400);
    assert.equal((await ask(password)).status, 200);
    const events = await eventsAbout(api, user.id);
    assert.deepEqual(events.map(({ action }) => action).sort(), ['user.logged_in', 'user.login_refused']);
    assert.ok(events.every(({ detail }) => detail.via === 'password grant'));
  });

  it('but an application that comes with an access token is no login, however often it does', async () => {
    const [client, person] = [await KeyrockClient.make(api), await makePerson(api)];
    const { access_token: token } = await client.tokens(person);
    const before = await eventsAbout(api, person.user.id);
    for (let i = 0; i < 3; i++) assert.equal((await logInByAccessToken(api, token)).status, 201);
    assert.deepEqual(await eventsAbout(api, person.user.id), before);
  });

  it('one for a name nobody has, without the name; and strangers do not fill the table with them', async () => {
    const typed = uniqueName('my secret password');
    const refuse = async (i: number) => {
      const { status, headers } = await api.authenticate({ name: `${typed} ${i}`, password: 'x' });
      assert.equal(status, 401);
      return headers.get('x-openstack-request-id');
    };
    api.clock.hold();
    for (let i = 0; i < 14; i++) await refuse(i);
    const last = await refuse(14);
    const events = await rowsAbout(api, 'unknown');
    assert.equal(events.length, 11, 'ten, and the last');
    assert.ok(events.some(({ request_id: id }) => id === last));
    assert.ok(events.every(({ detail }) => !detail.includes(typed)));
    assert.ok(api.logged.some((line) => line.includes('request refused') && line.includes('unknown user')));
    assert.ok(!api.logged.some((line) => line.includes(typed)));
  });
});

onUsualDatabase('A password that is asked for again', (api) => {
  /** Pages know the browser. */
  const agentAt = (via: string) => (via === 'api' ? {} : { user_agent: 'a browser of the tests' });
  const refusedFor = (via: string, purpose: string) => ({
    action: 'user.login_refused',
    actor_id: null,
    outcome: 'failure',
    detail: { address: '127.0.0.1', ...agentAt(via), methods: ['password'], via, purpose, reason: 'password wrong' },
  });
  const provedFor = (id: string, via: string, purpose: string) => ({
    action: 'user.password_proved',
    actor_id: id,
    outcome: 'success',
    detail: { address: '127.0.0.1', ...agentAt(via), methods: ['password'], via, purpose },
  });
  /** Events of one moment come in any order. */
  const assertTraces = async (id: string, expected: readonly Event[]): Promise<void> => {
    const found = (await eventsAbout(api, id)).filter(({ detail }) => detail.purpose !== undefined);
    const sorted = (events: readonly Event[]) => events.toSorted((a, b) => a.action.localeCompare(b.action));
    assert.deepEqual(sorted(found), sorted(expected));
  };
  const assertLogged = (id: string): void =>
    assert.equal(api.logged.filter((line) => line.includes('request refused') && line.includes(`user ${id}`)).length, 1);
  const change = (id: string, original: string, password: string) =>
    api.post(`/v3/users/${id}/password`, { user: { original_password: original, password } }, { token: null });
  const fresh = { new_password: 'a new one of mine', new_password_again: 'a new one of mine' };

  it('leaves a trace at POST /v3/users/{id}/password, a right guess too, though nothing is changed by it', async () => {
    const { user, password } = await makeUser(api);
    assert.equal((await change(user.id, 'wrong', fresh.new_password)).status, 401);
    assertLogged(user.id);
    assert.equal((await change(user.id, password, password)).status, 400);
    await assertTraces(user.id, [refusedFor('api', 'password change'), provedFor(user.id, 'api', 'password change')]);
  });

  it('leaves one for an id nobody has, without the id', async () => {
    const id = uniqueName('nobody');
    assert.equal((await change(id, 'wrong', fresh.new_password)).status, 401);
    await assertTraces('unknown', [refusedFor('api', 'password change')]);
    assert.ok(!api.logged.some((line) => line.includes(id)));
  });

  it('leaves one at the new-password step of the sign-in page', async () => {
    const { user, password } = await makeUser(api);
    const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
    const { action, fields } = (await browser.go((await party.ask()).url)).forms[0]!;
    const form = { ...fields, step: 'new-password', name: user.name, domain: '', ...fresh };
    await browser.send(action, { ...form, password: 'wrong' });
    assertLogged(user.id);
    await browser.send(action, { ...form, password });
    const where = ['sign-in page', 'password change'] as const;
    await assertTraces(user.id, [refusedFor(...where), provedFor(user.id, ...where)]);
  });

  for (const [purpose, step, name] of [
    ['two-factor off', 'two-factor-off', 'password'],
    ['password change', 'change-password', 'current_password'],
  ] as const)
    it(`leaves one at /account, for ${purpose}`, async () => {
      const { user, password } = await makeUser(api);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(new URL('/account/security', api.url), { name: user.name, password });
      const token = page.forms.find((form) => form.fields.form_token)!.fields.form_token!;
      const say = (typed: string) => browser.send('/account/security', { step, form_token: token, ...fresh, [name]: typed });
      const refused = await say('wrong');
      assert.equal(refused.status, 400);
      assertLogged(user.id);
      await say(password);
      await assertTraces(user.id, [refusedFor('account page', purpose), provedFor(user.id, 'account page', purpose)]);
    });
});
