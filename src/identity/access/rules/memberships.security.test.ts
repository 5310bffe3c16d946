// A membership that a provider gave for a time ends by itself, whatever is in memory: nothing is written at that moment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const SECONDS = 600;

onUsualDatabase('A membership that was given for a time', (api) => {
  const db = usesDatabaseOf(api);

  it('gives no role after its end, also to a token that was verified just before', async () => {
    const [project, group] = [
      await api.make('project', { name: uniqueName('project') }),
      await api.make('group', { name: uniqueName('group') }),
    ];
    const { id, password } = await makeUser(api);
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${await api.roleId('member')}`), 204);
    assertOk(await api.put(`/v3/groups/${group.id}/users/${id}`), 204);
    const expires_at = Math.floor(api.clock.now() / 1000) + SECONDS;
    await db().write((tx) =>
      tx.updateTable('group_members').set({ expires_at, kept: 0 }).where('group_id', '=', group.id).execute(),
    );
    const token = await api.logIn({ id, password }, { project: { id: project.id } });
    const ask = async () => (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status;
    for (let times = 0; times < 3; times++) assert.equal(await ask(), 200);
    api.clock.advance(SECONDS + 1);
    assert.equal(await ask(), 404);
    assert.equal((await api.authenticate({ id, password }, { project: { id: project.id } })).status, 401);
  });
});
