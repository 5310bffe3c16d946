// Direct access to the wallet node's data, for tests that check it or tamper with it.
import { newUlid } from '../../src/platform/ids.ts';
import { actAs, EVERYONE } from '../../src/wallet/access/owners.store.ts';
import type { KeyRow, Tx } from '../../src/wallet/ground/database.ts';
import type { TestWallet } from './wallet.ts';

/** Runs work in a transaction that sees the rows of all owners. */
export async function inDatabase<T>(wallet: TestWallet, work: (tx: Tx) => Promise<T>): Promise<T> {
  const db = await wallet.database();
  try {
    return await db.write(async (tx) => {
      await actAs(db, tx, EVERYONE);
      return work(tx);
    });
  } finally {
    await db.close();
  }
}

export async function keyRow(wallet: TestWallet, id: string): Promise<KeyRow> {
  const row = await inDatabase(wallet, (tx) => tx.selectFrom('keys').where('id', '=', id).selectAll().executeTakeFirst());
  if (!row) throw new Error(`no key ${id} in the database`);
  return row;
}

/** Stores an empty credential bound to a key, or to a DID with that key. Returns its id. */
export async function bindCredential(
  wallet: TestWallet,
  keyId: string,
  more: { format?: string; binding?: string; did_id?: string } = {},
): Promise<string> {
  const { owner } = await keyRow(wallet, keyId);
  const id = `cred_${newUlid(wallet.clock.now())}`;
  const times = { status_checked_at: null, valid_from: null, valid_until: null, issued_at: null, added_at: wallet.clock.now() };
  const about = { format: 'dc+sd-jwt', type: 'test', issuer: 'https://issuer.example', status: 'valid', binding: 'jwk' };
  await inDatabase(wallet, async (tx) => {
    await tx
      .insertInto('credentials')
      .values({ id, owner, key_id: keyId, did_id: null, sealed: 'nothing', ...about, ...times, ...more })
      .execute();
    const copy = { id: `${id}.000`, credential_id: id, owner, key_id: keyId, sealed: 'nothing' };
    await tx.insertInto('credential_instances').values(copy).execute();
  });
  return id;
}
