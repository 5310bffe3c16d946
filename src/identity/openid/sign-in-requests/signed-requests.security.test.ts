// Requests that a person signs in somewhere else, as objects that the application has signed (JAR), and those of the profile FAPI-CIBA.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { KeyedClient } from '../../../../test/support/keyed-client.ts';
import { CIBA } from '../../../../test/support/sign-in-requests.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

// With a clock of its own: what applications sign is of now.
onUsualDatabase('Signed requests that a person signs in somewhere else', (api: TestApi) => {
  describe('signed requests', () => {
    const signed = async (values: Record<string, unknown> = {}) =>
      KeyedClient.make(api, {
        redirect_uris: [],
        allowed_grant_types: [CIBA],
        backchannel_authentication_request_signing_alg: 'ES256',
        ...values,
      });
    const now = () => Math.floor(Date.now() / 1000);
    const request = async (client: KeyedClient, claims: Record<string, unknown> = {}, alg = 'ES256', key = client.key) => {
      const usual = { iss: client.id, aud: api.url, iat: now(), nbf: now(), exp: now() + 60, jti: uniqueName('request') };
      return new SignJWT({ ...usual, scope: 'openid', login_hint: 'somebody', binding_message: 'A1', ...claims })
        .setProtectedHeader({ alg, kid: key.jwk.kid! })
        .sign(key.privateKey);
    };
    const send = async (client: KeyedClient, parameters: Record<string, string>) =>
      client.send('/openid/backchannel', { ...(await client.proof()), ...parameters });

    it('are accepted, and nothing beside them counts', async () => {
      const client = await signed();
      const answer = await send(client, { request: await request(client) });
      assert.equal(answer.status, 200, answer.text);
      const mixed = await send(client, {
        request: await request(client, { login_hint: undefined }),
        login_hint: 'somebody',
        scope: 'openid',
      });
      assert.equal(mixed.status, 400, mixed.text);
    });

    it('are refused when they are not signed, by another key, for somebody else, or over', async () => {
      const [client, other] = [await signed(), await signed()];
      const wrong: [string, Record<string, string>][] = [
        ['not signed', { scope: 'openid', login_hint: 'somebody' }],
        ['by another key', { request: await request(client, {}, 'ES256', other.key) }],
        ['for somebody else', { request: await request(client, { aud: 'https://other.example' }) }],
        ['of another application', { request: await request(client, { iss: other.id }) }],
        ['over', { request: await request(client, { exp: now() - 60 }) }],
        ['by nothing', { request: `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.` }],
      ];
      for (const [what, parameters] of wrong) assert.equal((await send(client, parameters)).status, 400, what);
    });

    it('with the profile FAPI-CIBA: signed, with a message, for an hour at most; and no weaker way', async () => {
      const profile = {
        security_profile: 'fapi-ciba',
        dpop_bound_access_tokens: true,
        backchannel_authentication_request_signing_alg: null,
      };
      const client = await signed(profile);
      assert.equal((await send(client, { request: await request(client) })).status, 200);
      for (const claims of [{ binding_message: undefined }, { exp: now() + 7200 }, { nbf: undefined }, { nbf: now() - 7200 }])
        assert.equal((await send(client, { request: await request(client, claims) })).status, 400, JSON.stringify(claims));
      assert.equal((await send(client, { scope: 'openid', login_hint: 'x', binding_message: 'A1' })).status, 400);
      const weak = { consumer: { allowed_grant_types: [CIBA, 'authorization_code'] } };
      assert.equal((await api.patch(`${PATH}/${client.id}`, weak)).status, 400);
      const bearer = { consumer: { dpop_bound_access_tokens: null } };
      assert.equal((await api.patch(`${PATH}/${client.id}`, bearer)).status, 400);
    });
  });
});
