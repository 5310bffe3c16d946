// What the history of exchanges tells, and cancelling them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  credentialIds,
  EXCHANGES,
  issuedCredentials,
  keysOf,
  onEachWalletWithIssuer,
  VCI,
} from '../../../test/support/issuance.ts';
import type { WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { inDatabase } from '../../../test/support/wallet-rows.ts';

onEachWalletWithIssuer('The history of exchanges', (wallet, issuer) => {
  const read = async (person: WalletUser, id: string) => (await person.get(`${EXCHANGES}/${id}`)).body;
  const cancel = (person: WalletUser, id: string) => person.post(`${EXCHANGES}/${id}/cancel`, {});

  it('says who offered what, what to do next, and what was received', async () => {
    const person = await wallet.logIn();
    const { exchangeId } = (await person.post(VCI, { uri: issuer.offer(), preview: true })).body;
    const offered = await read(person, exchangeId);
    assert.deepEqual([offered.state, offered.finished, offered.next], ['offered', false, 'accept']);
    const about = {
      name: 'The toy issuer',
      proof: 'none',
      offered: [{ configurationId: 'identity', displays: [{ name: 'Identity' }] }],
    };
    assert.deepEqual(offered.summary, about);
    assert.deepEqual((await person.get(`${EXCHANGES}?open=true`)).body, [offered]);

    const [credential] = issuedCredentials(await person.post(VCI, { exchangeId }));
    const issued = await read(person, exchangeId);
    assert.deepEqual([issued.finished, issued.next], [true, undefined]);
    assert.deepEqual(issued.summary, { ...about, credentialIds: [credential.id] });
    assert.deepEqual((await person.get(`${EXCHANGES}?open=true`)).body, []);
  });

  it('is stored sealed, and bound to its exchange', async () => {
    const person = await wallet.logIn();
    const ids = [issuer.offer(), issuer.offer({ configurations: ['membership'] })];
    const [one, other] = await Promise.all(
      ids.map(async (uri) => (await person.post(VCI, { uri, preview: true })).body.exchangeId),
    );
    await inDatabase(wallet, async (tx) => {
      const rows = await tx.selectFrom('exchanges').where('id', 'in', [one, other]).selectAll().execute();
      assert.ok(rows.every(({ summary }) => summary !== null && !summary.includes('toy')));
      const { summary } = rows.find(({ id }) => id === one)!;
      await tx.updateTable('exchanges').set({ summary }).where('id', '=', other).execute();
    });
    const damaged = await read(person, other);
    assert.deepEqual([damaged.damaged, damaged.summary], [true, {}]);
    issuedCredentials(await person.post(VCI, { exchangeId: other }));
  });

  describe('cancelling', () => {
    it('ends an offer, which can be opened again because nothing was redeemed', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer();
      const { exchangeId } = (await person.post(VCI, { uri, preview: true })).body;
      const { status, body } = await cancel(person, exchangeId);
      assert.equal(status, 200);
      assert.deepEqual(
        [body.state, body.outcome, body.finished, body.steps.at(-1).step],
        ['cancelled', 'cancelled', true, 'cancelled'],
      );
      assertProblem(await person.post(VCI, { exchangeId }), 409, 'exchange-finished');
      assertProblem(await cancel(person, exchangeId), 409, 'exchange-finished');
      assert.deepEqual(await credentialIds(person), []);
      const again = await person.post(VCI, { uri });
      issuedCredentials(again);
      assert.notEqual(again.body.exchangeId, exchangeId);
    });

    it('stops waiting for a deferred credential, and deletes the keys of its copies', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer({ deferred: true });
      const { exchangeId } = (await person.post(VCI, { uri, count: 3 })).body;
      assert.equal((await read(person, exchangeId)).next, 'wait');
      assert.equal((await keysOf(person)).length, 3);
      assert.equal((await cancel(person, exchangeId)).status, 200);
      assert.equal((await keysOf(person)).length, 1, 'the key of the wallet stays');
      issuer.ready = true;
      wallet.clock.advance(600);
      await wallet.service.sweep();
      assert.deepEqual(issuer.asked('deferred'), []);
      assert.deepEqual(await credentialIds(person), []);
      assertProblem(await person.post(VCI, { uri }), 409, 'exchange-finished');
    });

    it('does not interrupt somebody who works on it', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer(), preview: true })).body;
      let during: Promise<unknown> | undefined;
      issuer.twist = {
        reply: async (endpoint) => {
          if (endpoint !== 'token') return;
          during = cancel(person, exchangeId).then((answer) => assertProblem(answer, 409, 'exchange-busy'));
          await during;
        },
      };
      issuedCredentials(await person.post(VCI, { exchangeId }));
      await during!;
      assert.equal((await credentialIds(person)).length, 1);
    });
  });
});
