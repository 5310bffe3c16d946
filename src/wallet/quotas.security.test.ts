// What one owner may have is bounded, whatever comes at once; and what was damaged of theirs hides nothing else.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../test/support/wallet.ts';
import { assertProblem } from '../../test/support/wallet-answers.ts';
import { holdCredential, ownerOfPerson } from '../../test/support/wallet-credentials.ts';
import { actAs } from './owners.store.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const CREDENTIALS = '/api/v1/wallet/credentials';

onEachWallet(
  'What an owner may have',
  (wallet) => {
    it('is no more keys than the quota, of requests that come at once neither', async () => {
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

    it('is no more DIDs and names than the quota; names that were given up count', async () => {
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

    it('is listed although one of it is damaged', async () => {
      const person = await wallet.logIn();
      const [whole, broken] = [await holdCredential(person), await holdCredential(person)];
      const db = await wallet.database();
      await db.write(async (tx) => {
        await actAs(db, tx, ownerOfPerson(person));
        await tx.updateTable('credentials').set({ sealed: 'v1.x.y' }).where('id', '=', broken).execute();
      });
      await db.close();
      const answer = await person.get(CREDENTIALS);
      assert.equal(answer.status, 200, answer.text);
      const shown = answer.body.map(({ id, damaged, presentable }: any) => ({ id, damaged, presentable }));
      assert.equal(shown.length, 2);
      assert.deepEqual(
        shown.find(({ id }: any) => id === broken),
        { id: broken, damaged: true, presentable: false },
      );
      assert.equal(shown.find(({ id }: any) => id === whole).damaged, undefined);
      assert.equal((await person.get(`${CREDENTIALS}?include=raw`)).status, 200);
      assert.ok(wallet.logged.some((line) => line.includes('shown as damaged')));
      assert.equal((await person.delete(`${CREDENTIALS}/${broken}`)).status, 204);
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
