// Wallets in browsers: scripts of other origins call the issuer, and read its answers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onDatabase } from '../../../../test/support/api.ts';
import {
  makeOffer,
  PRE_AUTHORIZED,
  PUBLIC_WALLET,
  PUBLIC_WALLETS,
  TestCredentialWallet,
  usesRoleWorld,
  WALLET_CALLBACK,
} from '../../../../test/support/role-credentials.ts';

const ORIGIN = 'https://wallet.example';

onDatabase('SQLite', 'A wallet in a browser', { settings: PUBLIC_WALLETS }, (api) => {
  const { world, person } = usesRoleWorld(api);
  const wallet = new TestCredentialWallet(api);

  const preflight = (path: string, method: string, headers = 'authorization,content-type,dpop') =>
    wallet.send(path, {
      method: 'OPTIONS',
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': headers },
    });

  it('is allowed to call what wallets call, by the preflight of its browser', async () => {
    const { uri } = await makeOffer(api, person, [world.sdJwt]);
    const offer = new URL(new URL(uri).searchParams.get('credential_offer_uri')!).pathname;
    for (const [path, method] of [
      ['/.well-known/openid-credential-issuer', 'GET'],
      ['/openid/credentials/nonce', 'POST'],
      ['/openid/credentials/credential', 'POST'],
      ['/openid/credentials/notification', 'POST'],
      [offer, 'GET'],
      ['/.well-known/oauth-authorization-server', 'GET'],
      ['/openid/token', 'POST'],
      ['/openid/par', 'POST'],
    ] as const) {
      const { status, headers, text } = await preflight(path, method);
      assert.ok(status === 200 || status === 204, `${path}: ${status} ${text}`);
      assert.ok(['*', ORIGIN].includes(headers.get('access-control-allow-origin')!), path);
      assert.match(headers.get('access-control-allow-methods')!, new RegExp(`\\b${method}\\b`), path);
      const allowed = headers.get('access-control-allow-headers')!.toLowerCase();
      for (const name of ['authorization', 'content-type', 'dpop']) assert.ok(allowed.includes(name), `${path} ${name}`);
      assert.equal(headers.get('access-control-allow-credentials'), null, 'no cookies');
    }
  });

  it('reads answers, and why it is refused', async () => {
    const headers = { Origin: ORIGIN };
    const read = (answer: { headers: Headers }) => answer.headers.get('access-control-allow-origin');
    assert.equal(read(await wallet.send('/.well-known/openid-credential-issuer', { headers })), '*');
    const nonce = await wallet.send('/openid/credentials/nonce', { method: 'POST', headers });
    assert.equal(read(nonce), '*');
    assert.match(nonce.headers.get('cache-control')!, /no-store/);
    const refused = await wallet.send('/openid/credentials/credential', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{}',
    });
    assert.deepEqual([refused.status, read(refused)], [401, '*']);
    assert.match(refused.headers.get('access-control-expose-headers')!, /WWW-Authenticate/);
    const malformed = await wallet.send('/openid/credentials/credential', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{',
    });
    assert.deepEqual([malformed.status, read(malformed)], [400, '*']);
    assert.deepEqual([(await wallet.send('/openid/credentials/offers/none', { headers })).status], [404]);
  });

  it('gets a token for an offer from any origin, and as a client only from its own', async () => {
    const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
    const { grants } = await wallet.read(uri);
    const grant = {
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
      tx_code: code!,
    };
    const ask = (form: Record<string, string>, origin: string) =>
      wallet.send('/openid/token', {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
    const foreign = await ask({ ...grant, client_id: PUBLIC_WALLET }, 'https://elsewhere.example');
    assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [400, null]);
    const { status, headers, text } = await ask(grant, 'https://any.example');
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, 'https://any.example'], text);
    assert.ok(WALLET_CALLBACK.startsWith(ORIGIN));
  });
});
