// Back-channel logout: applications are notified of every ended session, with retries.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { assertOk } from '../../../../test/support/answers.ts';
import { type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { jwtPart } from '../../../../test/support/apis.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker, CIBA } from '../../../../test/support/sign-in-requests.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const OFFLINE = { scope: 'openid offline_access' };

/** The logout endpoint of an application: records notifications, and answers as the test requires. */
class Listener {
  readonly #server: Server;
  readonly heard: string[] = [];
  status = 200;

  constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        this.heard.push(new URLSearchParams(text).get('logout_token') ?? '');
        response.writeHead(this.status).end();
      });
    });
  }
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  get uri(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/out`;
  }
  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
  async hears(count: number): Promise<void> {
    for (let tries = 0; this.heard.length < count; tries++) {
      assert.ok(tries < 300, `it heard ${this.heard.length} of ${count}`);
      await delay(100);
    }
  }
}

const claimsOf = (api: TestApi, { application }: RelyingParty, token: string) => claimsFor(api, application.id, token);

async function claimsFor(api: TestApi, audience: string, token: string): Promise<Record<string, unknown>> {
  const keys = createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));
  const { payload } = await jwtVerify(token, keys, { issuer: api.url, audience });
  assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
  assert.ok(payload.jti && payload.iat && !('nonce' in payload));
  return payload;
}

underAttack('The end of a session', (api) => {
  const listener = new Listener();
  const deaf = new Listener();
  before(() => Promise.all([listener.start(), deaf.start()]));
  after(() => {
    listener.stop();
    deaf.stop();
  });
  const partyWith = (uri: string, sessions: boolean) =>
    RelyingParty.make(api, { backchannel_logout_uri: uri, backchannel_logout_session_required: sessions });
  const disable = async (id: string): Promise<void> => {
    assert.equal((await api.patch(`/v3/users/${id}`, { user: { enabled: false } })).status, 200);
  };

  /** Notifications are stored in the transaction that ends something: all are sent when none is waiting. */
  const allSent = async (ids: readonly string[]): Promise<void> => {
    const db = await databaseOf(api);
    try {
      const waiting = () => db.read.selectFrom('logouts').where('client_id', 'in', ids).select('id').execute();
      for (const end = Date.now() + 30_000; (await waiting()).length > 0 && Date.now() < end; ) await delay(50);
      assert.deepEqual(await waiting(), []);
    } finally {
      await db.close();
    }
  };

  it('is sent with the session ids of the application', async () => {
    const [party, person] = [await partyWith(listener.uri, true), await makeUser(api)];
    const sids = [];
    for (let browser = 0; browser < 2; browser++) sids.push((await party.tokensFor(person, OFFLINE)).claims()!.sid);
    const before = listener.heard.length;
    await disable(person.id);
    await listener.hears(before + 2);
    const told = await Promise.all(listener.heard.slice(before).map((token) => claimsOf(api, party, token)));
    assert.deepEqual(new Set(told.map(({ sid }) => sid)), new Set(sids));
    assert.ok(told.every(({ sub }) => sub === person.id));
  });

  it('is sent once, with the user only, when the application does not use session ids', async () => {
    const [party, person] = [await partyWith(listener.uri, false), await makeUser(api)];
    await party.tokensFor(person, OFFLINE);
    await party.tokensFor(person, OFFLINE);
    const before = listener.heard.length;
    await disable(person.id);
    await listener.hears(before + 1);
    const { sub, sid } = await claimsOf(api, party, listener.heard[before]!);
    assert.deepEqual([sub, sid], [person.id, undefined]);
  });

  it('is sent for a refresh token that outlived the session in the browser', async () => {
    const [party, person] = [await partyWith(listener.uri, true), await makeUser(api)];
    const browser = new TestBrowser(api);
    const { sid } = (await party.tokensFor(person, OFFLINE, browser)).claims()!;
    const before = listener.heard.length;
    assert.equal((await api.delete(`/v3/users/${person.id}`)).status, 204);
    await listener.hears(before + 1);
    assert.equal((await claimsOf(api, party, listener.heard[before]!)).sid, sid);
  });

  it('is sent to other applications while one fails, and to that one when it recovers', async () => {
    deaf.status = 500;
    const [party, broken, person] = [await partyWith(listener.uri, true), await partyWith(deaf.uri, true), await makeUser(api)];
    const browser = new TestBrowser(api);
    await party.tokensFor(person, OFFLINE, browser);
    await broken.tokensFor(person, OFFLINE, browser);
    const before = listener.heard.length;
    await disable(person.id);
    await Promise.all([listener.hears(before + 1), deaf.hears(1)]);
    deaf.status = 204;
    api.clock.advance(10);
    await deaf.hears(2);
    const [first, second] = await Promise.all(deaf.heard.map((token) => claimsOf(api, broken, token)));
    assert.equal(first!.sid, second!.sid);
    assert.notEqual(first!.jti, second!.jti, 'a token of its own each time: one that was used is refused');
    api.clock.advance(600);
    await delay(1500);
    assert.equal(deaf.heard.length, 2, 'and then no more');
  });

  it('on the page of the provider is sent again after a failure', async () => {
    deaf.status = 500;
    const [broken, person] = [await partyWith(deaf.uri, true), await makeUser(api)];
    const browser = new TestBrowser(api);
    await broken.tokensFor(person, OFFLINE, browser);
    const before = deaf.heard.length;
    await browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' });
    await deaf.hears(before + 1);
    deaf.status = 200;
    api.clock.advance(10);
    await deaf.hears(before + 2);
  });

  it('of the other sessions does not include the current session, although its tokens have its id', async () => {
    const [party, ofKept, person] = [await partyWith(listener.uri, true), await partyWith(deaf.uri, true), await makeUser(api)];
    deaf.status = 200;
    const [kept, other] = [new TestBrowser(api), new TestBrowser(api)];
    const here = await party.tokensFor(person, OFFLINE, kept);
    await ofKept.tokensFor(person, OFFLINE, kept);
    const there = await party.tokensFor(person, OFFLINE, other);
    const before = [listener.heard.length, deaf.heard.length];
    const page = await kept.go('/account/sessions');
    const form = page.forms.find(({ fields }) => fields.step === 'end-sessions')!;
    assert.equal((await kept.send(new URL(form.action, page.url), form.fields)).status, 200);
    await allSent([party, ofKept].map(({ application }) => application.id));
    const told = await Promise.all(listener.heard.slice(before[0]).map((token) => claimsOf(api, party, token)));
    assert.deepEqual(
      told.map(({ sub, sid }) => [sub, sid]),
      [[person.id, there.claims()!.sid]],
    );
    assert.notEqual(here.claims()!.sid, there.claims()!.sid);
    assert.equal(deaf.heard.length, before[1], 'an application that only the kept one knows hears nothing');
    assert.ok(await party.isActive(here.access_token));
    assert.deepEqual(
      [stepOf(await kept.go('/account')) === 'password', stepOf(await other.go('/account'))],
      [false, 'password'],
      'who is asked for their password',
    );
  });

  it('is sent to applications that were allowed something in it from somewhere else, also to those that go on', async () => {
    const endings: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
      'a sign-out': async ({ browser }) => browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' }),
      'the end of all': ({ person }) => api.delete(`/v3/users/${person.id}/OS-SESSIONS/sessions`),
      'the end of the account': ({ person }) => disable(person.id),
    };
    for (const [what, end] of Object.entries(endings))
      for (const [isBySession, scope] of [
        [true, 'openid'],
        [false, 'openid offline_access'],
      ] as const) {
        const uri = { backchannel_logout_uri: listener.uri, backchannel_logout_session_required: isBySession };
        const [asker, asked] = [await Asker.make(api, uri), await Asked.make(api)];
        const id = await asker.begin({ login_hint: asked.person.name, scope });
        await asked.see();
        await asked.answer('allow-request');
        const { sid } = jwtPart((await asker.poll(id)).body.id_token, 1);
        assert.ok(sid);
        const before = listener.heard.length;
        await end(asked);
        await allSent([asker.id]);
        assert.equal(listener.heard.length, before + 1, what);
        const told = await claimsFor(api, asker.id, listener.heard[before]!);
        assert.deepEqual([told.sub, told.sid], [asked.person.id, isBySession ? sid : undefined], what);
      }
  });

  it('is sent once to an application that has a sign-in there, and was allowed something from somewhere else', async () => {
    const party = await RelyingParty.make(api, {
      backchannel_logout_uri: listener.uri,
      allowed_grant_types: ['authorization_code', 'refresh_token', CIBA],
    });
    const [asker, asked] = [new Asker(api, party.application), await Asked.make(api)];
    await party.tokensFor(asked.person, {}, asked.browser);
    const id = await asker.begin({ login_hint: asked.person.name });
    await asked.see();
    await asked.answer('allow-request');
    assertOk(await asker.poll(id));
    const before = listener.heard.length;
    assertOk(await api.delete(`/v3/users/${asked.person.id}/OS-SESSIONS/sessions`), 204);
    await allSent([asker.id]);
    const told = await Promise.all(listener.heard.slice(before).map((token) => claimsOf(api, party, token)));
    assert.deepEqual(
      told.map(({ sub, sid }) => [sub, sid]),
      [[asked.person.id, undefined]],
    );
  });

  it('is not sent when the transaction fails', async () => {
    const [party, person] = [await partyWith(listener.uri, true), await makeUser(api)];
    const tokens = await party.tokensFor(person, OFFLINE);
    const before = listener.heard.length;
    const taken = await makeUser(api);
    const refused = await api.patch(`/v3/users/${person.id}`, { user: { enabled: false, name: taken.name } });
    assert.equal(refused.status, 409);
    await delay(1500);
    assert.equal(listener.heard.length, before);
    assert.ok(await party.isActive(tokens.access_token));
  });

  it('is sent to other applications at once while many notifications wait for one that never answers', async () => {
    const hanging = createServer(() => {});
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    let calls = 0;
    hanging.on('request', () => calls++);
    const [good, person] = [await partyWith(listener.uri, false), await makeUser(api)];
    const hostile = await partyWith(`http://127.0.0.1:${(hanging.address() as AddressInfo).port}/out`, false);
    await good.tokensFor(person, OFFLINE);
    const db = await databaseOf(api);
    const at = Math.floor(api.clock.now() / 1000) - 10;
    const client_id = hostile.application.id as string;
    const row = { client_id, body: JSON.stringify({ client_id, sub: person.id }), attempts: 0, next_at: at, created_at: at };
    try {
      await db.write(async (tx) => {
        for (let i = 0; i < 60; i++)
          await tx
            .insertInto('logouts')
            .values({ id: uniqueName('logout'), ...row })
            .execute();
      });
      const before = listener.heard.length;
      await disable(person.id);
      await listener.hears(before + 1);
      assert.ok(calls <= 1, `${calls} calls to one application at the same time`);
      // One attempt counts for all waiting notifications.
      const until = Date.now() + 60_000;
      const tries = async () =>
        (await db.read.selectFrom('logouts').where('client_id', '=', client_id).select('attempts').execute())[0]?.attempts;
      while ((await tries()) === 0 && Date.now() < until) await delay(50);
      assert.equal(await tries(), 1);
      assert.ok(calls <= 1);
    } finally {
      await db.write((tx) => tx.deleteFrom('logouts').where('client_id', '=', client_id).execute());
      await db.close();
      hanging.closeAllConnections();
      hanging.close();
    }
  });

  it('is stored where older versions do not send it as a web hook', async () => {
    deaf.status = 500;
    const [broken, person] = [await partyWith(deaf.uri, false), await makeUser(api)];
    await broken.tokensFor(person, OFFLINE);
    await disable(person.id);
    const db = await databaseOf(api);
    try {
      const inOutbox = await db.read
        .selectFrom('outbox')
        .select('id')
        .where('body', 'like', `%${broken.application.id}%`)
        .execute();
      const kept = await db.read.selectFrom('logouts').select('id').where('client_id', '=', broken.application.id).execute();
      assert.deepEqual([inOutbox.length, kept.length], [0, 1]);
    } finally {
      await db.close();
    }
  });
});
