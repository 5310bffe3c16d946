import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../test/support/api.ts';

onEachDatabase('Users', (api) => {
  it('creates a user with what Keystone would fill in, and shows it', async () => {
    const name = uniqueName('alice');
    const created = await api.post('/v3/users', {
      user: { name, password: 'secret', email: 'alice@example.org', favourite: { colour: 'green' } },
    });
    assert.equal(created.status, 201);
    const { user } = created.body;
    assert.match(user.id, /^[0-9a-f]{32}$/);
    assert.deepEqual(user, {
      id: user.id,
      name,
      domain_id: 'default',
      enabled: true,
      email: 'alice@example.org',
      favourite: { colour: 'green' },
      options: {},
      password_expires_at: null,
      links: { self: `${api.url}/v3/users/${user.id}` },
    });
    assert.deepEqual((await api.get(`/v3/users/${user.id}`)).body.user, user);
  });

  it('refuses a name that is taken, in any case', async () => {
    const name = uniqueName('Bob');
    await api.make('user', { name });
    const again = await api.post('/v3/users', { user: { name: name.toUpperCase() } });
    assert.equal(again.status, 409);
    assert.equal(again.body.error.title, 'Conflict');
  });
});
