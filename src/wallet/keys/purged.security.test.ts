// A key that was revoked or purged is gone from the files of the embedded database, not only from its tables.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { onWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { ownerOfPerson } from '../../../test/support/wallet-credentials.ts';
import { findKey } from './keys.store.ts';

const KEYS = '/api/v1/wallet/keys';

onWallet('SQLite', 'The files of the database', {}, (wallet) => {
  const files = (): Buffer =>
    Buffer.concat(
      readdirSync(wallet.folder)
        .filter((name) => name.startsWith('wallet.sqlite'))
        .map((name) => readFileSync(join(wallet.folder, name))),
    );

  /** As it stands in the row: the data key, and the private key under it. */
  async function sealedOf(person: WalletUser, id: string): Promise<string[]> {
    const db = await wallet.database();
    try {
      const row = await findKey(db.read, ownerOfPerson(person), id);
      return [row!.wrapped_key!, row!.material!];
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      await db.close();
    }
  }

  it('hold nothing of a key that was purged or revoked, neither in the tables nor in the log', async () => {
    const person = await wallet.logIn();
    const [purged, revoked, kept] = [await person.make('keys'), await person.make('keys'), await person.make('keys')];
    const sealed = [...(await sealedOf(person, purged.id)), ...(await sealedOf(person, revoked.id))];
    const others = await sealedOf(person, kept.id);
    for (const text of [...sealed, ...others]) assert.ok(files().includes(text), 'this test can fail');
    assert.equal((await person.delete(`${KEYS}/${purged.id}`)).status, 204);
    assert.equal((await person.post(`${KEYS}/${revoked.id}/revoke`, {})).status, 200);
    for (const text of sealed) assert.ok(!files().includes(text), 'it is still there');
    for (const text of others) assert.ok(files().includes(text));
  });
});
