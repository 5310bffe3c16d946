// The metadata of the provider, and the claims in ID tokens.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as client from 'openid-client';
import { onEachDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { LANGUAGE_TAGS } from '../../../platform/languages/index.ts';

const PLACES = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

onEachDatabase('The description of the provider', (api) => {
  it('is at both places where clients look for it, and says the same', async () => {
    const [openid, oauth] = await Promise.all(PLACES.map((path) => api.get(path, { token: null })));
    assert.deepEqual([openid!.status, oauth!.status], [200, 200]);
    assert.deepEqual(oauth!.body, openid!.body);
    assert.equal(oauth!.body.issuer, api.url);
    assert.deepEqual(oauth!.body.ui_locales_supported, LANGUAGE_TAGS);
    const found = await client.discovery(new URL(api.url), 'x', undefined, client.None(), {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    });
    assert.equal(found.serverMetadata().token_endpoint, `${api.url}/openid/token`);
    assert.equal((await api.post(PLACES[1]!, {}, { token: null })).status, 405);
  });

  it('lists no response type that clients cannot use', async () => {
    for (const path of PLACES)
      assert.deepEqual((await api.get(path, { token: null })).body.response_types_supported, ['code'], path);
  });
});

onUsualDatabase('An ID token', (api) => {
  const scope = { scope: 'openid profile email roles' };

  it('says who somebody is for those that asked for it, from the code and from every refresh', async () => {
    const person = await makeUser(api);
    const party = await RelyingParty.make(api, { id_token_claims: true });
    const tokens = await party.tokensFor(person, { scope: `${scope.scope} offline_access` });
    const refreshed = await client.refreshTokenGrant(party.config, tokens.refresh_token!);
    for (const claims of [tokens.claims()!, refreshed.claims()!]) {
      const { sub, preferred_username: name, email, roles } = claims;
      assert.deepEqual([sub, name, email, roles], [person.id, person.name, `${person.name}@example.org`, []]);
    }
  });

  it('says no more than was allowed', async () => {
    const person = await makeUser(api);
    const party = await RelyingParty.make(api, { id_token_claims: true });
    const { sub, email, preferred_username: name } = (await party.tokensFor(person, { scope: 'openid email' })).claims()!;
    assert.deepEqual([sub, email, name], [person.id, `${person.name}@example.org`, undefined]);
  });

  it('has only the sub for all other clients', async () => {
    const person = await makeUser(api);
    for (const values of [{}, { id_token_claims: false }]) {
      const party = await RelyingParty.make(api, values);
      const claims = (await party.tokensFor(person, scope)).claims()!;
      assert.deepEqual([claims.sub, claims.email, claims.name, claims.roles], [person.id, undefined, undefined, undefined]);
      assert.equal((await party.userInfo(await party.tokensFor(person, scope))).email, `${person.name}@example.org`);
    }
  });

  it('is registered by true or false', async () => {
    const answer = await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name: 'x', id_token_claims: 'yes' } });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /id_token_claims/);
  });
});
