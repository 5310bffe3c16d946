// Logout tokens: the provider ends sessions here, and nobody else does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { ApiAnswer } from '../../../test/support/api.ts';
import { onEachWallet, onWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { downgradeSessions, secretsOf } from '../../../test/support/wallet-session.ts';

const PATH = '/api/v1/auth/backchannel-logout';
const USERINFO = '/api/v1/auth/userinfo';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

onEachWallet(
  'Back-channel logout',
  (wallet) => {
    const now = (): number => Math.floor(Date.now() / 1000);
    const claimsFor = (more: object): Record<string, unknown> => ({
      iss: wallet.provider.issuer,
      aud: wallet.provider.clientId,
      iat: now(),
      exp: now() + 120,
      jti: randomUUID(),
      events: EVENTS,
      ...more,
    });
    const mint = (more: object, header: object = {}) => wallet.provider.mint({ ...header }, claimsFor(more));
    const send = (token: string): Promise<ApiAnswer> =>
      wallet.request('POST', PATH, {
        body: new URLSearchParams({ logout_token: token }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    const isIn = async (person: WalletUser): Promise<boolean> => (await person.get(USERINFO)).status === 200;
    const sidOf = async ({ cookie }: WalletUser): Promise<string> => {
      const { idToken } = await secretsOf(wallet, cookie);
      return JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString()).sid;
    };

    it('ends every session of a person whose account the provider closed, and nobody else’s', async () => {
      const [one, two, other] = [await wallet.logIn('anna'), await wallet.logIn('anna'), await wallet.logIn()];
      assert.ok((await isIn(one)) && (await isIn(two)));
      const answer = await send(await mint({ sub: 'anna' }));
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
      assert.deepEqual([await isIn(one), await isIn(two), await isIn(other)], [false, false, true]);
    });

    it('ends one session by the name the provider has for it, with or without the person', async () => {
      const people = [await wallet.logIn('berta'), await wallet.logIn('berta'), await wallet.logIn('berta')] as const;
      const sids = await Promise.all(people.map(sidOf));
      assert.equal(new Set(sids).size, 3);
      assert.equal((await send(await mint({ sid: sids[0] }))).status, 200);
      assert.equal((await send(await mint({ sid: sids[1], sub: 'berta' }, { typ: 'logout+jwt' }))).status, 200);
      assert.deepEqual(await Promise.all(people.map(isIn)), [false, false, true]);
    });

    it('ends nothing when session and person do not belong together', async () => {
      const [victim, other] = [await wallet.logIn(), await wallet.logIn()];
      assert.equal((await send(await mint({ sid: await sidOf(victim), sub: other.name }))).status, 200);
      assert.deepEqual([await isIn(victim), await isIn(other)], [true, true]);
    });

    it('ends sessions of the person whose name at the provider nobody noted, and nobody else’s', async () => {
      const [former, named, other] = [await wallet.logIn('frida'), await wallet.logIn('frida'), await wallet.logIn()];
      await downgradeSessions(wallet, [former.cookie, other.cookie]);
      assert.deepEqual(await Promise.all([former, named, other].map(isIn)), [true, true, true]);
      assert.equal((await send(await mint({ sub: 'frida', sid: 'another of theirs' }))).status, 200);
      assert.deepEqual(await Promise.all([former, named, other].map(isIn)), [false, true, true]);
    });

    it('refuses a token that comes again: it would end sessions begun since', async () => {
      const token = await mint({ sub: 'clara' });
      await wallet.logIn('clara');
      assert.equal((await send(token)).status, 200);
      const again = await wallet.logIn('clara');
      assertProblem(await send(token), 400, 'invalid-logout-token');
      const both = await mint({ sub: 'somebody else' });
      const statuses = (await Promise.all([send(both), send(both), send(both)])).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, 400, 400]);
      assert.ok(await isIn(again));
    });

    it('refuses tokens of any other kind', async () => {
      const person = await wallet.logIn('dora');
      const { idToken } = await secretsOf(wallet, person.cookie);
      const sub = 'dora';
      const cases: Record<string, string> = {
        'an ID token': idToken,
        'an access token': await mint({ sub }, { typ: 'at+jwt' }),
        'a type that is no text': await mint({ sub }, { typ: 7 }),
        'without events': await mint({ sub, events: undefined }),
        'with another event': await mint({ sub, events: { 'https://example.org/other': {} } }),
        'with an event that is no object': await mint({ sub, events: { [Object.keys(EVENTS)[0]!]: true } }),
        'with events that are a list': await mint({ sub, events: Object.keys(EVENTS) }),
        'with a nonce': await mint({ sub, nonce: 'x' }),
        'about nobody': await mint({}),
        'about nobody, in so many words': await mint({ sub: '' }),
        'about a number': await mint({ sub: 7 }),
        'about a session that is no text': await mint({ sub, sid: { $ne: '' } }),
        'without an id': await mint({ sub, jti: undefined }),
        'with an empty id': await mint({ sub, jti: '' }),
        'without a time': await mint({ sub, iat: undefined }),
        'from the future': await mint({ sub, iat: now() + 3600, exp: now() + 7200 }),
        'an old one': await mint({ sub, iat: now() - 3600, exp: now() + 120 }),
        'an expired one': await mint({ sub, iat: now() - 120, exp: now() - 60 }),
        'for another client': await mint({ sub, aud: 'another' }),
        'of another issuer': await mint({ sub, iss: 'https://elsewhere.example' }),
        unsigned: new UnsecuredJWT(claimsFor({ sub })).encode(),
        'signed with the client secret': await new SignJWT(claimsFor({ sub }))
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(wallet.provider.clientSecret)),
        'another signature': `${(await mint({ sub })).slice(0, -8)}AAAAAAAA`,
        'no token': 'x',
        'half a token': 'e30.e30',
      };
      for (const [why, token] of Object.entries(cases)) {
        const answer = await send(token);
        assert.deepEqual([answer.status, answer.body.code], [400, 'invalid-logout-token'], why);
      }
      assert.ok(await isIn(person), 'none of them ended anything');
      assert.equal((await send(await mint({ sub }))).status, 200, 'this test can fail');
      assert.ok(!(await isIn(person)));
    });

    it('refuses a request without a token', async () => {
      for (const body of ['', 'logout_token=', 'token=x'])
        assert.equal(
          (
            await wallet.request('POST', PATH, {
              body,
              headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            })
          ).status,
          400,
          body,
        );
    });

    it('takes a session for ended whose row names another session of the provider than its sealed content', async () => {
      const person = await wallet.logIn();
      const { idHash } = await secretsOf(wallet, person.cookie);
      await wallet.service.stop(1000);
      const db = await wallet.database();
      await db.write(async (tx) => {
        const { actForSession } = await import('../access/index.ts');
        await actForSession(db, tx, idHash);
        await tx.updateTable('sessions').set({ sid_hash: null }).where('id_hash', '=', idHash).execute();
      });
      await db.close();
      await wallet.open();
      assert.ok(!(await isIn(person)), 'it could not be ended by its name any more');
    });
  },
  { provider: { sids: true } },
);

onWallet('SQLite', 'Back-channel logout with limits', { rateLimits: true, provider: { sids: true } }, (wallet) => {
  const send = (token: string): Promise<ApiAnswer> =>
    wallet.request('POST', PATH, {
      body: new URLSearchParams({ logout_token: token }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const mint = (): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const { issuer: iss, clientId: aud } = wallet.provider;
    return wallet.provider.mint({}, { iss, aud, iat: now, exp: now + 120, jti: randomUUID(), events: EVENTS, sub: 'greta' });
  };

  it('is not switched off by strangers who begin logins, nor by many logouts', async () => {
    wallet.clock.hold();
    const login = async () => (await wallet.request('GET', '/api/v1/auth/login?response=json')).status;
    let status = await login();
    for (let turn = 0; turn < 100 && status !== 429; turn++) status = await login();
    assert.equal(status, 429, 'this test can fail');
    for (let turn = 0; turn < 70; turn++) assert.equal((await send(await mint())).status, 200);
  });

  it('is refused to those whose tokens were refused too often, until time has passed', async () => {
    wallet.clock.hold();
    const statuses = [];
    for (let turn = 0; turn < 62; turn++) statuses.push((await send('x')).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429]);
    wallet.clock.advance(60);
    assert.equal((await send(await mint())).status, 200);
  });
});

const registered = { GATEHOUSE_WALLET_OIDC_SIGNING_ALG: 'ES256' };
onWallet('SQLite', 'Back-channel logout with a registered algorithm', { settings: registered, provider: {} }, (wallet) => {
  const send = async (): Promise<number> => {
    const now = Math.floor(Date.now() / 1000);
    const { issuer: iss, clientId: aud } = wallet.provider;
    const claims = { iss, aud, iat: now, exp: now + 120, jti: randomUUID(), events: EVENTS, sub: 'hanna' };
    const body = new URLSearchParams({ logout_token: await wallet.provider.mint({}, claims) }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return (await wallet.request('POST', PATH, { body, headers })).status;
  };

  it('takes nothing that the provider signed otherwise, neither a login nor a logout', async () => {
    assert.equal(await send(), 400);
    await assert.rejects(wallet.logIn('hanna'));
    await wallet.service.stop(1000);
    registered.GATEHOUSE_WALLET_OIDC_SIGNING_ALG = 'RS256';
    await wallet.open();
    const person = await wallet.logIn('hanna');
    assert.deepEqual([await send(), (await person.get(USERINFO)).status], [200, 401]);
  });
});
