// Access tokens bound to a key (RFC 9449): they are refused without a proof of that key, and each proof is valid once.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as client from 'openid-client';
import { type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { deleteEndedRecords } from '../../../../test/support/ended-records.ts';
import { basic, informationOf, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

async function boundToken(api: TestApi) {
  const [party, person] = [await RelyingParty.make(api, { grant_type: 'authorization_code' }), await makeUser(api)];
  const DPoP = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair());
  const { url, checks } = await party.ask({ scope: 'openid all_info' });
  const tokens = await party.redeem(await new TestBrowser(api).signIn(url, person), checks, { DPoP });
  return { party, person, tokens, DPoP };
}

const HOUR = 3600;
/** The one that deletes what has expired. */
const REPLICA_AHEAD = 70;

/** A key whose proofs can be dated. */
async function makeKey(api: TestApi) {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  return async (request: { htm: string; path: string; ath?: string }, ahead = 0): Promise<string> => {
    const { htm, path, ...rest } = request;
    return new SignJWT({ htm, htu: `${api.url}${path}`, jti: uniqueName('proof'), ...rest })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt(Math.floor(Date.now() / 1000) + ahead)
      .sign(privateKey);
  };
}

underAttack('A token that is bound to a key', (api) => {
  const askToken = (credentials: { id: string; secret: string }, proof: string) =>
    fetch(`${api.url}/openid/token`, {
      method: 'POST',
      headers: { Authorization: basic(credentials), DPoP: proof },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });

  it('is refused without its proof', async () => {
    const { party, tokens } = await boundToken(api);
    const token = tokens.access_token;
    assert.equal((await informationOf(api, token)).status, 404);
    assert.equal((await logInByAccessToken(api, token)).status, 401);
    const asked = await client.tokenIntrospection(party.config, token);
    assert.deepEqual([asked.active, asked.token_type], [true, 'DPoP']);
    assert.equal(typeof asked.cnf?.jkt, 'string', 'who guards something is told which key to ask for');
    const bare = await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(bare.status, 401);
  });

  it('is issued once for each proof: a repeated proof is invalid, also in concurrent requests', async () => {
    const { id, secret } = (await RelyingParty.make(api)).application;
    const proof = await (await makeKey(api))({ htm: 'POST', path: '/openid/token' });
    const ask = () => askToken({ id, secret }, proof);
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
    for (const answer of [...answers.filter(({ status }) => status === 400), await ask()])
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid_dpop_proof');
  });

  it('is refused with a proof of an hour ago, or dated ahead: where it is issued, pushed, and used', async () => {
    const party = await RelyingParty.make(api);
    const { id, secret } = party.application;
    const prove = await makeKey(api);
    const issued = await askToken({ id, secret }, await prove({ htm: 'POST', path: '/openid/token' }));
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const ath = createHash('sha256').update(token).digest('base64url');
    for (const ahead of [-HOUR, HOUR]) {
      const asked = await askToken({ id, secret }, await prove({ htm: 'POST', path: '/openid/token' }, ahead));
      assert.deepEqual([asked.status, ((await asked.json()) as { error: string }).error], [400, 'invalid_dpop_proof']);
      const pushed = await fetch(`${api.url}/openid/par`, {
        method: 'POST',
        headers: { Authorization: basic({ id, secret }), DPoP: await prove({ htm: 'POST', path: '/openid/par' }, ahead) },
        body: new URLSearchParams({ client_id: id, response_type: 'code', ...(await party.parameters()).parameters }),
      });
      assert.deepEqual([pushed.status, ((await pushed.json()) as { error: string }).error], [400, 'invalid_dpop_proof']);
      const used = await fetch(`${api.url}/openid/userinfo`, {
        headers: { Authorization: `DPoP ${token}`, DPoP: await prove({ htm: 'GET', path: '/openid/userinfo', ath }, ahead) },
      });
      assert.equal(used.status, 401);
      assert.match(used.headers.get('www-authenticate') ?? '', /error="invalid_dpop_proof"/);
    }
  });

  it('is issued once for a proof dated a little ahead, as long as that is valid, also if the clock of another replica is ahead', async () => {
    const { id, secret } = (await RelyingParty.make(api)).application;
    const proof = await (await makeKey(api))({ htm: 'POST', path: '/openid/token' }, 290);
    assert.equal((await askToken({ id, secret }, proof)).status, 200);
    // The clock of the library stands still meanwhile: to it, the proof is as good as before.
    api.clock.advance(580 + REPLICA_AHEAD);
    await deleteEndedRecords(api);
    api.clock.advance(-REPLICA_AHEAD);
    const again = await askToken({ id, secret }, proof);
    api.clock.advance(-580);
    assert.deepEqual([again.status, ((await again.json()) as { error?: string }).error], [400, 'invalid_dpop_proof']);
  });
});
