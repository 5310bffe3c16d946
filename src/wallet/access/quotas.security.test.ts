// Quotas of an owner hold for concurrent requests, too.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';

onEachWallet(
  'What an owner may have',
  (wallet) => {
    it('is limited to the quota of keys, also for concurrent requests', async () => {
      const [person, other] = [await wallet.logIn(), await wallet.logIn()];
      const answers = await Promise.all(Array.from({ length: 10 }, () => person.post(KEYS, {})));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(4).fill(201), ...Array(6).fill(409)]);
      const [key] = (await person.get(KEYS)).body;
      assertProblem(await person.post(`${KEYS}/${key.id}/rotate`, {}), 409, 'quota-exceeded');
      assertProblem(await person.post(DIDS, {}), 409, 'quota-exceeded');
      assert.equal((await other.post(KEYS, {})).status, 201, 'others have their own');
      await person.post(`${KEYS}/${key.id}/revoke`, {});
      assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
      assert.equal((await person.post(KEYS, {})).status, 201, 'what was purged counts no more');
    });

    it('is limited to the quota of DIDs and names; names of deleted DIDs count', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      const make = (body: object) => person.post(DIDS, { keyIds: [id], ...body });
      const answers = await Promise.all(Array.from({ length: 6 }, () => make({ method: 'web' })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409, 409, 409, 409]);
      const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
      assert.equal((await make({ method: 'jwk' })).status, 201, 'needs no name');
      assertProblem(await make({ method: 'key' }), 409, 'quota-exceeded');
      for (const did of made) assert.equal((await person.delete(`${DIDS}/${did}`)).status, 204);
      assertProblem(await make({ method: 'web' }), 409, 'quota-exceeded');
    });
  },
  {
    settings: {
      GATEHOUSE_WALLET_MAX_KEYS: '4',
      GATEHOUSE_WALLET_MAX_DIDS: '3',
      GATEHOUSE_WALLET_MAX_DID_NAMES: '2',
    },
  },
);
