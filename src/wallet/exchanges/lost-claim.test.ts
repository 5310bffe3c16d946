// A worker whose claim has expired loses the exchange to another one, and must not write any more.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialIds, EXCHANGES, issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import { setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const TAKEN_FOR_DEAD = 5 * 60 + 1;

/** A call that is blocked until the test releases it. */
function gate() {
  const asked = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  return {
    asked: asked.promise,
    open: open.resolve,
    wait(): Promise<void> {
      asked.resolve();
      return open.promise;
    },
  };
}

onEachWalletWithIssuer('An exchange with an issuer that another took over', (wallet, issuer) => {
  /** The first call of the endpoint waits; those after it do not. */
  function hold(endpoint: string, change: (reply: { status: number; body: unknown }) => void = () => undefined) {
    const held = gate();
    let isFirst = true;
    issuer.twist = {
      async reply(at, reply) {
        if (at !== endpoint || !isFirst) return;
        isFirst = false;
        await held.wait();
        change(reply);
      },
    };
    return held;
  }

  for (const [what, change] of [
    ['brings it', () => undefined],
    ['refuses', (reply: object) => void Object.assign(reply, { status: 400, body: { error: 'credential_request_denied' } })],
    ['is away', (reply: object) => void Object.assign(reply, { status: 503, body: {} })],
  ] as const)
    it(`is theirs, also when the issuer ${what} in the end`, async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ txCode: '1' }) })).body;
      const { asked, open } = hold('credential', change);
      const first = person.post(VCI, { exchangeId, txCode: '1' });
      await asked;
      wallet.clock.advance(TAKEN_FOR_DEAD);
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1' }));
      open();
      const late = assertProblem(await first, 409, 'exchange-busy');
      assert.equal(late.exchangeId, exchangeId);
      assert.equal((await credentialIds(person)).length, 1);
      const { body } = await person.get(`${EXCHANGES}/${exchangeId}`);
      assert.deepEqual([body.state, body.outcome], ['issued', 'issued']);
      assert.equal(issuer.asked('token').length, 1);
    });

  it('gets no further calls from the worker that lost its claim', async () => {
    const person = await wallet.logIn();
    const configurations = ['identity', 'membership'];
    const { exchangeId } = (await person.post(VCI, { uri: issuer.offer({ configurations, deferred: true }) })).body;
    const { asked, open } = hold('deferred');
    const first = person.post(VCI, { exchangeId });
    await asked;
    wallet.clock.advance(TAKEN_FOR_DEAD);
    assert.equal((await person.post(VCI, { exchangeId })).status, 202);
    open();
    assertProblem(await first, 409, 'exchange-busy');
    assert.equal(issuer.asked('deferred').length, 3);
    assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.state, 'deferred');
    issuer.ready = true;
    assert.equal(issuedCredentials(await person.post(VCI, { exchangeId })).length, 2);
  });
});

onEachWallet('An answer to a verifier that takes long', (wallet) => {
  const world = setUpPresentation(wallet);
  describe('is on its way', () => {
    for (const action of [undefined, 'reject'])
      it(`and not sent again: ${action ?? 'submitted'}`, async () => {
        const { person } = await world.holder();
        const uri = await world.verifier.ask();
        const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
        const { asked, open, wait } = gate();
        world.verifier.twist = {
          raw(endpoint, _request, response) {
            if (endpoint !== 'response') return false;
            void wait().then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
            return true;
          },
        };
        const first = person.post(VP, { exchangeId, ...(action ? { action } : {}) });
        await asked;
        wallet.clock.advance(TAKEN_FOR_DEAD);
        assertProblem(await person.post(VP, { exchangeId }), 409, 'request-already-answered');
        open();
        const state = action ? 'rejected' : 'submitted';
        assert.equal((await first).body.status, state);
        assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.state, state);
      });
  });
});
