// Attacks on sessions: cookies that are stolen, made up or planted, and requests that other pages send.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { onEachWallet, onUsualWallet, onWallet } from '../../../test/support/wallet.ts';
import { cookiesOf, isCleared, secretsOf } from '../../../test/support/wallet-session.ts';
import { createSeal, newMasterKey } from '../../platform/seal/index.ts';

const USERINFO = '/api/v1/auth/userinfo';
const LOGOUT = '/api/v1/auth/logout';
const KEYS = '/api/v1/wallet/keys';
const SESSION = 'gatehouse_wallet';
const FLOW = 'gatehouse_wallet_login';

/** By hand: fetch says itself what Sec-Fetch-Mode is. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

onEachWallet('The session cookie', (wallet) => {
  const isRefused = async (value: string, why: string): Promise<void> => {
    const answer = await wallet.get(USERINFO, { headers: { Cookie: `${SESSION}=${value}` } });
    assert.deepEqual([answer.status, answer.body.code], [401, 'not-authenticated'], why);
    assert.ok(isCleared(answer), `${why}: it is taken away`);
  };
  const textOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

  it('is worth nothing after the logout, wherever a copy of it is', async () => {
    const anna = await wallet.logIn();
    const copy = textOf(anna.cookie);
    assert.equal((await anna.get(KEYS)).status, 200);
    await anna.get(LOGOUT);
    await isRefused(copy, 'copied');
    assert.equal((await anna.post(KEYS, {})).status, 401);
  });

  it('is refused when a single character differs', async () => {
    const { cookie } = await wallet.logIn();
    const value = textOf(cookie);
    for (let at = 0; at < value.length; at++) {
      const other = value[at] === 'A' ? 'B' : 'A';
      await isRefused(`${value.slice(0, at)}${other}${value.slice(at + 1)}`, `character ${at}`);
    }
    assert.equal((await wallet.get(USERINFO, { headers: { Cookie: cookie } })).status, 200);
  });

  it('is refused when it is cut, lengthened, or written in another way', async () => {
    const { cookie } = await wallet.logIn();
    const value = textOf(cookie);
    const [version, key, text] = value.split('.') as [string, string, string];
    const others = [
      '',
      '.',
      '..',
      'v1',
      version,
      `${version}.${key}`,
      `${version}.${key}.`,
      `${version}.${key}.AAAA`,
      value.slice(0, -1),
      value.slice(1),
      `${value}A`,
      `${value}=`,
      `${value}.x`,
      `${value}!`,
      `"${value}"`,
      `${version}.${key}.${text.slice(0, 10)}*${text.slice(10)}`,
      `${version}.${key}.${text}${text}`,
      'A'.repeat(10_000),
      'undefined',
      'null',
      '{}',
    ];
    for (const other of others) await isRefused(other, other.slice(0, 80));
  });

  it('is refused when it is the cookie of a login, and the other way round', async () => {
    const { callback, flow } = await wallet.returned('anna');
    await isRefused(textOf(flow), 'the cookie of a login');
    const { cookie } = await wallet.logIn();
    const answer = await wallet.get(callback, { headers: { Cookie: `${FLOW}=${textOf(cookie)}` } });
    assert.deepEqual([answer.status, answer.body.code], [400, 'login-state-mismatch']);
    assert.ok(isCleared(answer, FLOW));
  });

  it('is refused under another master key, or for another purpose', async () => {
    const anna = await wallet.logIn();
    const { id, idHash } = await secretsOf(wallet, anna.cookie);
    const [other, ours] = [createSeal([newMasterKey()]), createSeal([wallet.masterKey])];
    await isRefused(other.seal(Buffer.from(id), 'wallet session cookie'), 'another master key');
    await isRefused(ours.seal(Buffer.from(id), 'something else'), 'another purpose');
    await isRefused(ours.seal(Buffer.from(idHash), 'wallet session cookie'), 'the hash, as it is in the database');
    await isRefused(id, 'the id itself');
    await isRefused(idHash, 'the hash itself');
    const again = ours.seal(Buffer.from(id), 'wallet session cookie');
    assert.equal((await wallet.get(USERINFO, { headers: { Cookie: `${SESSION}=${again}` } })).status, 200, 'this test can fail');
  });

  it('survives a change of the master key, as long as the old one is given', async () => {
    const anna = await wallet.logIn();
    await wallet.service.stop(1000);
    await wallet.open([newMasterKey(), wallet.masterKey]);
    assert.equal((await anna.get(USERINFO)).status, 200);
    await wallet.service.stop(1000);
    await wallet.open();
  });

  it('is not accepted in any other place', async () => {
    const { cookie } = await wallet.logIn();
    const value = textOf(cookie);
    for (const headers of [
      { Authorization: `Bearer ${value}` },
      { Authorization: `Session ${value}` },
      { 'X-Auth-Token': value },
      { Cookie: `${SESSION.toUpperCase()}=${value}` },
      { Cookie: `x${cookie}` },
      { Cookie: `__Host-${cookie}` },
    ])
      assert.equal((await wallet.get(`${USERINFO}?${SESSION}=${value}`, { headers })).status, 401, JSON.stringify(headers));
  });

  it('cannot be planted: a login never takes over the session id that was there', async () => {
    const attacker = await wallet.logIn('attacker');
    const before = await secretsOf(wallet, attacker.cookie);
    const { callback, flow } = await wallet.returned('victim');
    const done = await wallet.get(callback, { headers: { Cookie: `${attacker.cookie}; ${flow}` } });
    const cookie = `${SESSION}=${cookiesOf(done)[SESSION]!.value}`;
    const after = await secretsOf(wallet, cookie);
    assert.notEqual(after.id, before.id);
    assert.equal((await wallet.get(USERINFO, { headers: { Cookie: cookie } })).body.sub, 'victim');
    assert.equal((await attacker.get(USERINFO)).status, 401);
  });

  it('comes once of a login, however many callbacks come together', async () => {
    const { callback, flow } = await wallet.returned('anna');
    const answers = await Promise.all(Array.from({ length: 10 }, () => wallet.get(callback, { headers: { Cookie: flow } })));
    const begun = answers.filter(({ status }) => status === 303);
    assert.equal(begun.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 303)) {
      assert.deepEqual([answer.status, answer.body.code], [400, 'login-state-mismatch']);
      assert.equal(cookiesOf(answer)[SESSION], undefined);
    }
    const headers = { Cookie: `${SESSION}=${cookiesOf(begun[0]!)[SESSION]!.value}` };
    assert.equal((await wallet.get(USERINFO, { headers })).status, 200, 'and that one stands');
  });

  it('is for its own wallet only', async () => {
    const [anna, bert] = [await wallet.logIn(), await wallet.logIn()];
    const key = await anna.make('keys');
    assert.equal((await bert.post(`${KEYS}/${key.id}/rotate`, {})).status, 404);
    assert.deepEqual((await bert.get(KEYS)).body, []);
  });
});

onUsualWallet('Requests that other pages send', (wallet) => {
  const foreign: Record<string, Record<string, string>> = {
    'another origin': { Origin: 'https://evil.example' },
    'no origin': {},
    'an opaque origin': { Origin: 'null' },
    'an origin that begins like ours': { Origin: '{own}.evil.example' },
    'our host with another scheme': { Origin: '{secure}' },
    'a referrer of ours only': { Referer: '{own}/' },
    'another site': { 'Sec-Fetch-Site': 'cross-site' },
    'another host of the same site': { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' },
    'a made-up site': { 'Sec-Fetch-Site': 'same-origin, cross-site' },
    'a host that is ours by its own word': { Host: 'evil.example', Origin: 'http://evil.example' },
  };
  const filled = (headers: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('{own}', wallet.url).replace('{secure}', wallet.url.replace('http:', 'https:')),
      ]),
    );

  for (const [name, headers] of Object.entries(foreign))
    it(`change nothing: ${name}`, async () => {
      const anna = await wallet.logIn();
      const key = await anna.make('keys');
      const attempts: [string, string, unknown][] = [
        ['POST', KEYS, {}],
        ['POST', `${KEYS}/${key.id}/rotate`, {}],
        ['POST', `${KEYS}/${key.id}/revoke`, {}],
        ['DELETE', `${KEYS}/${key.id}`, undefined],
        ['POST', '/api/v1/wallet/dids', {}],
        ['POST', LOGOUT, undefined],
      ];
      for (const [method, path, body] of attempts) {
        const answer = await wallet.request(method, path, { body, headers: { Cookie: anna.cookie, ...filled(headers) } });
        assert.deepEqual([answer.status, answer.body?.code], [403, 'csrf'], `${method} ${path}`);
        assert.equal(answer.headers.getSetCookie().length, 0, 'and the session stays');
      }
      const { body } = await anna.get(KEYS);
      assert.deepEqual(body, [key]);
    });

  it('are those of our own pages when Origin or Sec-Fetch-Site say so', async () => {
    const anna = await wallet.logIn();
    for (const headers of [{ Origin: wallet.url }, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }] as Record<
      string,
      string
    >[]) {
      const answer = await wallet.request('POST', KEYS, { body: {}, headers: { Cookie: anna.cookie, ...headers } });
      assert.equal(answer.status, 201, JSON.stringify(headers));
    }
    assert.equal((await wallet.get(KEYS, { headers: { Cookie: anna.cookie } })).body.length, 3, 'reading needs none of it');
  });

  it('cannot come as a form', async () => {
    const anna = await wallet.logIn();
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/plain; application/json',
    ])
      for (const path of [KEYS, '/api/v1/wallet/dids']) {
        const answer = await anna.post(path, '{"algorithm":"ES256"}', { headers: { 'Content-Type': type } });
        assert.deepEqual([answer.status, answer.body.code], [415, 'unsupported-media-type'], type);
      }
    assert.deepEqual((await anna.get(KEYS)).body, []);
  });

  it('get no answer they could read: no CORS for what needs a session', async () => {
    const anna = await wallet.logIn();
    const answer = await anna.get(USERINFO, { headers: { Origin: 'https://evil.example' } });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    const preflight = await wallet.request('OPTIONS', KEYS, {
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    assert.ok(preflight.status >= 400);
    assert.equal(preflight.headers.get('access-control-allow-origin'), null);
  });

  describe('to log somebody out', () => {
    const hidden: Record<string, Record<string, string>> = {
      'an image': { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
      'a script': { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' },
      'a fetch': { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
      'a frame': { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      'who knows what': {},
    };
    // Cookies with SameSite=Lax are sent with every request of another host of the same site.
    for (const site of ['cross-site', 'same-site', 'a site that no browser names'])
      for (const [name, headers] of Object.entries(hidden))
        it(`are refused as ${name} (${site})`, async () => {
          const anna = await wallet.logIn();
          const status = await statusOf(wallet.url + LOGOUT, { Cookie: anna.cookie, 'Sec-Fetch-Site': site, ...headers });
          assert.equal(status, 403);
          assert.equal((await anna.get(USERINFO)).status, 200);
        });

    const visible = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

    for (const site of ['same-site', 'same-origin', 'none'])
      it(`are refused before the person goes there: a page that is fetched in advance (${site})`, async () => {
        const anna = await wallet.logIn();
        const headers = { ...visible, 'Sec-Fetch-Site': site, 'Sec-Purpose': 'prefetch;prerender' };
        assert.equal(await statusOf(wallet.url + LOGOUT, { Cookie: anna.cookie, ...headers }), 403);
        assert.equal((await anna.get(USERINFO)).status, 200);
      });

    for (const site of ['cross-site', 'same-site', 'same-origin', 'none'])
      it(`are accepted as a visible navigation (${site})`, async () => {
        const anna = await wallet.logIn();
        assert.equal(await statusOf(wallet.url + LOGOUT, { Cookie: anna.cookie, 'Sec-Fetch-Site': site, ...visible }), 303);
        assert.equal((await anna.get(USERINFO)).status, 401);
      });
  });
});

onWallet('SQLite', 'Too many logins', { rateLimits: true }, (wallet) => {
  it('from one address are told to wait, and then served again', async () => {
    // What a throttle gives back with time must not depend on how long sixty requests take here.
    wallet.clock.hold();
    const statuses: number[] = [];
    for (let attempts = 0; attempts < 30; attempts++) {
      statuses.push((await wallet.get('/api/v1/auth/login')).status);
      statuses.push((await wallet.get('/api/v1/auth/callback?state=guess&code=guess')).status);
    }
    assert.deepEqual(new Set(statuses), new Set([302, 400]));
    for (const path of ['/api/v1/auth/login', '/api/v1/auth/callback?state=guess&code=guess']) {
      const answer = await wallet.get(path);
      assert.deepEqual([answer.status, answer.body.code], [429, 'rate-limited']);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    assert.equal((await wallet.get('/.well-known/did.json')).status, 200, 'documents are served meanwhile');
    wallet.clock.advance(61);
    assert.equal((await wallet.get('/api/v1/auth/login')).status, 302);
  });
});

onUsualWallet(
  'The log',
  (wallet) => {
    it('holds no token, code, session id or cookie, whatever happens', async () => {
      const { callback, flow } = await wallet.returned('anna');
      const done = await wallet.get(callback, { headers: { Cookie: flow } });
      const cookie = `${SESSION}=${cookiesOf(done)[SESSION]!.value}`;
      const { id, idToken, refreshToken } = await secretsOf(wallet, cookie);
      await wallet.get(callback, { headers: { Cookie: flow } });
      await wallet.get(callback);
      await wallet.get(USERINFO, { headers: { Cookie: cookie } });
      await wallet.get(USERINFO, { headers: { Cookie: `${cookie}x`, Authorization: `Bearer ${idToken}` } });
      await wallet.request('POST', KEYS, { body: {}, headers: { Cookie: cookie } });
      await wallet.provider.close('anna');
      wallet.clock.advance(3590);
      assert.equal((await wallet.get(USERINFO, { headers: { Cookie: cookie } })).status, 401);
      await wallet.get(LOGOUT, { headers: { Cookie: cookie } });
      const refused = await wallet.returned('');
      await wallet.get(refused.callback, { headers: { Cookie: refused.flow } });
      const query = new URLSearchParams(callback.split('?')[1]);
      const log = wallet.logged.join('\n');
      assert.ok(log.includes('/api/v1/auth/callback'), 'there is a log');
      const secrets = {
        id,
        idToken,
        refreshToken,
        code: query.get('code')!,
        state: query.get('state')!,
        cookie: cookie.slice(20),
        flow,
      };
      for (const [name, secret] of Object.entries(secrets)) assert.ok(!log.includes(secret), name);
      for (const part of idToken.split('.')) assert.ok(!log.includes(part));
    });
  },
  { provider: {} },
);
