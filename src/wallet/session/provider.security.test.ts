// Responses of a provider, or of an attacker in its place, with one fault at a time.
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { beforeEach, it } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import type { ApiAnswer } from '../../../test/support/api.ts';
import { ScriptedProvider } from '../../../test/support/plain-provider-scripted.ts';
import { onWallet } from '../../../test/support/wallet.ts';
import { cookiesOf, isCleared } from '../../../test/support/wallet-session.ts';

const provider = new ScriptedProvider();
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onWallet('SQLite', 'A login is refused', { provider }, (wallet) => {
  beforeEach(() => provider.honest());

  function isRefused(answer: ApiAnswer, why: string): void {
    assert.deepEqual([answer.status, answer.body?.code], [401, 'login-refused'], `${why}: ${answer.text}`);
    assert.equal(cookiesOf(answer).gatehouse_wallet, undefined);
    assert.ok(isCleared(answer, 'gatehouse_wallet_login'));
  }

  it('but not if everything is valid', async () => {
    const answer = await provider.logIn(wallet, { iss: provider.issuer });
    assert.equal(answer.status, 303, answer.text);
    assert.ok(cookiesOf(answer).gatehouse_wallet);
  });

  const now = Math.floor(Date.now() / 1000);
  const claims: Record<string, Record<string, unknown>> = {
    'another nonce': { nonce: 'of another login' },
    'no nonce': { nonce: undefined },
    'another issuer': { iss: 'https://evil.example' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'another application' },
    'no audience': { aud: undefined },
    'an audience among others, for another party': { aud: ['wallet', 'other'], azp: 'other' },
    'an end that is past': { exp: now - 120 },
    'no end': { exp: undefined },
    'a time to come': { nbf: now + 600 },
    'no subject': { sub: undefined },
    'a subject that is no text': { sub: 7 },
    'an empty subject': { sub: '' },
    'a list of subjects': { sub: ['anna'] },
    'a time of issue to come': { iat: now + 600, exp: now + 1200 },
    'no time of issue': { iat: undefined },
    'a time of issue that is no number': { iat: 'today' },
  };
  for (const [name, wrong] of Object.entries(claims))
    it(`for an ID token with ${name}`, async () => {
      provider.claims = wrong;
      isRefused(await provider.logIn(wallet), name);
    });

  it('but not if the clock of the provider is slightly ahead', async () => {
    provider.claims = { iat: Math.floor(Date.now() / 1000) + 5 };
    assert.equal((await provider.logIn(wallet)).status, 303);
  });

  it('for an ID token that somebody else signed, in the name of the provider’s key', async () => {
    const stranger = await generateKeyPair('ES256');
    provider.scripts['/token'] = async () => ({
      body: {
        access_token: 'a',
        token_type: 'Bearer',
        id_token: await provider.sign(provider.idClaims(), {}, stranger.privateKey),
      },
    });
    isRefused(await provider.logIn(wallet), 'a stranger’s key');
  });

  it('for an ID token that brings its own key along', async () => {
    const stranger = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(stranger.publicKey);
    provider.scripts['/token'] = async () => ({
      body: {
        access_token: 'a',
        token_type: 'Bearer',
        id_token: await provider.sign(provider.idClaims(), { kid: 'mine', jwk }, stranger.privateKey),
      },
    });
    isRefused(await provider.logIn(wallet), 'its own key');
  });

  it('for an ID token without a signature, or with one cut off', async () => {
    for (const make of [
      () => `${base64({ alg: 'none' })}.${base64(provider.idClaims())}.`,
      async () => (await provider.sign(provider.idClaims())).replace(/[^.]+$/, ''),
      async () => (await provider.sign(provider.idClaims())).slice(0, -8),
    ]) {
      provider.scripts['/token'] = async () => ({ body: { access_token: 'a', token_type: 'Bearer', id_token: await make() } });
      isRefused(await provider.logIn(wallet), String(make));
    }
  });

  it('for an ID token that is signed with what others know: the client secret, or the public key', async () => {
    for (const secret of [provider.clientSecret, await exportSPKI(provider.publicKey)]) {
      const key = createSecretKey(Buffer.from(secret));
      provider.scripts['/token'] = async () => ({
        body: {
          access_token: 'a',
          token_type: 'Bearer',
          id_token: await provider.sign(provider.idClaims(), { alg: 'HS256' }, key),
        },
      });
      isRefused(await provider.logIn(wallet), secret.slice(0, 20));
    }
  });

  it('for an answer that is no answer', async () => {
    for (const body of [
      { access_token: 'a', token_type: 'Bearer' },
      { access_token: 'a', token_type: 'Bearer', id_token: 'x' },
      { access_token: 'a', token_type: 'Bearer', id_token: 7 },
      { token_type: 'Bearer' },
      [],
      'null',
      '<html>',
    ]) {
      provider.scripts['/token'] = () => ({ body });
      isRefused(await provider.logIn(wallet), JSON.stringify(body));
    }
  });

  it('for a redirect that came from another provider', async () => {
    isRefused(await provider.logIn(wallet, { iss: 'https://evil.example' }), 'another issuer');
    isRefused(await provider.logIn(wallet, { iss: `${provider.issuer}/` }), 'nearly the issuer');
    assert.equal((await provider.logIn(wallet)).status, 303, 'this provider does not promise to name itself');
  });

  it('for a redirect that says things twice', async () => {
    const begun = await wallet.get('/api/v1/auth/login?response=json');
    const { searchParams } = new URL(begun.body.authorizationUrl);
    provider.nonce = searchParams.get('nonce')!;
    const flow = cookiesOf(begun).gatehouse_wallet_login!.value;
    const answer = await wallet.get(`/api/v1/auth/callback?code=a&code=b&state=${searchParams.get('state')}`, {
      headers: { Cookie: `gatehouse_wallet_login=${flow}` },
    });
    isRefused(answer, 'two codes');
  });

  it('without a word of what came in the log', async () => {
    provider.claims = { nonce: 'a nonce that must not be logged', email: 'secret@example.org' };
    await provider.logIn(wallet);
    provider.honest();
    provider.scripts['/token'] = () => ({ status: 500, body: { access_token: 'a token that must not be logged' } });
    await provider.logIn(wallet);
    const log = wallet.logged.join('\n');
    for (const secret of ['must not be logged', 'secret@example.org', provider.clientSecret, 'a code'])
      assert.ok(!log.includes(secret), secret);
  });
});

const promising = new ScriptedProvider();
onWallet('SQLite', 'A provider that promises to name itself', { provider: promising }, (wallet) => {
  it('is held to it', async () => {
    promising.metadata = { authorization_response_iss_parameter_supported: true };
    const answer = await promising.logIn(wallet);
    assert.deepEqual([answer.status, answer.body?.code], [401, 'login-refused']);
    assert.equal((await promising.logIn(wallet, { iss: promising.issuer })).status, 303);
  });
});
