// How long a session lasts: unused, used, and as long as the provider confirms it.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { ApiAnswer } from '../../../test/support/api.ts';
import { onEachWallet, onWallet, TestWallet, WalletUser } from '../../../test/support/wallet.ts';
import { isCleared, secretsOf } from '../../../test/support/wallet-session.ts';
import { readForSession } from '../access/index.ts';

const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';
const info = (person: WalletUser): Promise<ApiAnswer> => person.get(USERINFO);

async function isOver(person: WalletUser): Promise<void> {
  const answer = await info(person);
  assert.equal(answer.status, 401, answer.text);
  assert.equal(answer.body.code, 'not-authenticated');
  assert.ok(isCleared(answer));
}

/** The use of a session is recorded in the background. */
async function until(done: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await done())) {
    assert.ok(Date.now() < end, 'it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function usedAt(wallet: TestWallet, { cookie }: WalletUser): Promise<number> {
  const { idHash } = await secretsOf(wallet, cookie);
  const db = await wallet.database();
  try {
    const row = await readForSession(db, idHash, (reader) =>
      reader.selectFrom('sessions').where('id_hash', '=', idHash).select('used_at').executeTakeFirstOrThrow(),
    );
    return row.used_at;
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    await db.close();
  }
}

onEachWallet('A session', (wallet) => {
  it('ends when it is not used for an hour', async () => {
    const [used, unused] = [await wallet.logIn(), await wallet.logIn()];
    wallet.clock.advance(3500);
    assert.equal((await info(used)).status, 200);
    wallet.clock.advance(150);
    await isOver(unused);
    assert.equal((await info(used)).status, 200);
    wallet.clock.advance(3601);
    await isOver(used);
  });

  it('lasts while it is used, also for a process that did not see it, but twelve hours at most', async () => {
    const person = await wallet.logIn();
    const { expiresAt } = (await info(person)).body;
    for (let hours = 0; hours < 11.5; hours += 0.5) {
      wallet.clock.advance(1800);
      assert.equal((await info(person)).status, 200, `after ${hours} hours`);
      await until(async () => wallet.clock.now() - (await usedAt(wallet, person)) < 60_000);
    }
    await wallet.service.stop(1000);
    await wallet.open();
    assert.equal((await info(person)).status, 200, 'after a restart');
    assert.equal((await info(person)).body.expiresAt, expiresAt, 'use does not move the end');
    wallet.clock.advance(1801);
    await isOver(person);
  });

  it('is swept away when it is over', async () => {
    const person = await wallet.logIn();
    const alive = await wallet.logIn();
    wallet.clock.advance(3000);
    await info(alive);
    await until(async () => wallet.clock.now() - (await usedAt(wallet, alive)) < 60_000);
    wallet.clock.advance(601);
    await wallet.service.sweep();
    await assert.rejects(secretsOf(wallet, person.cookie), /no result/);
    assert.equal((await info(alive)).status, 200);
  });
});

onWallet(
  'SQLite',
  'A session that may lie unused for a minute only',
  { settings: { GATEHOUSE_WALLET_SESSION_IDLE_SECONDS: '60' } },
  (wallet) => {
    it('lasts while it is used', async () => {
      const person = await wallet.logIn();
      for (let uses = 0; uses < 8; uses++) {
        wallet.clock.advance(25);
        assert.equal((await info(person)).status, 200, `use ${uses}`);
      }
      wallet.clock.advance(61);
      await isOver(person);
    });
  },
);

onEachWallet(
  'A session whose grant runs out',
  (wallet) => {
    /** Moves the clock to where the access token of two minutes is about to end. */
    const nearTheEnd = (): void => wallet.clock.advance(100);
    const refreshes = (): Promise<number> => wallet.provider.granted('refresh_token');

    it('is refreshed before that, and knows what changed at the provider', async () => {
      const person = await wallet.logIn('admin-of-yesterday');
      const before = await secretsOf(wallet, person.cookie);
      assert.deepEqual((await info(person)).body.roles, ['admin']);
      const count = await refreshes();
      await wallet.provider.change(person.name, { name: 'New Name', groups: ['people'] });
      assert.equal((await info(person)).body.name, 'Person admin-of-yesterday', 'not asked each time');
      nearTheEnd();
      const { status, body } = await info(person);
      assert.deepEqual([status, body.name, body.roles], [200, 'New Name', ['people']]);
      assert.equal(await refreshes(), count + 1);
      const after = await secretsOf(wallet, person.cookie);
      assert.notEqual(after.refreshToken, before.refreshToken, 'the provider gave another');
      assert.equal(after.idHash, before.idHash);
      for (let rounds = 0; rounds < 3; rounds++) {
        nearTheEnd();
        assert.equal((await info(person)).status, 200);
      }
      assert.equal(await refreshes(), count + 4, 'with the newest refresh token each time');
    });

    it('forgets what the provider says no more', async () => {
      const person = await wallet.logIn('admin-who-leaves');
      assert.deepEqual((await info(person)).body.roles, ['admin']);
      await wallet.provider.change(person.name, { groups: undefined, email: null });
      // Not sent at all: a provider leaves out what is empty.
      await wallet.provider.change(person.name, { groups: null });
      nearTheEnd();
      const { body } = await info(person);
      assert.deepEqual(body.roles, []);
      assert.deepEqual([body.claims.sub, body.claims.iss, body.claims.aud], [person.name, wallet.provider.issuer, 'wallet']);
    });

    it('is refreshed once, however many requests come together', async () => {
      const person = await wallet.logIn();
      const count = await refreshes();
      nearTheEnd();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => person.get(at % 2 ? USERINFO : KEYS)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(await refreshes(), count + 1);
      assert.equal((await info(person)).status, 200);
      assert.equal(await refreshes(), count + 1);
    });

    it('ends at the next refresh when the account is closed', async () => {
      const [closed, other] = [await wallet.logIn(), await wallet.logIn()];
      await wallet.provider.close(closed.name);
      assert.equal((await info(closed)).status, 200);
      nearTheEnd();
      await isOver(closed);
      await isOver(closed);
      assert.equal((await closed.post(KEYS, {})).status, 401);
      assert.equal((await info(other)).status, 200);
      await assert.rejects(secretsOf(wallet, closed.cookie), /no result/, 'it is gone from the database, too');
    });

    it('is over at once for all of many requests when the account is closed', async () => {
      const person = await wallet.logIn();
      await info(person);
      await wallet.provider.close(person.name);
      nearTheEnd();
      await Promise.all(Array.from({ length: 10 }, () => info(person)));
      await isOver(person);
    });

    it('goes on while the provider is away, and asks it again later', async () => {
      const person = await wallet.logIn();
      await wallet.provider.stop();
      nearTheEnd();
      assert.equal((await info(person)).status, 200);
      assert.equal((await person.post(KEYS, {})).status, 201);
      wallet.clock.advance(600);
      assert.equal((await info(person)).status, 200, 'long after the grant ran out');
      await wallet.provider.start();
      wallet.clock.advance(31);
      // This provider forgot everything with its process: it does not know the refresh token any more.
      await isOver(person);
    });

    it('can be logged out of while the provider is away', async () => {
      const person = await wallet.logIn();
      await wallet.provider.stop();
      const answer = await person.get('/api/v1/auth/logout');
      assert.equal(answer.status, 303);
      assert.ok(isCleared(answer));
      await isOver(person);
      await wallet.provider.start();
    });
  },
  { provider: { accessTokenSeconds: 120 } },
);

onWallet('PostgreSQL', 'A session on two replicas', { provider: { accessTokenSeconds: 120 } }, (wallet) => {
  let other: TestWallet;
  before(async () => {
    const { provider, masterKey, clock, folder, databaseUrl } = wallet;
    other = Object.assign(new TestWallet('PostgreSQL', { provider }), { masterKey, clock, folder, databaseUrl });
    await other.open();
  });
  after(() => other.service.stop(1000));

  const there = (person: WalletUser): WalletUser => new WalletUser(other, person.name, person.cookie);

  it('is refreshed once by both together', async () => {
    const here = await wallet.logIn();
    const count = await wallet.provider.granted('refresh_token');
    for (let rounds = 1; rounds <= 3; rounds++) {
      // Known to both.
      assert.deepEqual([(await info(here)).status, (await info(there(here))).status], [200, 200]);
      wallet.clock.advance(100);
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => info(at % 2 ? here : there(here))));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(await wallet.provider.granted('refresh_token'), count + rounds);
    }
  });

  it('is over on one within a second of the logout on the other', async () => {
    const here = await wallet.logIn();
    assert.equal((await info(there(here))).status, 200);
    assert.equal((await here.get('/api/v1/auth/logout')).status, 303);
    // On an idle machine; a busy one is given more.
    await until(async () => (await info(there(here))).status === 401);
  });

  it('is not over on the one where it was not used, while it is on the other', async () => {
    const here = await wallet.logIn();
    assert.equal((await info(there(here))).status, 200);
    for (let uses = 0; uses < 3; uses++) {
      wallet.clock.advance(1500);
      assert.equal((await info(here)).status, 200);
      await until(async () => wallet.clock.now() - (await usedAt(wallet, here)) < 60_000);
    }
    assert.equal((await info(there(here))).status, 200);
  });
});
