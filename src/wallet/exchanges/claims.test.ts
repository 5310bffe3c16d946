// A claim on an exchange is renewed while the work runs, and not after it is released.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { Fault } from '../../platform/faults/index.ts';
import { createLog } from '../../platform/log/index.ts';
import { createSeal } from '../../platform/seal/index.ts';
import { createWalletChanges, theNode } from '../access/index.ts';
import { createExchanges } from './exchanges.ts';

const CLAIM_SECONDS = 5 * 60;

onEachWallet('The claim of an exchange', (wallet) => {
  it('does not end before the work does, however long it takes', async () => {
    const db = await wallet.database();
    try {
      const { clock } = wallet;
      const caller = { ...theNode, userId: 'owner', owner: 'owner', isAdministrator: false };
      const exchanges = createExchanges({
        db,
        clock,
        change: createWalletChanges(db, clock),
        seal: createSeal([wallet.masterKey]),
        unlessDamaged: (_kind, _id, read) => read(),
        count: () => {},
        log: createLog('silent'),
        renewMs: 5,
      });
      const exchange = await exchanges.start(caller, 'oid4vci', {}, { state: 'offered' });
      const until = async () => (await exchanges.find(caller, exchange.id)).claimed_until;
      await exchanges.run(
        exchange,
        () => false,
        async () => {
          for (let step = 0; step < 3; step++) {
            // Far more than the claim altogether; a little less each time.
            clock.advance(CLAIM_SECONDS - 10);
            while ((await until()) < clock.now() + (CLAIM_SECONDS - 5) * 1000)
              await new Promise((resolve) => setTimeout(resolve, 5));
          }
          await assert.rejects(
            exchanges.resume(caller, exchange.id, 'oid4vci'),
            (error) => error instanceof Fault && error.code === 'exchange-busy',
          );
          await exchanges.release(exchange);
          // What was let go is not taken back by a renewal.
          await new Promise((resolve) => setTimeout(resolve, 50));
          assert.equal(await until(), 0);
        },
      );
      const next = await exchanges.resume(caller, exchange.id, 'oid4vci');
      assert.notEqual(next.claim, exchange.claim);
    } finally {
      await db.close();
    }
  });
});
