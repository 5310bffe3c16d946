// Access tokens bound to a key (RFC 9449): they are refused without a proof of that key, and each proof is valid once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as client from 'openid-client';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
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

onEachDatabase('A token that is bound to a key', (api) => {
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
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const proof = await new SignJWT({ htm: 'POST', htu: `${api.url}/openid/token`, jti: uniqueName('proof') })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .setIssuedAt()
      .sign(privateKey);
    const ask = () =>
      fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: basic({ id, secret }), DPoP: proof },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
    for (const answer of [...answers.filter(({ status }) => status === 400), await ask()])
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid_dpop_proof');
  });
});
