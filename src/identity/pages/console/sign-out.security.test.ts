// Whatever ends a session ends the token of its console, at once; and what the end of a session does to applications.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { refreshTokenGrant } from 'openid-client';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const SESSION = '/console/session';
const OFFLINE = { scope: 'openid offline_access' };
const NEW_PASSWORD = 'another password';

onUsualDatabase('The token of the console', (api) => {
  const ask = (browser: TestBrowser, method = 'POST') =>
    browser.request(SESSION, { method, headers: { Origin: new URL(api.url).origin } });

  async function tokenOf(browser: TestBrowser): Promise<string> {
    const { status, text } = await ask(browser);
    assert.equal(status, 201, text);
    return JSON.parse(text).token;
  }

  /** Two browsers of one person, each with a token, and a token that was made from the first one. */
  async function atTheConsole() {
    const [person, here, there] = [await makeUser(api), new TestBrowser(api), new TestBrowser(api)];
    await here.signIn('/console', person);
    await there.signIn('/console', person);
    const [token, other] = [await tokenOf(here), await tokenOf(there)];
    const scoped = await api.request('POST', '/v3/auth/tokens', {
      token: '',
      body: { auth: { identity: { methods: ['token'], token: { id: token } }, scope: 'unscoped' } },
    });
    const made = scoped.headers.get('x-subject-token')!;
    const alive = () => Promise.all([token, made, other].map((one) => isAlive(api, one)));
    assert.deepEqual(await alive(), [true, true, true]);
    return { person, here, there, alive };
  }

  /** The id of the session in a browser, as lists have it. */
  async function idOf(browser: TestBrowser): Promise<string> {
    const page = await browser.go('/account/sessions');
    const others = page.forms.filter(({ fields }) => fields.step === 'end-session').map(({ fields }) => fields.session!);
    assert.equal(others.length, 1);
    return others[0]!;
  }

  it('ends when the person signs out at the page of the provider, as from /account', async () => {
    const { here, alive } = await atTheConsole();
    const page = await here.go('/openid/logout');
    assert.deepEqual(await alive(), [true, true, true], 'not before they confirm it');
    await here.submit(page, undefined, { logout: 'yes' });
    assert.deepEqual(await alive(), [false, false, true]);
  });

  it('does not end by a form of another page, of the same site either', async () => {
    const { here, alive } = await atTheConsole();
    const [form] = (await here.go('/openid/logout')).forms;
    for (const headers of [
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
    ])
      for (const path of [form!.action, '/openid/device']) {
        const { status } = await here.send(path, { ...form!.fields, logout: 'yes' }, headers as Record<string, string>);
        assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`);
      }
    assert.deepEqual(await alive(), [true, true, true]);
  });

  it('ends with its session on /account, alone or with all others', async () => {
    const { here, there, alive } = await atTheConsole();
    await there.submit(await there.go('/account/sessions'), 'end-session');
    assert.deepEqual(await alive(), [false, false, true]);
    assert.equal((await ask(here)).status, 401);

    const again = await atTheConsole();
    await again.there.submit(await again.there.go('/account/sessions'), 'end-sessions');
    assert.deepEqual(await again.alive(), [false, false, true], 'the current session goes on');
    assert.equal((await ask(again.there)).status, 201);
  });

  it('ends with its session by the API, alone or with all', async () => {
    const { person, there, alive } = await atTheConsole();
    const path = `/v3/users/${person.id}/OS-SESSIONS/sessions`;
    assertOk(await api.delete(`${path}/${await idOf(there)}`), 204);
    assert.deepEqual(await alive(), [false, false, true]);
    assertOk(await api.delete(path), 204);
    assert.deepEqual(await alive(), [false, false, false]);
  });

  it('ends with every other token when the password changes; the page of who changed it goes on', async () => {
    const { person, here, there, alive } = await atTheConsole();
    const fresh = { new_password: NEW_PASSWORD, new_password_again: NEW_PASSWORD };
    const form = { current_password: person.password, ...fresh };
    await here.submit(await here.go('/account/security'), 'change-password', form);
    assert.deepEqual(await alive(), [false, false, false]);
    assert.equal((await ask(there)).status, 401);
    assert.equal(await isAlive(api, await tokenOf(here)), true, 'the session has the same uid, and its tokens are good');

    const reset = await atTheConsole();
    assertOk(await api.patch(`/v3/users/${reset.person.id}`, { user: { password: NEW_PASSWORD } }));
    assert.deepEqual(await reset.alive(), [false, false, false]);
    assert.equal((await ask(reset.here)).status, 401);
  });

  it('goes on when the person signs in again in the same browser', async () => {
    const { person, here, alive } = await atTheConsole();
    await here.signIn('/console?sign-in', person);
    assert.deepEqual(await alive(), [true, true, true]);
    assert.equal(await isAlive(api, await tokenOf(here)), true);
  });

  it('ends alone when the person signs out in the console: applications that may go on without the person do', async () => {
    const [party, offline, person] = [await RelyingParty.make(api), await RelyingParty.make(api), await makeUser(api)];
    const ended: boolean[][] = [];
    for (const signOut of [
      (browser: TestBrowser) => ask(browser, 'DELETE'),
      async (browser: TestBrowser) => browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' }),
    ]) {
      const browser = new TestBrowser(api);
      const [short, long] = [await party.tokensFor(person, {}, browser), await offline.tokensFor(person, OFFLINE, browser)];
      assert.equal((await signOut(browser)).status, 200);
      assert.equal((await ask(browser)).status, 401);
      ended.push([await party.isActive(short.access_token), await offline.isActive(long.access_token)]);
      assert.ok((await refreshTokenGrant(offline.config, long.refresh_token!)).access_token);
    }
    assert.deepEqual(ended[0], ended[1], 'the same as on the page of the provider');
    assert.equal(ended[0]![0], false);
  });
});

onDatabase('SQLite', 'A sign-out that cannot be stored', {}, (api) => {
  const SIGNED_OUT = LANGUAGES.en.loggedOutText;
  const signOut = async (browser: TestBrowser) => {
    const form = (await browser.go('/openid/logout')).forms[0]!;
    return browser.send(form.action, { ...form.fields, logout: 'yes' });
  };

  it('is tried once more, and the page does not say that it was done', async () => {
    const db = await databaseOf(api);
    try {
      const [person, browser, other] = [await makeUser(api), new TestBrowser(api), new TestBrowser(api)];
      await browser.signIn('/console', person);
      await other.signIn('/console', person);
      await db.write((tx) =>
        sql`create trigger refused before insert on revoked_tokens begin select raise(abort, 'a full disk'); end`.execute(tx),
      );
      const failed = await signOut(browser);
      assert.equal(failed.status, 503, failed.text);
      assert.ok(!failed.text.includes(SIGNED_OUT));
      assert.match(api.logged.join(''), /could not end the tokens of a session/);
      const done = signOut(other);
      await sleep(200);
      await db.write((tx) => sql`drop trigger refused`.execute(tx));
      assert.ok((await done).text.includes(SIGNED_OUT));
    } finally {
      await db.close();
    }
  });
});

const [IDLE, LONGEST] = [600, 1500];
onDatabase(
  'SQLite',
  'A session that is left alone',
  { settings: { GATEHOUSE_IDENTITY_SESSION_IDLE_SECONDS: `${IDLE}`, GATEHOUSE_IDENTITY_SESSION_SECONDS: `${LONGEST}` } },
  (api) => {
    const ask = (browser: TestBrowser) =>
      browser.request(SESSION, { method: 'POST', headers: { Origin: new URL(api.url).origin } });

    it('ends after the idle time, whatever stored it last', async () => {
      const db = await databaseOf(api);
      const left = async (id: string): Promise<number> => {
        const row = await db.read
          .selectFrom('openid_records')
          .where('user_id', '=', id)
          .where('model', '=', 'Session')
          .select('expires_at')
          .executeTakeFirstOrThrow();
        return row.expires_at! - Math.floor(api.clock.now() / 1000);
      };
      const isIdleTime = (seconds: number): void => assert.ok(seconds > IDLE - 60 && seconds <= IDLE, `${seconds}`);
      try {
        const [person, browser] = [await makeUser(api), new TestBrowser(api)];
        const page = await browser.signIn('/account/security', person);
        isIdleTime(await left(person.id));
        const form = { new_password: NEW_PASSWORD, new_password_again: NEW_PASSWORD };
        await browser.submit(page, 'change-password', { current_password: person.password, ...form });
        isIdleTime(await left(person.id));
        api.clock.advance(IDLE / 2);
        assert.equal((await ask(browser)).status, 201);
        isIdleTime(await left(person.id));
        api.clock.advance(IDLE + 1);
        assert.equal((await ask(browser)).status, 401);
      } finally {
        await db.close();
      }
    });
  },
);
