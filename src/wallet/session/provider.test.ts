// Providers that are unavailable or busy, rotate their tokens, or omit optional values.
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { ScriptedProvider } from '../../../test/support/plain-provider-scripted.ts';
import { onWallet, WalletUser } from '../../../test/support/wallet.ts';
import { cookiesOf } from '../../../test/support/wallet-session.ts';

const USERINFO = '/api/v1/auth/userinfo';

const provider = new ScriptedProvider();
onWallet('SQLite', 'An identity provider', { provider }, (wallet) => {
  beforeEach(() => provider.honest());

  async function logIn(): Promise<WalletUser> {
    const answer = await provider.logIn(wallet);
    assert.equal(answer.status, 303, answer.text);
    return new WalletUser(wallet, 'anna', `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}`);
  }
  const nearTheEnd = (): void => wallet.clock.advance(100);

  it('may be away: every login is refused with 503, also those that come together', async () => {
    await provider.stop();
    const logins = await Promise.all(Array.from({ length: 5 }, () => wallet.get('/api/v1/auth/login')));
    for (const { status, body } of logins) assert.deepEqual([status, body.code], [503, 'identity-provider-unavailable']);
    assert.equal((await wallet.get('/api/v1/auth/login')).status, 503);
    assert.equal(logins[0]!.headers.getSetCookie().length, 0);
    await provider.start();
    const until = Date.now() + 30_000;
    while ((await wallet.get('/api/v1/auth/login')).status !== 302 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await wallet.get('/api/v1/auth/login')).status, 302);
  });

  it('is asked about itself once, however many log in', async () => {
    await Promise.all(Array.from({ length: 5 }, () => wallet.get('/api/v1/auth/login')));
    for (let logins = 0; logins < 3; logins++) await logIn();
    assert.equal(provider.asked.filter((path) => path === '/.well-known/openid-configuration').length, 1);
  });

  it('may fail while a login comes back: 503, and the login is over', async () => {
    for (const reply of [
      { status: 500 },
      { status: 502, body: '<html>' },
      { status: 429, body: '' },
      { body: 'x'.repeat(300_000) },
    ]) {
      provider.scripts['/token'] = () => reply;
      const answer = await provider.logIn(wallet);
      assert.deepEqual(
        [answer.status, answer.body.code],
        [503, 'identity-provider-unavailable'],
        JSON.stringify(reply).slice(0, 50),
      );
      assert.equal(cookiesOf(answer).gatehouse_wallet_login!.value, '');
    }
    delete provider.scripts['/token'];
    await logIn();
  });

  it('is not followed to another address', async () => {
    let reached = false;
    provider.scripts['/elsewhere'] = () => {
      reached = true;
      return {};
    };
    provider.scripts['/token'] = () => ({ status: 307, headers: { Location: '/elsewhere' } });
    assert.ok([401, 503].includes((await provider.logIn(wallet)).status));
    assert.equal(reached, false);
  });

  it('ends a session by refusing to refresh it, and by nothing else', async () => {
    const busy = [{ status: 500 }, { status: 503, body: 'try later' }, { status: 429, body: 'slow down' }];
    // About us, or about the way there: the person's account is as good as before.
    const other = [
      { status: 503, body: { error: 'temporarily_unavailable' } },
      { status: 400, body: { error: 'temporarily_unavailable' } },
      { status: 401, body: { error: 'invalid_client' } },
      { status: 403, body: '<h1>Forbidden</h1>', headers: { 'Content-Type': 'text/html' } },
      { status: 404, body: 'no such page' },
    ];
    for (const reply of [...busy, ...other]) {
      const person = await logIn();
      provider.scripts['/token'] = () => reply;
      nearTheEnd();
      assert.equal((await person.get(USERINFO)).status, 200, JSON.stringify(reply));
      delete provider.scripts['/token'];
      wallet.clock.advance(31);
      assert.equal((await person.get(USERINFO)).status, 200);
    }
    for (const error of ['invalid_grant', 'interaction_required']) {
      const person = await logIn();
      provider.scripts['/token'] = () => ({ status: 400, body: { error } });
      nearTheEnd();
      assert.equal((await person.get(USERINFO)).status, 401);
      delete provider.scripts['/token'];
    }
  });

  it('is asked again half a minute after it failed, not with every request', async () => {
    const person = await logIn();
    let asked = 0;
    provider.scripts['/token'] = () => {
      asked++;
      return { status: 503 };
    };
    nearTheEnd();
    for (let requests = 0; requests < 5; requests++) assert.equal((await person.get(USERINFO)).status, 200);
    assert.equal(asked, 1);
    wallet.clock.advance(31);
    await person.get(USERINFO);
    assert.equal(asked, 2);
  });

  it('ends a session when it answers for somebody else', async () => {
    const person = await logIn();
    provider.claims = { sub: 'bert' };
    nearTheEnd();
    assert.equal((await person.get(USERINFO)).status, 401);
  });

  it('need not say again who it is, nor give another refresh token', async () => {
    const person = await logIn();
    const sent: (string | null)[] = [];
    provider.scripts['/token'] = (_request, fields) => {
      sent.push(fields.get('refresh_token'));
      return { body: { access_token: 'another', token_type: 'bearer', expires_in: 120 } };
    };
    for (let times = 0; times < 2; times++) {
      nearTheEnd();
      const { status, body } = await person.get(USERINFO);
      assert.deepEqual([status, body.sub, body.claims.aud], [200, 'anna', 'wallet']);
    }
    assert.deepEqual(sent, ['a refresh token', 'a refresh token']);
  });

  it('may give no refresh token: the session then lasts as long as sessions last', async () => {
    provider.tokens = { refresh_token: undefined };
    const person = await logIn();
    wallet.clock.advance(3000);
    assert.equal((await person.get(USERINFO)).status, 200);
  });
});

const named = new ScriptedProvider();
onWallet('SQLite', 'A provider that says more at its userinfo endpoint', { provider: named }, (wallet) => {
  it('is believed when it speaks of the same person', async () => {
    named.metadata = { userinfo_endpoint: `${named.issuer}/me` };
    named.scripts['/me'] = () => ({ body: { sub: 'anna', name: 'Anna', groups: ['admin'] } });
    const answer = await named.logIn(wallet);
    const person = new WalletUser(wallet, 'anna', `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}`);
    assert.deepEqual((await person.get(USERINFO)).body.roles, ['admin']);
    named.scripts['/me'] = () => ({ status: 503 });
    wallet.clock.advance(100);
    const kept = (await person.get(USERINFO)).body;
    assert.deepEqual([kept.name, kept.roles], ['Anna', ['admin']], 'it could not be asked');
    named.scripts['/me'] = () => ({ body: { sub: 'anna', name: 'Anna' } });
    wallet.clock.advance(100);
    const fresh = (await person.get(USERINFO)).body;
    assert.deepEqual([fresh.name, fresh.roles], ['Anna', []], 'the role was taken away');
  });

  it('is not believed when it speaks of another', async () => {
    named.scripts['/me'] = () => ({ body: { sub: 'bert', name: 'Bert', groups: ['admin'] } });
    const answer = await named.logIn(wallet);
    const person = new WalletUser(wallet, 'anna', `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}`);
    const { body } = await person.get(USERINFO);
    assert.deepEqual([body.sub, body.name, body.roles], ['anna', undefined, []]);
  });
});

const slashed = new ScriptedProvider();
onWallet('SQLite', 'A provider whose name ends with a slash', { provider: slashed }, (wallet) => {
  it('is found, although settings drop the slash, and named as it names itself', async () => {
    slashed.metadata = { issuer: `${slashed.issuer}/realm/` };
    slashed.issuer = `${slashed.issuer}/realm`;
    await wallet.service.stop(1000);
    await wallet.open();
    const answer = await slashed.logIn(wallet);
    assert.equal(answer.status, 303, answer.text);
    const headers = { Cookie: `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}` };
    assert.equal((await wallet.get(USERINFO, { headers })).body.iss, `${slashed.issuer}/`);
  });

  it('is not found under a name that is another one', async () => {
    slashed.metadata = { issuer: 'https://other.example' };
    await wallet.service.stop(1000);
    await wallet.open();
    assert.equal((await wallet.get('/api/v1/auth/login')).status, 503);
  });
});
