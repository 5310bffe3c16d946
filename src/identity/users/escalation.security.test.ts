// A manager of a domain must not become an administrator by way of one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertRefused } from '../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../test/support/api.ts';

onEachDatabase('A manager of a domain', (api) => {
  it('cannot change or delete an administrator, nor join their group, but may with everyone else', async () => {
    if ((await api.get('/v3/roles?name=manager')).body.roles.length === 0) await api.make('role', { name: 'manager' });
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const { token, user: manager } = await api.persona(['manager', 'reader'], { domain: domain.id }, within);
    const admin = await api.roleId('admin');
    const [boss, member] = [
      await api.make('user', { name: uniqueName('boss'), ...within }),
      await api.make('user', { name: uniqueName('member'), ...within }),
    ];
    const [bosses, members] = [
      await api.make('group', { name: uniqueName('bosses'), ...within }),
      await api.make('group', { name: uniqueName('members'), ...within }),
    ];
    const indirect = await api.make('user', { name: uniqueName('indirect'), ...within });
    await api.put(`/v3/domains/${domain.id}/users/${boss.id}/roles/${admin}`);
    await api.put(`/v3/domains/${domain.id}/groups/${bosses.id}/roles/${admin}`);
    await api.put(`/v3/groups/${bosses.id}/users/${indirect.id}`);

    for (const { id } of [boss, indirect]) {
      assertRefused(await api.patch(`/v3/users/${id}`, { user: { password: 'mine now' } }, { token }), 403);
      assertRefused(await api.delete(`/v3/users/${id}`, { token }), 403);
    }
    assertRefused(await api.put(`/v3/groups/${bosses.id}/users/${manager.id}`, undefined, { token }), 403);
    assertRefused(await api.put(`/v3/domains/${domain.id}/users/${manager.id}/roles/${admin}`, undefined, { token }), 403);

    assert.equal((await api.patch(`/v3/users/${member.id}`, { user: { password: 'given' } }, { token })).status, 200);
    assert.equal((await api.put(`/v3/groups/${members.id}/users/${manager.id}`, undefined, { token })).status, 204);
  });
});
