// /v3/users/{user_id}/OS-PASSKEYS/passkeys, through HTTP.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const pathOf = (userId: string): string => `/v3/users/${userId}/OS-PASSKEYS/passkeys`;

onEachDatabase(
  'Passkeys of a user',
  (api) => {
    servesAtLocalhost(api);
    const listed = async (userId: string, token?: string): Promise<any[]> =>
      (await api.get(pathOf(userId), token === undefined ? {} : { token })).body.passkeys;

    it('are listed and removed by an administrator, and by the person', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      await person.addPasskey({}, 'a key');
      const [first, second] = await listed(person.id);
      assert.deepEqual([first.name, second.name].sort(), ['a key', 'a phone']);
      assert.deepEqual(Object.keys(first).sort(), ['created_at', 'id', 'last_used_at', 'links', 'name', 'synced']);
      assert.equal(first.synced, false);
      assert.equal((await api.delete(`${pathOf(person.id)}/${first.id}`)).status, 204);
      const token = await api.logIn({ id: person.id, password: person.password });
      assert.deepEqual(await listed(person.id, token), [second]);
      assert.equal((await api.delete(`${pathOf(person.id)}/${second.id}`, { token })).status, 204);
      assert.deepEqual(await listed(person.id), []);
    });

    it('are told to be synced, and when they were last used', async () => {
      const person = await PasskeyPerson.withPasskey(api, { isSynced: true });
      const before = await listed(person.id);
      assert.deepEqual([before[0].synced, before[0].last_used_at], [true, null]);
      const browser = new TestBrowser(api);
      await person.usePasskey(browser, await browser.go('/account/security'), { isSynced: true });
      assert.match((await listed(person.id))[0].last_used_at, /^\d{4}-\d\d-\d\dT/);
    });

    it('are 404 when there is no such one, or it was removed', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const [passkey] = await listed(person.id);
      const other = await PasskeyPerson.make(api);
      assertRefused(await api.delete(`${pathOf(other.id)}/${passkey.id}`), 404, /passkey/);
      assert.equal((await api.delete(`${pathOf(person.id)}/${passkey.id}`)).status, 204);
      assertRefused(await api.delete(`${pathOf(person.id)}/${passkey.id}`), 404, /passkey/);
      assertRefused(await api.get(pathOf('nobody')), 404, /user/);
    });

    it('are removed by the person only after a fresh login', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const [passkey] = await listed(person.id);
      const token = await api.logIn({ id: person.id, password: person.password });
      api.clock.advance(1800);
      assertRefused(await api.delete(`${pathOf(person.id)}/${passkey.id}`, { token }), 401);
      assert.equal((await listed(person.id)).length, 1);
    });

    it('are nobody else’s business, whether the user exists or not', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const [passkey] = await listed(person.id);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const project = await api.make('project', { name: uniqueName('project') });
      const personas = {
        member: await api.persona(['member'], { project: project.id }),
        reader: await api.persona(['reader'], 'system'),
        'member of another domain': await api.persona(['member'], { domain: domain.id }, { domain_id: domain.id }),
      };
      for (const [name, { token }] of Object.entries(personas)) {
        for (const id of [person.id, 'nobody']) {
          assertRefused(await api.get(pathOf(id), { token }), 403);
          const answer = await api.delete(`${pathOf(id)}/${passkey.id}`, { token });
          assert.equal(answer.status, 403, name);
        }
      }
      assertRefused(await api.get(pathOf(person.id), { token: null }), 401);
      assertRefused(await api.delete(`${pathOf(person.id)}/${passkey.id}`, { token: null }), 401);
      assert.equal((await listed(person.id)).length, 1);
    });

    it('go with the user', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      assert.equal((await api.delete(`/v3/users/${person.id}`)).status, 204);
      assertRefused(await api.get(pathOf(person.id)), 404);
    });
  },
  { settings: AT_LOCALHOST },
);
