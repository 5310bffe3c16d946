import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { informationOf, KeyrockClient } from '../../../../test/support/keyrock-client.ts';

onEachDatabase('Who gave an application access', (api) => {
  it('is listed by page for those who manage it, and ended one by one with its tokens', async () => {
    const [client, other] = [await KeyrockClient.make(api), await KeyrockClient.make(api)];
    const people = [await makePerson(api), await makePerson(api), await makePerson(api)];
    const tokens = [];
    for (const person of people) tokens.push((await client.tokens(person)).access_token);
    const elsewhere = (await other.tokens(people[0]!)).access_token;
    const path = `/v3/OS-OAUTH2/consumers/${client.id}/grants`;

    const first = assertOk(await api.get(`${path}?limit=2`));
    const second = assertOk(await api.get(first.links.next.replace(api.url, '')));
    const all = [...first.grants, ...second.grants];
    assert.deepEqual([first.grants.length, second.links.next], [2, null]);
    assert.deepEqual(
      all.map(({ user }) => user),
      people.map(({ user: { id, name } }) => ({ id, name })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    for (const grant of all) assert.deepEqual([grant.access_tokens, grant.refresh_tokens], [1, 1]);

    const [gone, kept, stranger] = [people[0]!, people[1]!, await makePerson(api)];
    await assertForbidden(api, [gone.token, stranger.token], 'GET', path);
    await assertForbidden(api, [stranger.token, gone.token], 'DELETE', `${path}/${gone.user.id}`);
    assertOk(await api.delete(`${path}/${gone.user.id}`), 204);
    assertRefused(await api.delete(`${path}/${gone.user.id}`), 404);
    assertRefused(await api.delete(`${path}/nobody`), 404);
    assertRefused(await api.get('/v3/OS-OAUTH2/consumers/nothing/grants'), 404);
    assert.deepEqual(
      [(await informationOf(api, tokens[0]!)).status, (await informationOf(api, tokens[1]!)).status],
      [404, 200],
      'only the tokens of this person end',
    );
    assert.equal((await informationOf(api, elsewhere)).status, 200, 'other applications keep theirs');
    const left = assertOk(await api.get(path)).grants.map(({ user }: { user: { id: string } }) => user.id);
    assert.deepEqual([left.includes(gone.user.id), left.includes(kept.user.id)], [false, true]);
  });
});
