// Provisioning by an OAuth2 access token: for applications that a manager of a domain authorized.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../../test/support/relying-party.ts';

onUsualDatabase('SCIM by an OAuth2 access token', (api) => {
  const users = (token: string) => api.get('/scim/v2/Users', { token: null, headers: { Authorization: `Bearer ${token}` } });

  /** Someone of a new domain, with a role on it or none. */
  async function domainWithPerson(role: string | undefined) {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const person = await makeUser(api, { domain_id: domain.id });
    if (role) assertOk(await api.put(`/v3/domains/${domain.id}/users/${person.id}/roles/${await api.roleId(role)}`), 204);
    return { domain, person: { ...person, domain: domain.name as string } };
  }

  it('acts in the domain of an administrator who allowed it, as a connection of that domain does', async () => {
    const { domain, person } = await domainWithPerson('admin');
    const party = await RelyingParty.make(api);
    const { access_token: token } = await party.tokensFor(person, { scope: 'openid scim' });
    const { totalResults, Resources } = assertOk(await users(token));
    assert.deepEqual([totalResults, Resources[0].userName], [1, person.name]);
    const headers = { Authorization: `Bearer ${token}` };
    const made = await api.post('/scim/v2/Users', { userName: uniqueName('made') }, { token: null, headers });
    assert.equal(made.status, 201, made.text);
    const { user } = assertOk(await api.get(`/v3/users/${made.body.id}`));
    assert.equal(user.domain_id, domain.id);
    const shielded = await api.delete(`/scim/v2/Users/${person.id}`, { token: null, headers });
    assert.equal(shielded.status, 403, 'an administrator is out of its reach');
    assert.equal((await api.get('/v3/users', { token: null, headers })).status, 401, 'and so is every other API');
  });

  it('is refused without the scope, without the role, and once the token is taken back', async () => {
    const party = await RelyingParty.make(api);
    const { person: admin } = await domainWithPerson('admin');
    const without = await party.tokensFor(admin, { scope: 'openid profile' });
    assert.equal((await users(without.access_token)).status, 401);
    for (const role of ['member', undefined]) {
      const { person } = await domainWithPerson(role);
      const { access_token: token } = await party.tokensFor(person, { scope: 'openid scim' });
      assert.equal((await users(token)).status, 401, String(role));
    }
    const { access_token: token } = await party.tokensFor(admin, { scope: 'openid scim' });
    assertOk(await users(token));
    assertOk(await api.patch(`/v3/users/${admin.id}`, { user: { enabled: false } }));
    assert.equal((await users(token)).status, 401);
  });
});
