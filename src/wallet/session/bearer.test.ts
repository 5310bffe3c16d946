// Bearer tokens of machines (RFC 9068), where an audience is configured.
import assert from 'node:assert/strict';
import { createSecretKey, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import type { ApiAnswer } from '../../../test/support/api.ts';
import { onEachWallet, onWallet } from '../../../test/support/wallet.ts';

const AUDIENCE = 'https://wallet.example.org/';
const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';
const settings = { GATEHOUSE_WALLET_BEARER_AUDIENCE: AUDIENCE };
const AT = { typ: 'at+jwt' };
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onEachWallet(
  'A bearer token',
  (wallet) => {
    const claimsOf = (more: Record<string, unknown> = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const honest = { iss: wallet.provider.issuer, aud: AUDIENCE, sub: 'machine', client_id: 'machine', jti: randomUUID() };
      return { ...honest, iat: now, exp: now + 600, ...more };
    };
    const ask = (token: string, path = USERINFO, cookie?: string): Promise<ApiAnswer> =>
      wallet.get(path, { headers: { Authorization: `Bearer ${token}`, ...(cookie ? { Cookie: cookie } : {}) } });
    async function ofMachine(): Promise<string> {
      const { body } = await wallet.provider.token({ grant_type: 'client_credentials', resource: AUDIENCE }, 'machine');
      return body.access_token;
    }
    function isRefused(answer: ApiAnswer, why: string): void {
      assert.deepEqual([answer.status, answer.body.code], [401, 'not-authenticated'], why);
      assert.match(answer.headers.get('www-authenticate')!, /^Bearer .*error="invalid_token"/, why);
    }

    it('of the provider is accepted, with no cookie and no page it comes from', async () => {
      const token = await ofMachine();
      const { status, body } = await ask(token);
      assert.equal(status, 200);
      assert.deepEqual([body.sub, body.iss, body.claims.client_id], ['machine', wallet.provider.issuer, 'machine']);
      assert.equal(body.expiresAt, new Date(body.claims.exp * 1000).toISOString());
      const headers = { Authorization: `bearer ${token}`, Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };
      const made = await wallet.request('POST', KEYS, { body: {}, headers });
      assert.equal(made.status, 201, made.text);
      assert.equal((await wallet.request('DELETE', `${KEYS}/${made.body.id}`, { headers })).status, 204);
    });

    it('wins over a cookie', async () => {
      const anna = await wallet.logIn('anna');
      assert.equal((await ask(await ofMachine(), USERINFO, anna.cookie)).body.sub, 'machine');
      isRefused(await ask('nonsense', USERINFO, anna.cookie), 'a bad token beside a good cookie');
      for (const authorization of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a, Bearer b'])
        isRefused(await wallet.get(USERINFO, { headers: { Authorization: authorization, Cookie: anna.cookie } }), authorization);
      const basic = await wallet.get(USERINFO, { headers: { Authorization: 'Basic eDp5', Cookie: anna.cookie } });
      assert.equal(basic.body.sub, 'anna', 'what a proxy asks for is none of ours');
    });

    it('is the same owner as a session of the same person', async () => {
      const anna = await wallet.logIn('anna');
      const key = await anna.make('keys');
      const token = await wallet.provider.mint(AT, claimsOf({ sub: 'anna' }));
      assert.deepEqual((await ask(token, KEYS)).body, [key]);
      const other = await wallet.provider.mint(AT, claimsOf({ sub: 'bert' }));
      assert.deepEqual((await ask(other, KEYS)).body, []);
    });

    it('carries roles as a session does', async () => {
      const token = await wallet.provider.mint(AT, claimsOf({ groups: ['admin'], auth_time: 1_700_000_000 }));
      const { body } = await ask(token);
      assert.deepEqual([body.roles, body.authTime], [['admin'], '2023-11-14T22:13:20.000Z']);
    });

    it('is accepted for several audiences, one of them ours', async () => {
      const token = await wallet.provider.mint({ typ: 'application/at+jwt' }, claimsOf({ aud: ['other', AUDIENCE] }));
      assert.equal((await ask(token)).status, 200);
    });

    describe('is refused', () => {
      const past = Math.floor(Date.now() / 1000) - 60;
      const wrong: Record<string, Record<string, unknown>> = {
        'for another audience': { aud: 'https://other.example' },
        'for an audience that begins like ours': { aud: AUDIENCE.slice(0, -1) },
        'without an audience': { aud: undefined },
        'of another issuer': { iss: 'https://evil.example' },
        'without an issuer': { iss: undefined },
        'after its end': { iat: past - 600, exp: past },
        'from the future': { iat: past + 7200, exp: past + 10_800 },
        'about nobody': { sub: '' },
        'about a number': { sub: 7 },
        'about an object': { sub: { name: 'anna' } },
        'without an end': { exp: undefined },
        'before its time': { nbf: past + 600 },
        'without a subject': { sub: undefined },
        'without its client': { client_id: undefined },
        'without an id': { jti: undefined },
        'without the proof of its key': { cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } },
      };
      for (const [name, claims] of Object.entries(wrong))
        it(name, async () => isRefused(await ask(await wallet.provider.mint(AT, claimsOf(claims))), name));

      it('when it is another kind of token of the same provider', async () => {
        for (const typ of ['JWT', 'logout+jwt', undefined])
          isRefused(await ask(await wallet.provider.mint({ typ }, claimsOf())), String(typ));
      });

      it('without a signature, or with one that anybody can make', async () => {
        isRefused(await ask(`${base64({ ...AT, alg: 'none' })}.${base64(claimsOf())}.`), 'none');
        const jwks = (await (await fetch(`${wallet.provider.issuer}/jwks`)).json()) as { keys: [object] };
        const spki = await exportSPKI((await importJWK(jwks.keys[0], 'RS256')) as never);
        for (const secret of [spki, wallet.provider.clientSecret]) {
          const key = createSecretKey(Buffer.from(secret));
          const token = await new SignJWT(claimsOf()).setProtectedHeader({ ...AT, alg: 'HS256', kid: 'own' }).sign(key);
          isRefused(await ask(token), 'HS256');
        }
      });

      it('when somebody else signed it, or changed it', async () => {
        const { privateKey } = await generateKeyPair('RS256');
        for (const kid of ['own', 'other'])
          isRefused(
            await ask(await new SignJWT(claimsOf()).setProtectedHeader({ ...AT, alg: 'RS256', kid }).sign(privateKey)),
            kid,
          );
        const [header, , signature] = (await ofMachine()).split('.') as [string, string, string];
        isRefused(await ask(`${header}.${base64(claimsOf({ sub: 'admin' }))}.${signature}`), 'changed');
        for (const text of ['x', 'a.b', 'a.b.c', '..', 'a.b.c.d.e']) isRefused(await ask(text), text);
      });

      it('when it is opaque', async () => {
        const { body } = await wallet.provider.token({ grant_type: 'client_credentials' }, 'machine');
        isRefused(await ask(body.access_token), 'opaque');
      });
    });

    it('is in no log line', async () => {
      const [good, bad] = [await ofMachine(), await wallet.provider.mint(AT, claimsOf({ aud: 'other' }))];
      await ask(good);
      await ask(bad);
      const log = wallet.logged.join('\n');
      for (const part of [...good.split('.'), ...bad.split('.')].filter((text) => text.length > 60))
        assert.ok(!log.includes(part));
    });
  },
  { settings },
);

onWallet('SQLite', 'A node without an audience', {}, (wallet) => {
  it('takes no bearer token, and the cookie beside one as ever', async () => {
    const { body } = await wallet.provider.token({ grant_type: 'client_credentials', resource: AUDIENCE }, 'machine');
    const headers = { Authorization: `Bearer ${body.access_token}` };
    const answer = await wallet.get(USERINFO, { headers });
    assert.equal(answer.status, 401);
    assert.doesNotMatch(answer.headers.get('www-authenticate')!, /Bearer/);
    const anna = await wallet.logIn('anna');
    assert.equal((await anna.get(USERINFO, { headers })).body.sub, 'anna');
    assert.equal((await anna.post(KEYS, {}, { headers: { ...headers, Origin: 'https://evil.example' } })).status, 403);
  });
});

onWallet('SQLite', 'A bearer token whose provider is away', { settings, provider: {} }, (wallet) => {
  it('is answered with 503, and accepted when the provider is back', async () => {
    const { body } = await wallet.provider.token({ grant_type: 'client_credentials', resource: AUDIENCE }, 'machine');
    const headers = { Authorization: `Bearer ${body.access_token}` };
    const ask = () => wallet.get(USERINFO, { headers });
    await wallet.get('/api/v1/auth/login');
    await wallet.provider.stop();
    const without = await ask();
    assert.deepEqual([without.status, without.body.code], [503, 'identity-provider-unavailable'], 'its keys cannot be had');
    await wallet.provider.start();
    // Its keys are asked for once a second at most.
    await sleep(1000);
    assert.equal((await ask()).status, 200);
    await wallet.provider.stop();
    assert.equal((await ask()).status, 200, 'its keys are known');
    await wallet.service.stop(1000);
    await wallet.open();
    assert.equal((await ask()).status, 503, 'not even its address is known');
  });
});
