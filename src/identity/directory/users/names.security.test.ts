// Nobody can get a name that looks like that of another user.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertEachStatus, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { assertScimRefused, connect, patchOf, type ScimClient, USER } from '../../../../test/support/scim.ts';
import { createUserNames } from './names.rules.ts';
import { lookalikeForm } from './names.ts';

underAttack('Names that look alike', (api) => {
  let domain: { id: string };
  let scim: ScimClient;
  before(async () => {
    ({ domain, scim } = await connect(api));
  });
  const create = (name: string, within = domain.id) => api.post('/v3/users', { user: { name, domain_id: within } });
  const old = (userName: string) => api.post('/v3/OS-SCIM/v2/Users', { userName, domain_id: domain.id, schemas: [] });

  it('are refused when they hide characters, turn them around, or mix scripts in a word, by whichever way they come', async () => {
    const name = uniqueName('hidden');
    const user = assertOk(await create(name), 201).user;
    for (const hidden of [`${name}\u200b`, `\u202e${name}`, `hid\u00adden`, name.replace('e', 'е'), `\u{1d5c1}idden`]) {
      assertRefused(await create(hidden), 400, /'name'/);
      assertRefused(await api.patch(`/v3/users/${user.id}`, { user: { name: hidden } }), 400, /'name'/);
      assertScimRefused(await scim.post('/Users', { schemas: [USER], userName: hidden }), 400, 'invalidValue');
      const renaming = patchOf({ op: 'replace', path: 'userName', value: hidden });
      assertScimRefused(await scim.patch(`/Users/${user.id}`, renaming), 400, 'invalidValue');
      assertRefused(await old(hidden), 400, /'name'/);
    }
  });

  it('are taken by the first, in another script too, but live on in another domain', async () => {
    assertOk(await create('cope'), 201);
    const lookAlike = 'соре';
    assertRefused(await create(lookAlike), 409, /looks like/);
    assertRefused(await create(lookAlike.toUpperCase()), 409, /looks like/);
    assertScimRefused(await scim.post('/Users', { schemas: [USER], userName: lookAlike }), 409, 'uniqueness');
    assertRefused(await old(lookAlike), 409, /looks like/);
    const other = assertOk(await create(uniqueName('other')), 201).user;
    assertRefused(await api.patch(`/v3/users/${other.id}`, { user: { name: lookAlike } }), 409, /looks like/);
    assertOk(await create(lookAlike, (await connect(api)).domain.id), 201);
    assertOk(await create('сора'), 201);
    assertRefused(await create('copa'), 409, /looks like/);
  });

  it('are free again when their owner is gone or has another name, and a name can change its case', async () => {
    const first = assertOk(await create('ухо'), 201).user;
    assertRefused(await create('yxo'), 409);
    assertOk(await api.patch(`/v3/users/${first.id}`, { user: { name: 'Ухо' } }));
    assertOk(await api.patch(`/v3/users/${first.id}`, { user: { name: 'другой' } }));
    const second = assertOk(await create('yxo'), 201).user;
    assertOk(await api.delete(`/v3/users/${second.id}`), 204);
    assertOk(await create('ухо'), 201);
  });

  it('are refused when two are created at the same time', async () => {
    const answers = await Promise.all([create('ерос'), create('epoc'), create('ерос'), create('EPOC')]);
    assertEachStatus(answers, [201, 409]);
    const names = answers.filter(({ status }) => status === 201).map(({ body }) => body.user.name);
    assert.equal(names.length, 1, names.join(' and '));
  });

  it('are no concern of plain names, nor of names people have in their own script', async () => {
    for (const name of ['user1', 'userl', 'modern', 'modem', 'bob.0', 'bob.O2', 'john doe', 'jane+x@example.org', 'a_b'])
      assertOk(await create(name), 201);
    for (const name of ['山田太郎', 'Иван Петров', 'محمد', 'José Müller', 'jose muller']) assertOk(await create(name), 201);
  });

  it('are not made possible by a form that was computed before a user was renamed or deleted', async () => {
    const [renamed, deleted] = [
      assertOk(await create(uniqueName('before')), 201),
      assertOk(await create(uniqueName('gone')), 201),
    ];
    const db = await databaseOf(api);
    try {
      const ids = [renamed.user.id, deleted.user.id];
      await db.write((tx) => tx.deleteFrom('user_name_forms').where('user_id', 'in', ids).execute());
      const write: typeof db.write = async (work) => {
        assertOk(await api.patch(`/v3/users/${renamed.user.id}`, { user: { name: 'совесть' } }));
        await api.delete(`/v3/users/${deleted.user.id}`);
        return db.write(work);
      };
      const names = createUserNames({ ...db, write });
      for (let after: string | undefined = ''; after !== undefined; after = await names.fillMissing(after));
      const form = db.read.selectFrom('user_name_forms').where('user_id', '=', renamed.user.id).select('form');
      assert.equal((await form.executeTakeFirstOrThrow()).form, lookalikeForm('совесть'));
    } finally {
      await db.close();
    }
  });

  it('of existing users still work, and block lookalikes once their form is stored', async () => {
    const password = 'a password of a test';
    const odd = '\u0430dmin\u200b';
    const [kept, plain] = [assertOk(await create(uniqueName('kept')), 201).user, assertOk(await create('exact'), 201).user];
    const db = await databaseOf(api);
    try {
      // As an older version left them.
      await db.write(async (tx) => {
        await tx.updateTable('users').set({ name: odd, name_key: odd }).where('id', '=', kept.id).execute();
        await tx.deleteFrom('user_name_forms').where('user_id', 'in', [kept.id, plain.id]).execute();
      });
      assertOk(await api.patch(`/v3/users/${kept.id}`, { user: { password } }));
      assertOk(await api.patch(`/v3/users/${kept.id}`, { user: { name: odd, email: 'a@example.org' } }));
      await api.logIn({ name: odd, password, domain: { id: domain.id } });
      const names = createUserNames(db);
      for (let after: string | undefined = ''; after !== undefined; after = await names.fillMissing(after));
    } finally {
      await db.close();
    }
    assertRefused(await create('admin'), 409, /looks like/);
    assertOk(await api.patch(`/v3/users/${kept.id}`, { user: { name: uniqueName('tidied') } }));
    assertOk(await create('admin'), 201);
  });
});
