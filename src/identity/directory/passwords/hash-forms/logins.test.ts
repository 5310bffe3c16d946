// People who come with the hash of another system.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../../test/support/restartable-api.ts';
import { isOurs } from '../argon2.ts';

const PASSWORD = 'correct hörse 1';
const HASHES = [
  '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O',
  '$pbkdf2-sha256$10$kZIS4lzrfQ9hjPE.R8gZAw$qwZ3LhIYznV16V4UpLk6m6QuXUb7yIvkvfgJPbZuQtA',
  '{SSHA}Km3l+EBEQ1j4pFCDeUv51gUDhqQa49wb',
];
const COSTLY = '$2b$31$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';

onDatabase(
  'SQLite',
  'A login with the hash of another system after the day that the operator set',
  { settings: { GATEHOUSE_IDENTITY_IMPORTED_HASHES_UNTIL: '2026-02-03' } },
  (api) => {
    const db = usesDatabaseOf(api);
    it('is refused, and works with a new password', async () => {
      const user = await api.make('user', { name: uniqueName('late'), password: 'before the move' });
      const row = { hash: HASHES[0]!, imported_form: '' };
      await db().write((tx) => tx.updateTable('passwords').set(row).where('user_id', '=', user.id).execute());
      assert.equal((await api.authenticate({ id: user.id, password: PASSWORD })).status, 401);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { password: 'after the move' } }));
      assertOk(await api.authenticate({ id: user.id, password: 'after the move' }), 201);
    });
  },
);

onUsualDatabase('A login with the hash of another system', (api: TestApi) => {
  const db = usesDatabaseOf(api);
  const storedHash = async (userId: string): Promise<string> =>
    (await db().read.selectFrom('passwords').where('user_id', '=', userId).select('hash').executeTakeFirstOrThrow()).hash;

  async function personWith(hash: string): Promise<{ readonly id: string }> {
    const user = await api.make('user', { name: uniqueName('moved'), password: 'before the move' });
    await db().write((tx) => tx.updateTable('passwords').set({ hash }).where('user_id', '=', user.id).execute());
    return user;
  }
  const statusOf = async (id: string, password: string): Promise<number> => (await api.authenticate({ id, password })).status;

  it('works with the former password, and stores a hash of ours', async () => {
    for (const hash of HASHES) {
      const { id } = await personWith(hash);
      assert.equal(await statusOf(id, 'another password'), 401, hash);
      assert.equal(await storedHash(id), hash, 'a wrong password changes nothing');
      assert.equal(await statusOf(id, PASSWORD), 201, hash);
      assert.ok(isOurs(await storedHash(id)), hash);
      assert.equal(await statusOf(id, PASSWORD), 201, hash);
      assert.equal(await statusOf(id, hash), 401, 'the hash is no password');
    }
  });

  it('is refused at once if the hash would take minutes', async () => {
    const { id } = await personWith(COSTLY);
    assert.equal(await statusOf(id, PASSWORD), 401);
    assert.equal(await storedHash(id), COSTLY);
  });

  // One whose digest is compared at once would be told from nobody (users.security.test.ts).
  it('takes a hash of ours, too, so that it does not say who exists', async () => {
    const begun = async (): Promise<number> =>
      (await api.service.metrics.registry.getSingleMetric('gatehouse_password_hashes_total')!.get()).values[0]!.value;
    for (const hash of ['{SSHA}Km3l+EBEQ1j4pFCDeUv51gUDhqQa49wb', COSTLY]) {
      const { id } = await personWith(hash);
      const before = await begun();
      assert.equal(await statusOf(id, 'another password'), 401);
      assert.equal((await begun()) - before, 2, hash);
    }
  });

  it('leaves the new password to whoever changes it meanwhile', async () => {
    const { id } = await personWith(HASHES[0]!);
    const { status, text } = await api.post(`/v3/users/${id}/password`, {
      user: { original_password: PASSWORD, password: 'chosen after the move' },
    });
    assert.equal(status, 204, text);
    assert.equal(await statusOf(id, PASSWORD), 401);
    assert.equal(await statusOf(id, 'chosen after the move'), 201);
  });
});
