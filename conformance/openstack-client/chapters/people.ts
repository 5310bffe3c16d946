import assert from 'node:assert/strict';
import { names, type OpenStackClient } from '../client.ts';

export async function users(client: OpenStackClient): Promise<void> {
  const alice = await client.read(
    "user create --domain default --project admin --email alice@example.com --description 'the first' --password 'first secret' alice",
    'the user is shown, without the password',
    (user) => {
      assert.equal(user.name, 'alice');
      assert.equal(user.email, 'alice@example.com');
      assert.equal(user.description, 'the first');
      assert.equal(user.domain_id, 'default');
      assert.equal(user.enabled, true);
      assert.ok(user.default_project_id);
      assert.equal(JSON.stringify(user).includes('first secret'), false);
    },
  );
  await client.refused('user create --domain default Alice', 'the name is taken, whatever its case', /HTTP 409/);
  await client.read('user list --long --domain default', 'has the user, with domain and address', (list) => {
    const row = list.find(({ Name }: { Name: string }) => Name === 'alice');
    assert.equal(row.ID, alice.id);
    assert.equal(row.Email, 'alice@example.com');
    assert.equal(row.Enabled, true);
  });
  await client.run('role add --user alice --project admin member', 'the user may enter the project');
  const as = (name: string, secret: string): string =>
    `--os-username ${name} --os-password '${secret}' --os-user-domain-id default --os-project-name admin --os-project-domain-id default`;
  await client.run(
    `${as('alice', 'first secret')} user password set --password 'second secret' --original-password 'first secret'`,
    'the user changes the own password',
  );
  await client.refused(`${as('alice', 'first secret')} token issue`, 'the old one gives no token', /HTTP 401/);
  await client.read(
    `${as('alice', 'second secret')} user show {alice}`,
    'the new one does, and the user sees the own account',
    (user) => {
      assert.equal(user.name, 'alice');
      assert.equal(user.password_expires_at, null);
    },
    { alice: alice.id },
  );
  await client.refused(`${as('alice', 'second secret')} user list`, 'but not those of others', /HTTP 403/);
  await client.run(
    "user set --name alicia --email alicia@example.com --password 'third secret' --disable alice",
    'the user is changed',
  );
  await client.read('user show --domain default alicia', 'the new name and address, disabled', (user) => {
    assert.equal(user.id, alice.id);
    assert.equal(user.email, 'alicia@example.com');
    assert.equal(user.enabled, false);
  });
  await client.refused(
    "--os-username alicia --os-password 'third secret' token issue",
    'a disabled user gets no token',
    /HTTP 401/,
  );
  await client.run('user set --enable alicia', 'the user is enabled');
  await client.run("--os-username alicia --os-password 'third secret' token issue", 'an enabled one does');
  await client.run('user delete --domain default alicia', 'the user is deleted');
  await client.refused('user show --domain default alicia', 'it is gone', /No user/);
}

export async function groups(client: OpenStackClient): Promise<void> {
  await client.read('user create --domain default bob', 'a user for groups', (user) => assert.equal(user.name, 'bob'));
  const crew = await client.read(
    "group create --domain default --description 'all hands' crew",
    'the group is shown',
    (group) => {
      assert.equal(group.name, 'crew');
      assert.equal(group.description, 'all hands');
      assert.equal(group.domain_id, 'default');
    },
  );
  await client.run('group add user crew bob', 'the user is a member');
  await client.run('group contains user crew bob', 'says so', {}, /bob in group crew/);
  await client.read('user list --group crew', 'has the member', (list) => assert.deepEqual(names(list), ['bob']));
  await client.read('group list --user bob', 'has the group', (list) => assert.deepEqual(names(list), ['crew']));
  await client.run('group remove user crew bob', 'the user is no member');
  await client.run('group contains user crew bob', 'says so', {}, /bob not in group crew/);
  await client.run("group set --name band --description 'all players' crew", 'the group is changed');
  await client.read('group show band', 'the new name and description', (group) => {
    assert.equal(group.id, crew.id);
    assert.equal(group.description, 'all players');
  });
  await client.read('group list --long --domain default', 'has the group', (list) => assert.ok(names(list).includes('band')));
  await client.run('group delete band', 'the group is deleted');
  await client.refused('group show band', 'it is gone', /No group/);
}
