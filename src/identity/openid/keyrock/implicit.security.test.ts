// Tokens in the address, at the paths of Keyrock's back-end: only for applications that are registered with `implicit`.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { BAD, GOOD, KeyrockClient, listPath, verdictsOn } from '../../../../test/support/keyrock-client.ts';

const TOKEN = { response_type: 'token' };

onUsualDatabase('A token in the address', (api) => {
  const register = (more: Record<string, unknown> = {}) => KeyrockClient.make(api, { grant_type: 'implicit', ...more });

  async function tokenFor(client: KeyrockClient, person: { token: string }): Promise<string> {
    assert.equal((await client.ask(person.token, TOKEN)).status, 200);
    const location = new URL((await client.allow(person.token)).headers.get('location')!);
    return new URLSearchParams(location.hash.slice(1)).get('access_token')!;
  }

  it('is for no other application', async () => {
    const person = await makePerson(api);
    for (const grant_type of ['authorization_code', 'password', 'client_credentials', 'refresh_token'])
      for (const client_type of ['confidential', 'public']) {
        const client = await KeyrockClient.make(api, { grant_type, client_type });
        assertRefused(await client.ask(person.token, TOKEN), 400, /'response_type'.*implicit/);
        assertRefused(await client.allow(person.token), 400, /no open authorization request/);
      }
    const client = await register();
    for (const response_type of ['', 'id_token', 'code token', 'TOKEN', 'token id_token'])
      assertRefused(await client.ask(person.token, { response_type }), 400, /'response_type'/);
    const bound = await register({ dpop_bound_access_tokens: true });
    assertRefused(await bound.ask(person.token, TOKEN), 400, /tokens of this application are bound/);
  });

  it('is not sent when the application changed after the question', async () => {
    const person = await makePerson(api);
    for (const change of [
      { grant_type: 'authorization_code' },
      { redirect_uris: ['https://moved.example.org/'] },
      { dpop_bound_access_tokens: true },
    ]) {
      const client = await register();
      assert.equal((await client.ask(person.token, TOKEN)).status, 200);
      const changed = await api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer: change });
      assert.equal(changed.status, 200, changed.text);
      assertRefused(await client.allow(person.token), 400);
    }
  });

  it('needs a registered address, a person who asked, and is sent once', async () => {
    const [client, person, other] = [await register(), await makePerson(api), await makePerson(api)];
    assertRefused(await client.ask(null, TOKEN), 401);
    assertRefused(await client.ask(person.token, { ...TOKEN, redirect_uri: 'https://evil.example.org/' }), 400, /redirect_uri/);
    assert.equal((await client.ask(person.token, TOKEN)).status, 200);
    assertRefused(await client.allow(other.token), 400, /no open authorization request/);
    const both = await Promise.all([client.allow(person.token), client.allow(person.token)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [302, 400]);
  });

  it('brings neither a code nor a refresh token', async () => {
    const [client, person] = [await register(), await makePerson(api)];
    assert.equal((await client.ask(person.token, TOKEN)).status, 200);
    const location = new URL((await client.allow(person.token)).headers.get('location')!);
    assert.deepEqual([...location.searchParams.keys()], ['from']);
    const names = [...new URLSearchParams(location.hash.slice(1)).keys()].sort();
    assert.deepEqual(names, ['access_token', 'expires_in', 'scope', 'token_type']);
  });

  it('ends when it is revoked, and with the person, the application and its addresses', async () => {
    const ends: ((client: KeyrockClient, person: any) => Promise<unknown>)[] = [
      async (_client, person) => {
        const [{ id }] = (await api.get(listPath(person.user), { token: person.token })).body.access_tokens;
        return api.delete(`${listPath(person.user)}/${id}`, { token: person.token });
      },
      (_client, person) => api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } }),
      (_client, person) => api.patch(`/v3/users/${person.user.id}`, { user: { password: 'another password of a test' } }),
      ({ id }) => api.patch(`/v3/OS-OAUTH2/consumers/${id}`, { consumer: { redirect_uris: ['https://moved.example.org/'] } }),
    ];
    for (const end of ends) {
      const [client, person] = [await register(), await makePerson(api)];
      const token = await tokenFor(client, person);
      assert.deepEqual(await verdictsOn(api, client, token), GOOD);
      await end(client, person);
      assert.deepEqual(await verdictsOn(api, client, token), BAD);
    }
  });
});
