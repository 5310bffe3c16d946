import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD } from '../../../../test/support/api.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { newMasterKey } from '../../../platform/seal/index.ts';
import { tokenKeyId } from './token-format.ts';

const DAY = 86_400;
/** A token lives for this long, and can be asked about for as long again. */
const LIFE = 600;
const ANNOUNCED = 60;
const SETTINGS = {
  GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
  GATEHOUSE_IDENTITY_TOKEN_SECONDS: String(LIFE),
  GATEHOUSE_IDENTITY_ALLOW_EXPIRED_SECONDS: String(LIFE),
  GATEHOUSE_IDENTITY_TOKEN_KEY_DAYS: '1',
};

for (const kind of KINDS) {
  describe(`The keys of tokens (${kind})`, () => {
    const api = new RestartableApi(kind);
    before(async () => void (await api.begin(SETTINGS)));
    after(() => api.remove());

    const logIn = () => api.logIn({ name: 'admin', password: ADMIN_PASSWORD });
    const keyOf = async () => tokenKeyId(await logIn())!;
    const keys = () => api.service.tokenKeys;

    async function stored(): Promise<{ id: number; sealed: string }[]> {
      const db = await databaseOf(api);
      try {
        return await db.read.selectFrom('token_keys').selectAll().orderBy('id').execute();
      } finally {
        await db.close();
      }
    }
    const storedIds = async () => (await stored()).map(({ id }) => id);

    it('are replaced by one that is announced before it is used, while tokens of the old one go on', async () => {
      const before = await logIn();
      const first = tokenKeyId(before)!;
      await keys().rotate({ force: true });
      assert.deepEqual(await storedIds(), [first, first + 1]);
      assert.equal(await keyOf(), first, 'not yet: other processes have to hear of it');
      api.clock.advance(ANNOUNCED - 5);
      assert.equal(await keyOf(), first);
      api.clock.advance(10);
      const next = await logIn();
      assert.equal(tokenKeyId(next), first + 1);
      assert.equal(await isAlive(api, before), true);
      assert.equal(await isAlive(api, next), true);
    });

    it('are replaced by their age, and not before', async () => {
      const current = await keyOf();
      await keys().rotate();
      assert.equal((await storedIds()).at(-1), current);
      api.clock.advance(DAY);
      await keys().rotate();
      assert.equal((await storedIds()).at(-1), current + 1);
      await keys().rotate();
      assert.equal((await storedIds()).at(-1), current + 1, 'the announced one is young');
      api.clock.advance(ANNOUNCED + 1);
      assert.equal(await keyOf(), current + 1);
    });

    it('are removed when nothing that was sealed with them can be valid, and not before', async () => {
      const old = await logIn();
      const current = tokenKeyId(old)!;
      await keys().rotate({ force: true });
      api.clock.advance(ANNOUNCED);
      const last = await logIn();
      assert.equal(tokenKeyId(last), current + 1);
      api.clock.advance(2 * LIFE - 5);
      await keys().rotate();
      assert.ok((await storedIds()).includes(current), 'its last token can still be asked about');
      const headers = { 'X-Subject-Token': last };
      const admin = await api.logIn(
        { name: 'admin', password: ADMIN_PASSWORD },
        { project: { name: 'admin', domain: { id: 'default' } } },
      );
      assert.equal((await api.get('/v3/auth/tokens?allow_expired=1', { token: admin, headers })).status, 200);

      api.clock.advance(2 * ANNOUNCED);
      await keys().rotate();
      assert.deepEqual(await storedIds(), [current + 1]);
      assert.equal(keys().find(current), undefined);
      assert.equal(await isAlive(api, old), false);
      assert.equal(await isAlive(api, await logIn()), true);
    });

    it('are made once when two rotate at the same time', async () => {
      const newest = (await storedIds()).at(-1)!;
      api.clock.advance(DAY);
      await Promise.all([keys().rotate(), keys().rotate(), keys().rotate()]);
      assert.equal((await storedIds()).at(-1), newest + 1);
      assert.equal(await isAlive(api, await logIn()), true);
    });

    it('open their tokens after a restart, revoked ones stay revoked', async () => {
      const [kept, doomed] = [await logIn(), await logIn()];
      assertOk(await api.delete('/v3/auth/tokens', { token: kept, headers: { 'X-Subject-Token': doomed } }), 204);
      await api.end();
      await api.begin(SETTINGS);
      assert.equal(await isAlive(api, kept), true);
      assert.equal(await isAlive(api, doomed), false);
    });

    it('are kept sealed, and follow a new master key', async () => {
      const token = await logIn();
      const before = await stored();
      for (const { sealed } of before) assert.match(sealed, /^v1\.[\w-]{8}\.[\w-]{80}$/);
      const [oldKey] = api.masterKeys;
      await api.end();
      api.masterKeys = [newMasterKey(), oldKey!];
      await api.begin(SETTINGS);
      assert.equal(await isAlive(api, token), true);
      assert.ok((await api.service.reseal()) >= before.length);
      assert.notDeepEqual(await stored(), before);
      await api.end();
      api.masterKeys = [api.masterKeys[0]!];
      await api.begin(SETTINGS);
      assert.equal(await isAlive(api, token), true);
      await api.end();
      api.masterKeys = [newMasterKey()];
      await assert.rejects(api.begin(SETTINGS), /master key/, 'another master key opens nothing, and says so');
    });
  });
}
