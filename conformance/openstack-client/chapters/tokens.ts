import assert from 'node:assert/strict';
import type { OpenStackClient } from '../client.ts';

export async function tokens(client: OpenStackClient): Promise<void> {
  const issued = await client.read('token issue', 'a token for the project', (token) => {
    assert.ok(token.id && token.user_id && token.project_id);
    assert.match(token.expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
  });
  await client.read('--os-domain-id default token issue', 'a token for the domain', (token) => {
    assert.equal(token.domain_id, 'default');
    assert.equal(token.project_id, undefined);
  });
  await client.read('--os-system-scope all token issue', 'a token for the system', (token) => {
    assert.equal(token.system, 'all');
    assert.equal(token.project_id, undefined);
  });
  const values = { token: issued.id };
  const byToken = '--os-auth-type v3token --os-token {token} --os-project-name admin --os-project-domain-id default';
  await client.read(
    `${byToken} token issue`,
    'a token gives another one',
    (token) => {
      assert.equal(token.user_id, issued.user_id);
      assert.equal(token.project_id, issued.project_id);
    },
    values,
  );
  await client.run('token revoke {token}', 'the token is revoked', values);
  await client.refused(`${byToken} token issue`, 'a revoked token gives none', /token/i, values);
  await client.refused('--os-password wrong token issue', 'refused', /HTTP 401/);
}
