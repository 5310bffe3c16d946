// Parallel guesses when a pause after wrong passwords ends: only one of them is checked, across all processes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { createPauses } from './pauses.ts';

type Pauses = ReturnType<typeof createPauses>;

underAttack('The turn after a pause', (api) => {
  api.clock.hold();
  let addresses = 0;
  /** At an address nobody had before. */
  const someone = () => ({ userId: null, requestId: null, address: `198.51.${++addresses >> 8}.${addresses & 255}` });
  /** Two processes of one service, at an account with so many wrong passwords. SQLite has one process, which looks at many at once. */
  async function withPauses(wrong: number, work: (pauses: readonly [Pauses, Pauses], account: string) => Promise<void>) {
    const dbs = [await databaseOf(api)];
    if (api.kind === 'PostgreSQL') dbs.push(await databaseOf(api));
    try {
      const make = (db = dbs[0]!) => createPauses({ db, clock: api.clock, rateLimits: true });
      const [account, pauses] = [uniqueName('account'), [make(), make(dbs[1])] as const];
      for (let i = 0; i < wrong; i++) await pauses[0].recordFailure(someone(), account, undefined);
      await work(pauses, account);
    } finally {
      for (const db of dbs) await db.close();
    }
  }

  /** How many of twenty that come at once may guess. */
  async function claimed([one, other]: readonly [Pauses, Pauses], account: string): Promise<number> {
    const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).claim(someone(), account));
    return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
  }

  it('is given to one of several parallel guesses, across processes', () =>
    withPauses(13, async (pauses, account) => {
      assert.equal(await claimed(pauses, account), 0);
      for (let round = 0; round < 3; round++) {
        api.clock.advance(2);
        assert.equal(await claimed(pauses, account), 1);
        assert.equal(await claimed(pauses, account), 0);
      }
    }));

  it('is given to one guess after a clock was set back too', () =>
    withPauses(13, async (pauses, account) => {
      api.clock.advance(-7200);
      try {
        assert.equal(await claimed(pauses, account), 1);
        api.clock.advance(2);
        assert.equal(await claimed(pauses, account), 1);
      } finally {
        api.clock.advance(7200);
      }
    }));

  it('makes nobody wait longer than the pause, however long the guess of another takes', () =>
    withPauses(13, async ([one, other], account) => {
      api.clock.advance(2);
      const guesser = someone();
      const claim = await one.claim(guesser, account);
      api.clock.advance(1.5);
      await one.recordFailure(guesser, account, claim);
      await assert.rejects(other.claim(someone(), account));
      api.clock.advance(0.5);
      await other.claim(someone(), account);
    }));

  it('is given back after a right password', () =>
    withPauses(13, async ([one, other], account) => {
      api.clock.advance(2);
      const person = someone();
      await one.recordSuccess(person, account, await one.claim(person, account));
      const next = someone();
      const claim = await other.claim(next, account);
      await assert.rejects(one.claim(someone(), account));
      await other.recordFailure(next, account, claim);
      await assert.rejects(one.claim(someone(), account));
      assert.equal(await one.claim(person, account), undefined, 'an address where it went well needs none');
    }));

  it('is not needed on a full disk, so that an administrator can log in', async () => {
    const db = await databaseOf(api);
    try {
      const account = uniqueName('account');
      for (let i = 0; i < 13; i++)
        await createPauses({ db, clock: api.clock, rateLimits: true }).recordFailure(someone(), account, undefined);
      api.clock.advance(2);
      const full = { ...db, write: () => Promise.reject(Object.assign(new Error('no room'), { code: '53100' })) };
      const [pauses, person] = [createPauses({ db: full, clock: api.clock, rateLimits: true }), someone()];
      await pauses.recordSuccess(person, account, await pauses.claim(person, account));
    } finally {
      await db.close();
    }
  });

  it('is not stored when nobody has to wait', async () => {
    const db = await databaseOf(api);
    const rows = () => db.read.selectFrom('wrong_passwords').selectAll().orderBy('account').execute();
    try {
      for (const wrong of [0, 9])
        await withPauses(wrong, async (pauses, account) => {
          const before = await rows();
          api.clock.advance(1);
          assert.equal(await claimed(pauses, account), 20);
          assert.deepEqual(await rows(), before);
        });
      await withPauses(13, async (pauses, account) => {
        const before = await rows();
        api.clock.advance(901);
        assert.equal(await claimed(pauses, account), 20, 'they are forgotten');
        assert.deepEqual(await rows(), before);
      });
    } finally {
      await db.close();
    }
  });
});
