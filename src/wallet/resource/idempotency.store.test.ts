// Stored Idempotency-Keys, on both databases. Their use in routes is tested there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { inDatabase } from '../../../test/support/wallet-rows.ts';
import { type Caller, createWalletChanges } from '../access/index.ts';
import type { Database } from '../ground/database.ts';
import { createIdempotency, IDEMPOTENCY_MS } from './idempotency.store.ts';

onEachWallet('Repeated requests', (wallet) => {
  let people = 0;
  const somebody = (): Caller => {
    const owner = `owner-${++people}`;
    return { userId: owner, owner, requestId: null, isAdministrator: false };
  };

  async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
    const db = await wallet.database();
    try {
      await work(db);
    } finally {
      await db.close();
    }
  }

  /** A request that creates something: returns the id of what it or an earlier request created. */
  function requests(db: Database) {
    const idempotency = createIdempotency(db, wallet.clock);
    const change = createWalletChanges(db, wallet.clock);
    return (caller: Caller, route: string, key: string | undefined, body: unknown, made: string) => {
      const once = idempotency.of(caller, route, key === undefined ? {} : { 'idempotency-key': key }, body);
      return change(caller, caller.owner, async (transaction) => {
        transaction.audit('test', { kind: 'test', id: made });
        return (await once.claim(transaction, made)) ?? made;
      });
    };
  }

  it('make what they make once, by owner, route and key', async () => {
    await withDatabase(async (db) => {
      const request = requests(db);
      const [one, other] = [somebody(), somebody()];
      assert.equal(await request(one, 'keys', 'k', { a: 1, b: [{ c: 2, d: 3 }] }, 'first'), 'first');
      assert.equal(await request(one, 'keys', 'k', { b: [{ d: 3, c: 2 }], a: 1 }, 'second'), 'first');
      assert.equal(await request(one, 'dids', 'k', { a: 2 }, 'third'), 'third');
      assert.equal(await request(one, 'keys', 'l', { a: 2 }, 'fourth'), 'fourth');
      assert.equal(await request(other, 'keys', 'k', { a: 2 }, 'fifth'), 'fifth');
      assert.equal(await request(one, 'keys', undefined, { a: 1 }, 'sixth'), 'sixth');
      assert.equal(await request(one, 'keys', undefined, { a: 1 }, 'seventh'), 'seventh');
    });
  });

  it('are told apart by anything in them', async () => {
    await withDatabase(async (db) => {
      const request = requests(db);
      const one = somebody();
      await request(one, 'keys', 'k', { a: ['x', 'y'], n: 1 }, 'first');
      for (const body of [
        { a: ['y', 'x'], n: 1 },
        { a: ['x', 'y'], n: '1' },
        { a: ['x', 'y'] },
        {},
        { a: { 0: 'x', 1: 'y' }, n: 1 },
      ])
        await assert.rejects(request(one, 'keys', 'k', body, 'second'), { code: 'idempotency-key-reused' });
    });
  });

  it('keep nothing of what was sent', async () => {
    await withDatabase(async (db) => {
      const one = somebody();
      await requests(db)(one, 'keys', 'k', { jwk: { d: 'a-private-part' } }, 'first');
      const rows = await inDatabase(wallet, (tx) =>
        tx.selectFrom('idempotent_requests').where('owner', '=', one.owner).selectAll().execute(),
      );
      assert.equal(rows.length, 1);
      assert.doesNotMatch(JSON.stringify(rows), /private/);
    });
  });

  it('are forgotten after a day, and then swept', async () => {
    await withDatabase(async (db) => {
      const request = requests(db);
      const one = somebody();
      assert.equal(await request(one, 'keys', 'k', {}, 'first'), 'first');
      assert.equal(await request(one, 'keys', 'gone', {}, 'other'), 'other');
      wallet.clock.advance(IDEMPOTENCY_MS / 1000 - 60);
      assert.equal(await request(one, 'keys', 'k', {}, 'second'), 'first');
      wallet.clock.advance(61);
      // Another body: the key is free.
      assert.equal(await request(one, 'keys', 'k', { a: 1 }, 'third'), 'third');
      await wallet.service.sweep();
      const rows = await inDatabase(wallet, (tx) =>
        tx.selectFrom('idempotent_requests').where('owner', '=', one.owner).select('resource_id').execute(),
      );
      assert.deepEqual(rows, [{ resource_id: 'third' }]);
      assert.equal(await request(one, 'keys', 'k', { a: 1 }, 'fourth'), 'third');
    });
  });
});
