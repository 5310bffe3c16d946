// Sessions that the provider no longer confirms end within a minute. While it is unavailable, sessions continue.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet, onWallet } from '../../../test/support/wallet.ts';
import { downgradeSessions } from '../../../test/support/wallet-session.ts';

const USERINFO = '/api/v1/auth/userinfo';
const MINUTE = 60;

onEachWallet(
  'A session whose account the provider closed',
  (wallet) => {
    it('ends within a minute of use, long before what was granted runs out', async () => {
      const [closed, open] = [await wallet.logIn(), await wallet.logIn()];
      await wallet.provider.close(closed.name);
      assert.equal((await closed.get(USERINFO)).status, 200, 'the word of the provider is fresh');
      wallet.clock.advance(MINUTE);
      assert.equal((await closed.get(USERINFO)).status, 401);
      assert.equal((await open.get(USERINFO)).status, 200);
    });

    it('ends at the first request after a restart', async () => {
      const person = await wallet.logIn();
      await wallet.provider.close(person.name);
      await wallet.service.stop(1000);
      await wallet.open();
      assert.equal((await person.get(USERINFO)).status, 401);
    });

    it('ends also when it is of a version that did not note when its token ends', async () => {
      const [closed, open] = [await wallet.logIn(), await wallet.logIn()];
      await downgradeSessions(wallet, [closed.cookie, open.cookie]);
      assert.equal((await closed.get(USERINFO)).status, 200);
      await wallet.provider.close(closed.name);
      wallet.clock.advance(MINUTE);
      assert.equal((await closed.get(USERINFO)).status, 401);
      assert.equal((await open.get(USERINFO)).status, 200);
    });

    it('is asked about once a minute, however many requests come', async () => {
      const person = await wallet.logIn();
      for (let minute = 1; minute <= 3; minute++) {
        wallet.clock.advance(MINUTE);
        const before = await wallet.provider.requestsFor('/me');
        const answers = await Promise.all(Array.from({ length: 10 }, () => person.get(USERINFO)));
        await person.get(USERINFO);
        assert.ok(answers.every(({ status }) => status === 200));
        assert.equal((await wallet.provider.requestsFor('/me')) - before, 1, `minute ${minute}`);
      }
      assert.equal(await wallet.provider.granted('refresh_token'), 0, 'asking is not renewing');
    });

    it('goes on while the provider is away, and ends when it is back', async () => {
      const person = await wallet.logIn();
      await wallet.provider.stop();
      for (let minute = 0; minute < 3; minute++) {
        wallet.clock.advance(MINUTE);
        assert.equal((await person.get(USERINFO)).status, 200);
      }
      // Started anew, it knows no tokens of before.
      await wallet.provider.start();
      wallet.clock.advance(MINUTE);
      assert.equal((await person.get(USERINFO)).status, 401);
    });

    it('ends although the provider was too busy to answer about another', async () => {
      const [closed, other] = [await wallet.logIn(), await wallet.logIn()];
      await wallet.provider.close(closed.name);
      wallet.clock.advance(MINUTE);
      await wallet.provider.beBusy('/me');
      assert.equal((await other.get(USERINFO)).status, 200);
      assert.equal((await closed.get(USERINFO)).status, 401);
    });

    it('is asked about again when the clock was set back', async () => {
      const person = await wallet.logIn();
      await wallet.provider.close(person.name);
      wallet.clock.advance(-10 * MINUTE);
      assert.equal((await person.get(USERINFO)).status, 401);
      wallet.clock.advance(10 * MINUTE);
    });
  },
  { provider: {} },
);

onWallet('SQLite', 'A provider that introspects', { provider: { introspection: 'all' } }, (wallet) => {
  it('is asked there, and nowhere else while it says yes', async () => {
    const person = await wallet.logIn();
    const before = await wallet.provider.requestsFor('/me');
    wallet.clock.advance(MINUTE);
    assert.equal((await person.get(USERINFO)).status, 200);
    assert.equal(await wallet.provider.requestsFor('/token/introspection'), 1);
    assert.equal(await wallet.provider.requestsFor('/me'), before);
    await wallet.provider.close(person.name);
    wallet.clock.advance(MINUTE);
    await person.get(USERINFO);
    assert.equal(await wallet.provider.requestsFor('/token/introspection'), 2);
  });
});

onWallet('SQLite', 'A provider that tells this client nothing', { provider: { introspection: 'none' } }, (wallet) => {
  it('ends no session by calling every token inactive', async () => {
    const person = await wallet.logIn();
    wallet.clock.advance(MINUTE);
    assert.equal((await person.get(USERINFO)).status, 200);
    await wallet.provider.close(person.name);
    wallet.clock.advance(MINUTE);
    assert.equal((await person.get(USERINFO)).status, 401);
  });
});

onWallet('SQLite', 'A session that cannot be renewed', { provider: { refreshTokens: false } }, (wallet) => {
  it('ends when the provider does not know its token any more, before it runs out', async () => {
    const [closed, open] = [await wallet.logIn(), await wallet.logIn()];
    await wallet.provider.close(closed.name);
    wallet.clock.advance(MINUTE);
    assert.equal((await closed.get(USERINFO)).status, 401);
    assert.equal((await open.get(USERINFO)).status, 200);
  });

  it('is not ended by a token that merely ran out', async () => {
    const person = await wallet.logIn();
    await wallet.provider.close(person.name);
    for (let turn = 0; turn < 3; turn++) {
      const before = await wallet.provider.requestsFor('/me');
      // Past the hour of the token; nobody can be asked with it.
      wallet.clock.advance(turn === 0 ? 60 * MINUTE - 1 : 10 * MINUTE);
      assert.equal((await person.get(USERINFO)).status, 200);
      assert.equal(await wallet.provider.requestsFor('/me'), before);
    }
  });
});
