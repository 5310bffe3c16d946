// Background jobs, on both databases. Removal of keys from documents: dids/lifecycle.test.ts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { credentialRow, ownerOfPerson, storeCredential, storeCredentials } from '../../../test/support/wallet-credentials.ts';
import { newUlid } from '../../platform/ids.ts';
import { createSeal, newMasterKey } from '../../platform/seal/index.ts';
import { actAs, EVERYONE, readAs } from '../access/index.ts';
import { summarySealContext } from '../exchanges/index.ts';
import { resealWallet } from '../service.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';
const DAY = 86_400;

onEachWallet('Sealing anew', (wallet) => {
  let keyInForce = wallet.masterKey;
  /** More than one batch. */
  const MANY = 205;

  const resealed = (...masterKeys: string[]) =>
    resealWallet({ config: wallet.config, dataDir: wallet.folder, seal: createSeal(masterKeys) });

  const reseal = async (...masterKeys: string[]) => (await resealed(...masterKeys)).count;

  const countOf = async (person: WalletUser): Promise<number> =>
    (await person.get('/api/v1/wallet/credentials?limit=200')).body.length;

  it('brings everything under the new master key, after which the former one is not needed', async () => {
    const person = await wallet.logIn('the owner');
    const active = await person.make('keys', { default: true });
    const revoked = await person.make('keys');
    await person.post(`${KEYS}/${revoked.id}/revoke`, {});
    const bound = { key_id: active.id, binding: 'jwk' };
    await storeCredentials(
      person,
      Array.from({ length: MANY }, () => credentialRow(person, bound)),
    );
    assert.equal(await countOf(person), 200);
    await wallet.service.stop(1000);

    const next = newMasterKey();
    keyInForce = next;
    try {
      // The key of the node and the active one, the credentials with two copies each, and a session. A revoked key has nothing to seal.
      assert.equal(await reseal(next, wallet.masterKey), 2 + 3 * MANY + 1);
      assert.equal(await reseal(next, wallet.masterKey), 0, 'there is nothing left to do');
      await assert.rejects(reseal(newMasterKey()), /master key/, 'without the key in force nothing is touched');
    } finally {
      // Also after a failure: what comes after the tests stops a service that runs.
      await wallet.open([next]);
    }
    assertProblem(await person.get(KEYS), 401, 'not-authenticated');
    const again = await wallet.logIn('the owner');
    assert.equal(await countOf(again), 200);
    const signature = await wallet.service.keys.sign(ownerOfPerson(again), active.id, Buffer.from('text'));
    assert.equal(signature.length, 64);
    assert.equal((await wallet.get('/readyz')).body.checks.wallet.status, 'ok');
  });

  it('includes the summaries of exchanges', async () => {
    const person = await wallet.logIn('somebody with a history');
    const owner = ownerOfPerson(person);
    const id = `ex_${newUlid(wallet.clock.now())}`;
    const now = wallet.clock.now();
    const [former, next] = [keyInForce, newMasterKey()];
    const summary = createSeal([former]).seal(Buffer.from('{"name":"The issuer"}'), summarySealContext({ owner, id }));
    const db = await wallet.database();
    await db.write(async (tx) => {
      await actAs(db, tx, owner);
      await tx
        .insertInto('exchanges')
        .values({
          ...{ id, owner, protocol: 'oid4vci', state: 'issued', steps: '[]', summary, sealed: null },
          ...{ claimed_until: 0, claimed_by: '', created_at: now, updated_at: now, expires_at: now + DAY * 1000 },
        })
        .execute();
    });
    await db.close();
    await wallet.service.stop(1000);
    keyInForce = next;
    try {
      assert.ok((await reseal(next, former)) > 0);
    } finally {
      await wallet.open([next]);
    }
    const again = await wallet.logIn('somebody with a history');
    assert.deepEqual((await again.get(`/api/v1/wallet/exchanges/${id}`)).body.summary, { name: 'The issuer' });
  });

  it('goes on past a damaged row and names it; without a key it was sealed under, it stops', async () => {
    const person = await wallet.logIn('the owner of something damaged');
    const [broken, lost] = [await person.make('keys'), await storeCredential(person)];
    const db = await wallet.database();
    await db.write(async (tx) => {
      await actAs(db, tx, EVERYONE);
      const { wrapped_key: wrapped } = await tx
        .selectFrom('keys')
        .where('id', '=', broken.id)
        .select('wrapped_key')
        .executeTakeFirstOrThrow();
      const cut = `${wrapped!.slice(0, -8)}AAAAAAAA`;
      await tx.updateTable('keys').set({ wrapped_key: cut }).where('id', '=', broken.id).execute();
      await tx.updateTable('credentials').set({ sealed: 'damaged' }).where('id', '=', lost).execute();
    });
    await db.close();
    await wallet.service.stop(1000);
    const [former, next] = [keyInForce, newMasterKey()];
    try {
      await assert.rejects(resealed(next), /master key/);
      const { count, damaged } = await resealed(next, former, wallet.masterKey);
      assert.ok(count > 0, 'the others are sealed anew');
      assert.deepEqual([...damaged].sort(), [`credentials ${lost}`, `keys ${broken.id}`]);
    } finally {
      await wallet.open([next]);
    }
    assert.equal((await wallet.get('/readyz')).body.checks.wallet.status, 'ok');
  });
});

async function rowsOf(wallet: TestWallet, table: 'sessions'): Promise<number> {
  // What the service read in this turn ends with it; closing would wait for it.
  await new Promise((resolve) => setImmediate(resolve));
  const db = await wallet.database();
  const rows = await readAs(db, EVERYONE, (reader) => reader.selectFrom(table).selectAll().execute());
  await db.close();
  return rows.length;
}

onEachWallet('Sweeping', (wallet) => {
  it('forgets sessions that ended', async () => {
    await wallet.logIn();
    await wallet.logIn();
    assert.equal((await wallet.service.sweep()).expired, 0);
    assert.equal(await rowsOf(wallet, 'sessions'), 2);
    wallet.clock.advance(DAY);
    const kept = await wallet.logIn();
    assert.ok((await wallet.service.sweep()).expired! >= 2);
    assert.equal(await rowsOf(wallet, 'sessions'), 1);
    assert.equal((await kept.get(KEYS)).status, 200);
  });

  it('forgets repeated requests after a day: their key can be used for another', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const person = await wallet.logIn('somebody');
    await person.post(DIDS, { alias: 'one' }, { headers });
    assertProblem(await person.post(DIDS, { alias: 'two' }, { headers }), 409, 'idempotency-key-reused');
    assert.equal((await wallet.service.sweep()).expired, 0);
    wallet.clock.advance(DAY + 1);
    assert.ok((await wallet.service.sweep()).expired! >= 1);
    const later = await wallet.logIn('somebody');
    assert.equal((await later.post(DIDS, { alias: 'two' }, { headers })).status, 201);
    assert.equal((await later.get(DIDS)).body.length, 2);
  });
});
