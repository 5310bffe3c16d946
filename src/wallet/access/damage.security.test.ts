// A damaged row does not hide other rows of its owner. It is shown as damaged and can be purged.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ToyIssuer } from '../../../test/support/toy-issuer.ts';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { ownerOfPerson, storeCredential } from '../../../test/support/wallet-credentials.ts';
import { actAs } from './owners.store.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const CREDENTIALS = '/api/v1/wallet/credentials';
const EXCHANGES = '/api/v1/wallet/exchanges';

onEachWallet('A damaged row', (wallet) => {
  async function damage(
    person: WalletUser,
    table: 'keys' | 'dids' | 'credentials' | 'exchanges',
    id: string,
    values: Readonly<Record<string, string>>,
  ): Promise<void> {
    // What the service read in this turn ends with it; closing would wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    const db = await wallet.database();
    await db.write(async (tx, invalidate) => {
      await actAs(db, tx, ownerOfPerson(person));
      await tx
        .updateTable(table as 'keys')
        .set(values)
        .where('id', '=', id)
        .execute();
      invalidate(`wallet:${ownerOfPerson(person)}`);
    });
    await db.close();
  }

  /** The whole ones and the damaged one, each by its own list and by itself. */
  async function shows(person: WalletUser, path: string, id: string, count: number): Promise<any> {
    wallet.logged.length = 0;
    // Not the cached page.
    const list = await person.get(`${path}?limit=50`);
    assert.equal(list.status, 200, list.text);
    assert.equal(list.body.length, count);
    assert.deepEqual(
      list.body.filter(({ damaged }: any) => damaged).map((one: any) => one.id),
      [id],
    );
    const warnings = wallet.logged.filter((line) => line.includes('shown as damaged'));
    assert.equal(warnings.length, 1, 'one warning');
    assert.ok(warnings[0]!.includes(id));
    const one = await person.get(`${path}/${id}`);
    assert.equal(one.status, 200, one.text);
    return one.body;
  }

  it('hides no other credential', async () => {
    const person = await wallet.logIn();
    const [whole, broken] = [await storeCredential(person), await storeCredential(person)];
    await damage(person, 'credentials', broken, { sealed: 'v1.x.y' });
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

  for (const values of [{ public_jwk: '{"kty":' }, { public_jwk: '[]' }, { uses: 'null' }, { uses: '[1]' }])
    it(`hides no other key (${JSON.stringify(values)})`, async () => {
      const person = await wallet.logIn();
      const [, broken] = [await person.make('keys'), await person.make('keys', { algorithm: 'EdDSA' })];
      await damage(person, 'keys', broken.id, values);
      const shown = await shows(person, KEYS, broken.id, 2);
      const { kty, kid } = shown;
      assert.deepEqual({ kty, kid }, { kty: 'OKP', kid: broken.kid });
      assert.deepEqual(shown.use, []);
      assert.equal((await person.post(`${KEYS}/${broken.id}/revoke`, {})).status, 200);
      assert.equal((await person.delete(`${KEYS}/${broken.id}`)).status, 204);
      assert.equal((await person.get(KEYS)).body.length, 1);
    });

  for (const values of [{ service: '{' }, { service: '[{}]' }, { also_known_as: 'no list' }])
    it(`hides no other DID (${JSON.stringify(values)})`, async () => {
      const person = await wallet.logIn();
      const [, broken] = [await person.make('dids', { method: 'jwk' }), await person.make('dids', { method: 'web' })];
      await damage(person, 'dids', broken.id, values);
      const shown = await shows(person, DIDS, broken.id, 2);
      assert.deepEqual(shown.document, { id: broken.did });
      assert.equal(shown.keys[0].keyId, broken.keys[0].keyId);
      assert.equal((await person.delete(`${DIDS}/${broken.id}`)).status, 204);
      assert.equal((await person.get(DIDS)).body.length, 1);
    });

  it('of a key hides no DID but that of the key', async () => {
    const person = await wallet.logIn();
    const [, broken] = [await person.make('dids', { method: 'web' }), await person.make('dids', { method: 'web' })];
    await damage(person, 'keys', broken.keys[0].keyId, { public_jwk: 'x' });
    await shows(person, DIDS, broken.id, 2);
    assert.equal((await person.post(`${KEYS}/${broken.keys[0].keyId}/revoke`, {})).status, 200);
    const mended = await person.get(`${DIDS}/${broken.id}`);
    assert.deepEqual([mended.status, mended.body.damaged], [200, undefined]);
  });

  for (const steps of ['[', '{}', '[{"at":1}]'])
    it(`hides no other exchange (${steps})`, async () => {
      const person = await wallet.logIn();
      const issuer = new ToyIssuer();
      await issuer.start();
      try {
        for (let i = 0; i < 2; i++)
          assert.equal((await person.post('/api/v1/wallet/oid4vci', { uri: issuer.offer() })).status, 201);
      } finally {
        await issuer.stop();
      }
      const [{ id }] = (await person.get(EXCHANGES)).body;
      await damage(person, 'exchanges', id, { steps });
      const shown = await shows(person, EXCHANGES, id, 2);
      assert.deepEqual([shown.steps, shown.state], [[], 'issued']);
    });

  it('of a document does not keep other keys from being removed after their grace period', async () => {
    const person = await wallet.logIn();
    const make = () => person.make('dids', { method: 'web' });
    const [broken, whole] = [await make(), await make()];
    for (const { id, keys } of [broken, whole]) {
      assert.equal((await person.post(`${DIDS}/${id}/publish`, {})).status, 200);
      assert.equal((await person.post(`${KEYS}/${keys[0].keyId}/rotate`, { gracePeriod: 'PT1H' })).status, 200);
    }
    await damage(person, 'dids', broken.id, { service: '{' });
    wallet.clock.advance(2 * 3600);
    await assert.rejects(wallet.service.sweep());
    const { body } = await (await wallet.logIn(person.name)).get(`${DIDS}/${whole.id}`);
    assert.deepEqual(body.keys.map(({ keyId }: any) => keyId).includes(whole.keys[0].keyId), false);
  });
});
