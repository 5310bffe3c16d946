// Requests that a person signs in somewhere else, as objects that the application has signed (JAR), and those of the profile FAPI-CIBA.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { KeyedClient } from '../../../../test/support/keyed-client.ts';
import { Asked, CIBA } from '../../../../test/support/sign-in-requests.ts';

const PATH = '/v3/OS-OAUTH2/consumers';
const PROFILE = {
  security_profile: 'fapi-ciba',
  dpop_bound_access_tokens: true,
  backchannel_authentication_request_signing_alg: null,
};

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

    it('with the profile FAPI-CIBA: what it reads about the person has the name of the request', async () => {
      const client = await signed({ ...PROFILE, allowed_scopes: ['openid'] });
      const person = await Asked.make(api);
      const proof = async (method: string, path: string, more: Record<string, string> = {}): Promise<Record<string, string>> => {
        const { kid: _kid, alg: _alg, use: _use, ...jwk } = client.key.jwk;
        const claims = { htm: method, htu: `${api.url}${path}`, jti: uniqueName('proof'), iat: now(), ...more };
        const header = { alg: 'ES256', typ: 'dpop+jwt', jwk };
        return { DPoP: await new SignJWT(claims).setProtectedHeader(header).sign(client.key.privateKey) };
      };
      const asked = await send(client, { request: await request(client, { login_hint: person.person.name }) });
      assert.equal(asked.status, 200, asked.text);
      await person.answer('allow-request', (await person.see())[0]);
      const parameters = { grant_type: CIBA, auth_req_id: asked.body.auth_req_id, ...(await client.proof()) };
      const { body, text } = await client.send('/openid/token', parameters, await proof('POST', '/openid/token'));
      assert.ok(body.access_token, text);
      const ath = createHash('sha256').update(body.access_token).digest('base64url');
      const read = async (sent: Record<string, string>) =>
        api.get('/openid/userinfo', {
          token: null,
          headers: { Authorization: `DPoP ${body.access_token}`, ...(await proof('GET', '/openid/userinfo', { ath })), ...sent },
        });
      const name = randomUUID();
      const [named, other, wrong] = [
        await read({ 'x-fapi-interaction-id': name }),
        await read({}),
        await read({ 'x-fapi-interaction-id': 'no name' }),
      ];
      assert.deepEqual(
        [named, other, wrong].map(({ status }) => status),
        [200, 200, 200],
        named.text,
      );
      assert.equal(named.headers.get('x-fapi-interaction-id'), name);
      for (const { headers } of [other, wrong]) assert.match(String(headers.get('x-fapi-interaction-id')), /^[0-9a-f-]{36}$/);
    });

    it('with the profile FAPI-CIBA: signed, with a message, for an hour at most; and no weaker way', async () => {
      const client = await signed(PROFILE);
      assert.equal((await send(client, { request: await request(client) })).status, 200);
      // CIBA Core 1.0, 7.1: these must be taken, also where FAPI 2.0 takes the issuer alone.
      for (const [aud, status] of [
        [`${api.url}/openid/token`, 200],
        [`${api.url}/openid/backchannel`, 200],
        [`${api.url}/openid/introspect`, 401],
        ['https://other.example', 401],
      ] as const) {
        const asked = { request: await request(client), ...(await client.proof({ claims: { aud } })) };
        assert.equal((await client.send('/openid/backchannel', asked)).status, status, aud);
      }
      for (const claims of [
        { binding_message: undefined },
        { login_hint_token: 'x' },
        { exp: now() + 7200 },
        { nbf: undefined },
        { iat: undefined },
        { jti: undefined },
        { nbf: now() - 7200 },
      ]) {
        const { status, body } = await send(client, { request: await request(client, claims) });
        assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify(claims));
      }
      assert.equal((await send(client, { scope: 'openid', login_hint: 'x', binding_message: 'A1' })).status, 400);
      const weak = { consumer: { allowed_grant_types: [CIBA, 'authorization_code'] } };
      assert.equal((await api.patch(`${PATH}/${client.id}`, weak)).status, 400);
      const bearer = { consumer: { dpop_bound_access_tokens: null } };
      assert.equal((await api.patch(`${PATH}/${client.id}`, bearer)).status, 400);
    });
  });
});
