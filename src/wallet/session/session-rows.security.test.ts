// Write access to the database without the master key does not allow taking over another identity.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { ownerOfPerson } from '../../../test/support/wallet-credentials.ts';
import { secretsOf } from '../../../test/support/wallet-session.ts';
import { actAs, EVERYONE, readForSession } from '../access/index.ts';
import type { SessionRow } from '../ground/database.ts';

const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';
const HOUR = 3600 * 1000;

/** Changes the database directly, and restarts the service to clear its caches. */
async function tamper(wallet: TestWallet, person: WalletUser, change: (row: SessionRow) => Partial<SessionRow>): Promise<void> {
  const { idHash } = await secretsOf(wallet, person.cookie);
  await wallet.service.stop(1000);
  const db = await wallet.database();
  try {
    const row = await readForSession(db, idHash, (reader) =>
      reader.selectFrom('sessions').where('id_hash', '=', idHash).selectAll().executeTakeFirstOrThrow(),
    );
    await db.write(async (tx) => {
      await actAs(db, tx, EVERYONE);
      await tx.updateTable('sessions').set(change(row)).where('id_hash', '=', idHash).execute();
    });
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    await db.close();
    await wallet.open();
  }
}

onEachWallet('A session row somebody wrote to', (wallet) => {
  it('does not make its holder another owner', async () => {
    const victim = await wallet.logIn();
    const { id } = await victim.make('keys');
    const attacker = await wallet.logIn();
    await tamper(wallet, attacker, () => ({ owner: ownerOfPerson(victim) }));
    assert.equal((await attacker.get(`${KEYS}/${id}`)).status, 401);
    assert.equal((await attacker.get(USERINFO)).status, 401, 'the row is not what was written, so it is nobody’s');
    assert.equal((await attacker.delete(`${KEYS}/${id}`)).status, 401);
    assert.ok(wallet.logged.some((line) => line.includes('names another owner')));
    assert.equal((await victim.get(`${KEYS}/${id}`)).status, 200, 'the owner has it as before');
  });

  it('does not make its holder the node', async () => {
    const attacker = await wallet.logIn();
    await tamper(wallet, attacker, () => ({ owner: 'node' }));
    assert.equal((await attacker.get(KEYS)).status, 401);
  });

  it('does not open with the sealed content of another session', async () => {
    const [victim, attacker] = [await wallet.logIn(), await wallet.logIn()];
    let stolen = '';
    await tamper(wallet, victim, (row) => {
      stolen = row.sealed;
      return { used_at: row.used_at };
    });
    await tamper(wallet, attacker, () => ({ sealed: stolen, owner: ownerOfPerson(victim) }));
    const answer = await attacker.get(USERINFO);
    assert.deepEqual([answer.status, answer.body.code], [401, 'not-authenticated']);
    assert.equal((await victim.get(USERINFO)).status, 200);
  });

  it('that cannot be opened is a session that ended, not an error of the service', async () => {
    for (const sealed of ['', 'v1', 'v1.x.y', '{}']) {
      const person = await wallet.logIn();
      await tamper(wallet, person, () => ({ sealed }));
      assert.equal((await person.get(USERINFO)).status, 401, sealed);
      assert.equal((await wallet.get('/api/v1/auth/logout?response=json', { headers: { Cookie: person.cookie } })).status, 200);
    }
  });

  it('does not last longer than what was sealed when it began', async () => {
    const person = await wallet.logIn();
    await tamper(wallet, person, (row) => ({ ends_at: row.ends_at + 1000 * HOUR, used_at: row.used_at + 1000 * HOUR }));
    assert.equal((await person.get(USERINFO)).status, 200);
    wallet.clock.advance(13 * 3600);
    assert.equal((await person.get(USERINFO)).status, 401);
  });
});
