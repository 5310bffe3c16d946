import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const SECRET = 'the password of the directory';

onUsualDatabase('The password of a directory in the configuration of a domain', (api) => {
  const db = usesDatabaseOf(api);

  it('is never shown, logged or stored as it is', async () => {
    const { id } = await api.make('domain', { name: uniqueName('domain') });
    const path = `/v3/domains/${id}/config`;
    const config = { ldap: { url: 'ldap://directory.example.org', user: 'cn=reader', password: SECRET } };
    const answers = [
      assertOk(await api.put(path, { config }), 201),
      assertOk(await api.get(path)),
      assertOk(await api.get(`${path}/ldap`)),
      assertOk(await api.patch(path, { config: { ldap: { password: `${SECRET} 2` } } })),
      assertOk(await api.patch(`${path}/ldap/password`, { config: { password: `${SECRET} 3` } })),
      assertOk(await api.get('/v3/domains/config/default')),
    ];
    assert.ok(!JSON.stringify(answers).includes(SECRET));
    assertRefused(await api.get(`${path}/ldap/password`), 404);
    assert.ok(!api.logged.join('').includes(SECRET));
    const secrets = await db().read.selectFrom('domain_config_secrets').where('domain_id', '=', id).selectAll().execute();
    assert.equal(secrets.length, 1);
    assert.match(secrets[0]!.sealed, /^v1\./);
    const options = await db().read.selectFrom('domain_config_options').where('domain_id', '=', id).selectAll().execute();
    const events = await db().read.selectFrom('audit_events').where('target_id', '=', id).selectAll().execute();
    assert.ok(!JSON.stringify([options, secrets, events]).includes(SECRET));
    assert.ok(events.some(({ action, detail }) => action === 'domain.config_updated' && detail.includes('ldap.password')));

    // Alone, it is not shown either, and can be deleted.
    assertOk(await api.put(path, { config: { ldap: { password: SECRET } } }));
    assertRefused(await api.get(path), 404);
    assertOk(await api.delete(`${path}/ldap/password`), 204);
    assertRefused(await api.delete(`${path}/ldap/password`), 404);
  });

  it('is not given away by options that refer to it', async () => {
    const { id } = await api.make('domain', { name: uniqueName('domain') });
    const path = `/v3/domains/${id}/config`;
    const put = (url: string) => api.put(path, { config: { ldap: { url, password: SECRET } } });
    for (const user of ['%(password)s', 'reader:secret', ':'])
      assertRefused(await put(`ldap://${user}@directory.example.org`), 403, /must have no user and no password in it/);
    assertOk(await put('ldap://directory.example.org/%(password)s'), 201);
    assert.ok(!(await api.get(path)).text.includes(SECRET));
  });

  it('cannot be reached by names of properties', async () => {
    const { id } = await api.make('domain', { name: uniqueName('domain') });
    const path = `/v3/domains/${id}/config`;
    for (const group of ['__proto__', 'constructor', 'toString'])
      for (const method of ['GET', 'DELETE']) assertRefused(await api.request(method, `${path}/${group}`), 403, /not supported/);
    const body = '{"config":{"__proto__":{"url":"x"}}}';
    assert.ok([400, 403].includes((await api.put(path, body, { headers: { 'Content-Type': 'application/json' } })).status));
  });
});
