// Our own APIs that take access tokens say whose (RFC 9728), and clients that follow this get in.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';

onUsualDatabase('A protected resource', (api) => {
  const read = async (url: string) => (await (await fetch(url)).json()) as any;
  /** The address of the metadata in a refusal. */
  const namedBy = (response: Response): string | undefined =>
    /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1];

  it('is named by its refusal, and says what the standard asks for', async () => {
    const scim = await fetch(`${api.url}/scim/v2/Users`);
    assert.equal(scim.status, 401);
    const url = `${api.url}/.well-known/oauth-protected-resource/scim/v2`;
    assert.equal(namedBy(scim), url);
    assert.deepEqual(await read(url), {
      resource: `${api.url}/scim/v2`,
      resource_name: 'SCIM',
      authorization_servers: [api.url],
      scopes_supported: ['scim'],
      bearer_methods_supported: ['header'],
    });
    const body = JSON.stringify({ credential_configuration_id: 'x' });
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' };
    const credential = await fetch(`${api.url}/openid/credentials/credential`, { method: 'POST', headers, body });
    assert.equal(credential.status, 401);
    assert.equal(namedBy(credential), `${api.url}/.well-known/oauth-protected-resource`);
    assert.equal((await read(namedBy(credential)!)).resource, api.url);
  });

  it('takes tokens that were asked for by its address: of whoever may, with the scope, and no others', async () => {
    const scim = `${api.url}/scim/v2`;
    const { user, password } = await api.persona(['manager'], { domain: 'default' });
    const manager = { name: user.name, password };
    const party = await RelyingParty.make(api);
    const users = async (token: string) =>
      (await fetch(`${scim}/Users`, { headers: { Authorization: `Bearer ${token}` } })).status;
    const tokens = await party.tokensFor(manager, { resource: scim, scope: 'openid scim' });
    assert.equal(tokens.scope, 'scim');
    assert.equal(await users(tokens.access_token), 200);
    assert.equal(
      (await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${tokens.access_token}` } })).ok,
      false,
    );
    const without = await party.tokensFor(manager, { resource: scim, scope: 'openid' });
    assert.equal(await users(without.access_token), 401);
    const member = await party.tokensFor(await makeUser(api), { resource: scim, scope: 'openid scim' });
    assert.equal(await users(member.access_token), 401);
    const other = await makeApi(api, { token_format: 'opaque' });
    const elsewhere = await party.tokensFor(manager, { resource: other.identifier, scope: 'openid scim papers:read' });
    assert.equal(await users(elsewhere.access_token), 401);
    assert.equal(await users((await party.tokensFor(manager, { scope: 'openid scim' })).access_token), 200, 'as before');
  });
});
