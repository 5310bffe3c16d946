// Both services in one process share its threads: generating slow keys must not delay logins.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestApi, uniqueName } from './support/api.ts';
import { TestWallet } from './support/wallet.ts';

const KEYS = '/api/v1/wallet/keys';
/** How many keys are generated for one owner at once. */
const OF_ONE_OWNER = 3;

describe('A login beside RSA keys that are being made', () => {
  const api = new TestApi('SQLite');
  const wallet = new TestWallet('SQLite');
  before(() => Promise.all([api.start(), wallet.start()]));
  after(() => Promise.all([api.stop(), wallet.stop()]));

  it('waits for none of them', async () => {
    const user = await api.make('user', { name: uniqueName('u'), password: 'a password of a person' });
    const [greedy, ...others] = await Promise.all(Array.from({ length: 3 }, () => wallet.logIn()));
    let [made, answered] = [0, 0];
    const refused = Promise.withResolvers<void>();
    const ask = async (person: typeof greedy): Promise<number> => {
      const { status } = await person!.post(KEYS, { algorithm: 'RS256' });
      answered++;
      if (status === 201) made++;
      if (status === 429) refused.resolve();
      return status;
    };
    const ofGreedy = Array.from({ length: 12 }, () => ask(greedy));
    // Enough to keep the generator busy: keys of other owners wait in the same queue.
    const ofOthers = others.flatMap((person) => Array.from({ length: OF_ONE_OWNER }, () => ask(person)));
    // The queue is full, and the first key is being generated.
    await Promise.race([refused.promise, Promise.all(ofGreedy)]);
    const total = OF_ONE_OWNER * 3;
    assert.ok(made < total);
    await api.logIn({ id: user.id, password: 'a password of a person' });
    assert.ok(made < total / 2, `the login was answered after ${made} of ${total} keys`);
    const statuses = await Promise.all(ofGreedy);
    assert.equal(statuses.filter((status) => status === 429).length, 12 - OF_ONE_OWNER, statuses.join());
    for (const status of await Promise.all(ofOthers)) assert.ok([201, 503].includes(status), `${status}`);
    assert.equal(answered, 12 + ofOthers.length);
  });
});
