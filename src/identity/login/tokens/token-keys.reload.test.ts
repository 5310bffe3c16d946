// Keys that another process made: whoever needs one waits for it, and it stays.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createTokenKeys, type TokenKeys } from './token-keys.ts';

const RULES = { tokenKeyDays: 1, tokenSeconds: 600, allowExpiredSeconds: 600 };
const DAY_MS = 86_400_000;

for (const kind of KINDS) {
  describe(`Keys of tokens that another process made (${kind})`, () => {
    const place = new RestartableApi(kind);
    let db: Database;
    const clock = { time: Date.UTC(2026, 10, 16), now: () => clock.time };
    const seal = createSeal([newMasterKey()]);
    before(async () => {
      await place.prepare();
      db = await databaseOf(place);
    });
    after(async () => {
      await db.close();
      await place.remove();
    });

    const open = (on: Database = db): Promise<TokenKeys> =>
      createTokenKeys({ db: on, change: createChanges(on, clock), seal, clock, rules: RULES });

    /** A process that hears nothing of the others, and whose answers from the database a test can hold back. */
    function slowProcess() {
      const held: PromiseWithResolvers<void>[] = [];
      const counts = { reads: 0 };
      let holds = false;
      const read = db.read.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          counts.reads++;
          if (!holds) return result;
          const turn = Promise.withResolvers<void>();
          held.push(turn);
          await turn.promise;
          return result;
        },
      });
      const hold = (): void => {
        holds = true;
      };
      const waiting = async (count: number): Promise<void> => {
        while (held.length < count) await setImmediate();
      };
      return { database: { ...db, read, feed: { ...db.feed, onChange: () => {} } } as Database, hold, held, waiting, counts };
    }

    async function makeKey(): Promise<number> {
      clock.time += 2 * DAY_MS;
      await (await open()).rotate();
      return (await db.read.selectFrom('token_keys').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id;
    }

    it('are found by all who ask while they are read', async () => {
      await open();
      const { database, counts } = slowProcess();
      const keys = await open(database);
      const id = await makeKey();
      assert.equal(keys.find(id), undefined);
      counts.reads = 0;
      const found = await Promise.all([1, 2, 3].map(() => keys.reloadIfDue().then(() => keys.find(id) !== undefined)));
      assert.deepEqual(found, [true, true, true]);
      assert.equal(counts.reads, 1, 'which is once for all of them');
    });

    it('are not lost when an older answer of the database arrives last', async () => {
      const slow = slowProcess();
      const keys = await open(slow.database);
      slow.hold();
      const older = keys.reloadIfDue();
      await slow.waiting(1);
      const id = await makeKey();
      const newer = keys.rotate();
      await slow.waiting(2);
      slow.held[1]!.resolve();
      await newer;
      assert.ok(keys.find(id));
      slow.held[0]!.resolve();
      await older;
      assert.ok(keys.find(id), 'the newer answer counts');
    });
  });
}
