// The second wall around an owner's rows: row-level security, on a real PostgreSQL, as the role the service connects as.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { sharedPostgres } from '../../test/support/postgres.ts';
import { onEachWallet, onWallet, type Person, type TestWallet } from '../../test/support/wallet.ts';
import { holdCredential, ownerOfPerson } from '../../test/support/wallet-credentials.ts';
import type { Database, Reader } from './database.ts';
import { actAs, EVERYONE, guardOwners, NODE, readAs } from './owners.store.ts';
import { openWalletDatabase } from './service.ts';

/** Tables that name an owner and are everybody's: sessions tell who asks, names are taken from all. */
const OPEN = ['did_names', 'sessions'];

async function withDatabase<T>(wallet: TestWallet, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await wallet.database();
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** From the database, so that a table made later is looked at as well. */
async function ownedTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = current_schema() and column_name = 'owner' order by table_name
  `.execute(db.read);
  return rows.map((row) => row.table_name).filter((name) => !OPEN.includes(name));
}

const ownersIn = async (reader: Reader, table: string): Promise<string[]> => {
  const { rows } = await sql<{ owner: string }>`select distinct owner from ${sql.table(table)}`.execute(reader);
  return rows.map(({ owner }) => owner).sort();
};

/** Has a row in every table; one that is made later is to be filled here, too. */
async function fill(person: Person): Promise<string> {
  const owner = ownerOfPerson(person);
  const spent = await person.make('keys');
  await person.delete(`/api/v1/wallet/keys/${spent.id}`);
  await person.post('/api/v1/wallet/dids', {}, { headers: { 'Idempotency-Key': 'once' } });
  const credential = await holdCredential(person);
  await withDatabase(person.wallet, (db) =>
    db.write(async (tx) => {
      await actAs(db, tx, owner);
      const instance = { id: `inst ${owner}`, credential_id: credential, owner, key_id: null, sealed: '' };
      await tx.insertInto('credential_instances').values(instance).execute();
      const times = { poll_at: null, claimed_until: 0, claimed_by: '', created_at: 0, updated_at: 0, expires_at: 0 };
      const said = {
        protocol: 'oid4vci',
        state: 'begun',
        peer: null,
        outcome: null,
        request_hash: null,
        steps: '[]',
        sealed: null,
      };
      await tx
        .insertInto('exchanges')
        .values({ id: `ex ${owner}`, owner, ...said, ...times })
        .execute();
    }),
  );
  return owner;
}

onWallet('PostgreSQL', 'Row-level security', {}, (wallet) => {
  it('shows nothing of any owner to a query that did not say whose rows it wants', async () => {
    const owner = await fill(await wallet.logIn());
    await withDatabase(wallet, async (db) => {
      const tables = await ownedTables(db);
      assert.ok(tables.length >= 8, `${tables}`);
      for (const table of tables) {
        assert.deepEqual(await ownersIn(db.read, table), [], table);
        assert.ok((await readAs(db, owner, (reader) => ownersIn(reader, table))).includes(owner), table);
        assert.deepEqual(await ownersIn(db.read, table), [], `${table}: whoever it was before`);
      }
    });
  });

  it('shows an owner their own rows, although the query names nobody', async () => {
    const [one, two] = [await fill(await wallet.logIn()), await fill(await wallet.logIn())];
    await withDatabase(wallet, async (db) => {
      for (const table of await ownedTables(db)) {
        for (const owner of [one, two]) {
          assert.deepEqual(await readAs(db, owner, (reader) => ownersIn(reader, table)), [owner], table);
          const written = await db.write(async (tx) => {
            await actAs(db, tx, owner);
            return ownersIn(tx, table);
          });
          assert.deepEqual(written, [owner], table);
        }
        assert.deepEqual(await readAs(db, 'nobody', (reader) => ownersIn(reader, table)), [], table);
      }
    });
  });

  it('shows jobs that go over everything all rows', async () => {
    const [one, two] = [await fill(await wallet.logIn()), await fill(await wallet.logIn())];
    await withDatabase(wallet, async (db) => {
      for (const table of await ownedTables(db)) {
        const seen = await readAs(db, EVERYONE, (reader) => ownersIn(reader, table));
        assert.ok(seen.includes(one) && seen.includes(two), table);
      }
      assert.ok((await readAs(db, EVERYONE, (reader) => ownersIn(reader, 'keys'))).includes(NODE));
    });
  });

  it('refuses rows for somebody else, made or given', async () => {
    const [one, two] = [await fill(await wallet.logIn()), await fill(await wallet.logIn())];
    await withDatabase(wallet, async (db) => {
      for (const table of await ownedTables(db)) {
        const name = sql.table(table);
        const { rows } = await readAs(db, one, (reader) =>
          sql<Record<string, unknown>>`select * from ${name} limit 1`.execute(reader),
        );
        const row = rows[0]!;
        const columns = Object.keys(row);
        const copy = columns.map((column) => (column === 'owner' ? two : row[column]));
        const as = (owner: string | undefined, work: (tx: Reader) => Promise<unknown>) =>
          db.write(async (tx) => {
            if (owner !== undefined) await actAs(db, tx, owner);
            return work(tx);
          });
        const insert = (tx: Reader) =>
          sql`insert into ${name} (${sql.join(columns.map((column) => sql.ref(column)))}) values (${sql.join(copy)})`.execute(tx);
        for (const owner of [one, undefined]) await assert.rejects(as(owner, insert), /row-level security/, table);
        await assert.rejects(
          as(one, (tx) => sql`update ${name} set owner = ${two}`.execute(tx)),
          /row-level security/,
          table,
        );
        // Others' rows are not there for changes, either.
        await as('nobody', (tx) => sql`update ${name} set owner = owner`.execute(tx));
        await as('nobody', (tx) => sql`delete from ${name}`.execute(tx));
        assert.deepEqual(await readAs(db, one, (reader) => ownersIn(reader, table)), [one], table);
      }
    });
  });

  it('is put up once, and does not stand in the way of a second start', async () => {
    const owner = await fill(await wallet.logIn());
    await withDatabase(wallet, async (db) => {
      const policies = async () => {
        const { rows } = await sql`select tablename, policyname, qual from pg_policies order by 1, 2`.execute(db.read);
        return rows;
      };
      const before = await policies();
      assert.equal(before.length, (await ownedTables(db)).length);
      assert.deepEqual(await Promise.all([guardOwners(db), guardOwners(db)]), [true, true]);
      assert.deepEqual(await policies(), before);
      assert.deepEqual(await readAs(db, owner, (reader) => ownersIn(reader, 'keys')), [owner]);
    });
  });

  it('ends with its transaction: a connection that is used again is nobody', async () => {
    const owner = await fill(await wallet.logIn());
    await withDatabase(wallet, async (db) => {
      for (let turn = 0; turn < 20; turn++) {
        const both = await Promise.all([readAs(db, owner, (reader) => ownersIn(reader, 'dids')), ownersIn(db.read, 'dids')]);
        assert.deepEqual(both, [[owner], []]);
      }
    });
  });

  it('says so where it does not hold: for a superuser', async () => {
    const { createDatabase } = await sharedPostgres();
    const db = await openWalletDatabase({ ...wallet.config, databaseUrl: await createDatabase() }, wallet.folder);
    try {
      assert.equal(await guardOwners(db), false);
      assert.equal(await guardOwners(db), false);
    } finally {
      await db.close();
    }
    assert.ok(!wallet.logged.some((line) => line.includes('superuser')), 'nothing to say to a role of its own');
  });
});

onEachWallet('Owners', (wallet) => {
  it('reads and writes on either database as whom it says', async () => {
    const owner = await fill(await wallet.logIn());
    await withDatabase(wallet, async (db) => {
      assert.equal(await guardOwners(db), true);
      const mine = (reader: Reader) => reader.selectFrom('dids').where('owner', '=', owner).select('owner').execute();
      assert.deepEqual(await readAs(db, owner, mine), [{ owner }]);
      const written = await db.write(async (tx) => {
        await actAs(db, tx, owner);
        return mine(tx);
      });
      assert.deepEqual(written, [{ owner }]);
    });
  });
});
