// Row-level security on a real PostgreSQL, with the role of the service.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { onEachWallet, onWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { ownerOfPerson, storeCredential } from '../../../test/support/wallet-credentials.ts';
import { secretsOf } from '../../../test/support/wallet-session.ts';
import type { Database, Reader } from '../ground/database.ts';
import { openWalletDatabase } from '../service.ts';
import { actAs, actForSession, EVERYONE, ensureRowSecurity, NODE, readAs, readForSession } from './owners.store.ts';

/** Tables that name an owner and that everybody reads: whether a name is taken concerns all. */
const READ_BY_ALL = ['did_names'];

async function withDatabase<T>(wallet: TestWallet, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await wallet.database();
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** From the database, so that a table made later is looked at as well. */
async function guardedTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = current_schema() and column_name = 'owner' order by table_name
  `.execute(db.read);
  return rows.map((row) => row.table_name);
}

const ownedTables = async (db: Database): Promise<string[]> =>
  (await guardedTables(db)).filter((name) => !READ_BY_ALL.includes(name));

const ownersIn = async (reader: Reader, table: string): Promise<string[]> => {
  const { rows } = await sql<{ owner: string }>`select distinct owner from ${sql.table(table)}`.execute(reader);
  return rows.map(({ owner }) => owner).sort();
};

interface Wall {
  readonly tables: readonly { readonly relname: string }[];
  readonly policies: readonly Readonly<Record<string, unknown>>[];
}

/** Tables with forced row-level security, and the policies there are. */
async function wallOf(db: Database): Promise<Wall> {
  const { rows: tables } = await sql<{ relname: string }>`
    select relname from pg_class where relrowsecurity and relforcerowsecurity order by relname
  `.execute(db.read);
  const { rows: policies } = await sql<Record<string, unknown>>`
    select oid, polrelid::regclass::text as table, polname, polcmd, polpermissive, polroles::text as roles,
      pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as with_check
    from pg_policy order by 2, 3
  `.execute(db.read);
  return { tables, policies };
}

/** The sweeper must not remove the row meanwhile. */
const FAR_AHEAD = Number.MAX_SAFE_INTEGER;

/** Has a row in every table; one that is made later is to be filled here, too. */
async function fill(person: WalletUser): Promise<string> {
  const owner = ownerOfPerson(person);
  const spent = await person.make('keys');
  await person.delete(`/api/v1/wallet/keys/${spent.id}`);
  await person.make('dids', { method: 'web', path: person.name });
  await person.post('/api/v1/wallet/dids', {}, { headers: { 'Idempotency-Key': 'once' } });
  const credential = await storeCredential(person);
  await withDatabase(person.wallet, (db) =>
    db.write(async (tx) => {
      await actAs(db, tx, owner);
      const instance = { id: `inst ${owner}`, credential_id: credential, owner, key_id: null, sealed: '' };
      await tx.insertInto('credential_instances').values(instance).execute();
      const times = { poll_at: null, claimed_until: 0, claimed_by: '', created_at: 0, updated_at: 0, expires_at: FAR_AHEAD };
      const said = {
        protocol: 'oid4vci',
        state: 'offered' as const,
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
      for (const table of await guardedTables(db)) {
        const name = sql.table(table);
        const { rows } = await readAs(db, one, (reader) =>
          sql<Record<string, unknown>>`select * from ${name} where owner = ${one} limit 1`.execute(reader),
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
        assert.ok((await readAs(db, one, (reader) => ownersIn(reader, table))).includes(one), table);
      }
    });
  });

  it('shows a session to whoever knows the hash of its id, and no other one', async () => {
    const [one, two] = [await wallet.logIn(), await wallet.logIn()];
    const { idHash } = await secretsOf(wallet, one.cookie);
    await withDatabase(wallet, async (db) => {
      const seen = await readForSession(db, idHash, (reader) => ownersIn(reader, 'sessions'));
      assert.deepEqual(seen, [ownerOfPerson(one)]);
      assert.deepEqual(await readForSession(db, idHash, (reader) => ownersIn(reader, 'keys')), []);
      await db.write(async (tx) => {
        await actForSession(db, tx, idHash);
        await tx.deleteFrom('sessions').execute();
      });
    });
    assert.equal((await two.get('/api/v1/auth/userinfo')).status, 200);
  });

  it('is set up once, and a second start changes nothing', async () => {
    const owner = await fill(await wallet.logIn());
    await withDatabase(wallet, async (db) => {
      const before = await wallOf(db);
      assert.deepEqual(
        before.tables.map(({ relname }) => relname),
        await guardedTables(db),
        'every table that names an owner is forced',
      );
      for (const guard of await Promise.all([ensureRowSecurity(db), ensureRowSecurity(db)]))
        assert.deepEqual(guard, { isEnforced: true, restored: [] });
      assert.deepEqual(await wallOf(db), before, 'the very same policies');
      assert.deepEqual(await readAs(db, owner, (reader) => ownersIn(reader, 'keys')), [owner]);
    });
    assert.ok(!wallet.logged.some((line) => line.includes('switched off')), 'nothing to say about a first start');
  });

  for (const [what, statements] of [
    ['switched off', ['alter table keys disable row level security']],
    ['no longer forced', ['alter table sessions no force row level security']],
    ['without its policy', ['drop policy owners on exchanges']],
    ['with a policy that lets everybody in', ['create policy extra on credentials using (true)']],
    ['with a policy for the role of the service', ['create policy extra on credentials to current_user using (true)']],
    ['with another condition', ['alter policy owners on dids using (true)']],
    ['with another condition for writing', ['alter policy owners on dids using (true) with check (true)']],
    ['with a policy for reading only', ['drop policy owners on dids', 'create policy owners on dids for select using (true)']],
    ['gone altogether', ['drop policy owners on keys', 'alter table keys disable row level security']],
  ] as const)
    it(`is restored by the next start when somebody left it ${what}`, async () => {
      const owner = await fill(await wallet.logIn());
      await wallet.service.stop(1000);
      const [before, after] = await withDatabase(wallet, async (db) => {
        const whole = await wallOf(db);
        for (const statement of statements) await sql.raw(statement).execute(db.read);
        assert.notDeepEqual(await wallOf(db), whole, 'this test can fail');
        await wallet.open();
        return [whole, await wallOf(db)] as const;
      });
      const named = ({ policies, tables }: Wall) => ({ tables, policies: policies.map(({ oid: _, ...policy }) => policy) });
      assert.deepEqual(named(after), named(before));
      assert.match(wallet.logged.findLast((line) => line.includes('row-level')) ?? '', /switched off or changed/);
      await withDatabase(wallet, async (db) => {
        for (const table of await ownedTables(db)) {
          assert.deepEqual(await ownersIn(db.read, table), [], table);
          assert.deepEqual(await readAs(db, owner, (reader) => ownersIn(reader, table)), [owner], table);
        }
      });
    });

  it('is set up for a table that never had it, after a running dump, without a warning', async () => {
    await wallet.service.stop(1000);
    await withDatabase(wallet, async (db) => {
      const whole = await wallOf(db);
      for (const statement of ['drop policy owners on sessions', 'alter table sessions disable row level security'])
        await sql.raw(statement).execute(db.read);
      await sql`alter table sessions no force row level security`.execute(db.read);
      const said = wallet.logged.length;
      const dump = new pg.Client({ connectionString: wallet.databaseUrl! });
      await dump.connect();
      await dump.query('begin; lock table sessions in access share mode');
      const opened = wallet.open();
      opened.catch(() => undefined);
      const waits = `select 1 from pg_locks where not granted and relation = 'sessions'::regclass`;
      while ((await dump.query(waits)).rowCount === 0) await sleep(50);
      // Longer than a request would wait for a lock.
      await sleep(2500);
      await dump.end();
      await opened;
      assert.deepEqual((await wallOf(db)).tables, whole.tables);
      assert.ok(!wallet.logged.slice(said).some((line) => line.includes('switched off')));
    });
  });

  it('leaves a policy alone that somebody made for another role', async () => {
    await withDatabase(wallet, async (db) => {
      await sql`create policy reports on credentials for select to pg_monitor using (true)`.execute(db.read);
      const before = await wallOf(db);
      assert.deepEqual((await ensureRowSecurity(db)).restored, []);
      assert.deepEqual(await wallOf(db), before);
      await sql`drop policy reports on credentials`.execute(db.read);
    });
  });

  it('stops the start if it cannot be restored', async () => {
    const url = new URL(wallet.databaseUrl!);
    const admin = new URL((await sharedPostgres()).url);
    admin.pathname = url.pathname;
    const asSuperuser = new pg.Client({ connectionString: admin.href });
    await asSuperuser.connect();
    const other = `${url.username}_other`;
    try {
      await asSuperuser.query(`create role "${other}" login password 'other'`);
      await asSuperuser.query(`grant usage on schema public to "${other}"`);
      await asSuperuser.query(`grant select, insert, update, delete on all tables in schema public to "${other}"`);
      const open = async () => {
        const as = new URL(url);
        as.username = other;
        as.password = 'other';
        const db = await openWalletDatabase({ ...wallet.config, databaseUrl: as.href }, wallet.folder);
        return ensureRowSecurity(db).finally(() => db.close());
      };
      assert.deepEqual(await open(), { isEnforced: true, restored: [] }, 'nothing is to be mended, so nothing is tried');
      await asSuperuser.query('alter table keys no force row level security');
      await assert.rejects(open(), /GATEHOUSE_WALLET_DATABASE_URL: row-level security of the table keys .* may not mend it/);
      await asSuperuser.query('alter table keys force row level security');
    } finally {
      await asSuperuser.end();
    }
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
      for (let start = 0; start < 2; start++) assert.deepEqual(await ensureRowSecurity(db), { isEnforced: false, restored: [] });
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
      assert.deepEqual(await ensureRowSecurity(db), { isEnforced: true, restored: [] });
      const mine = (reader: Reader) => reader.selectFrom('dids').where('owner', '=', owner).select('owner').distinct().execute();
      assert.deepEqual(await readAs(db, owner, mine), [{ owner }]);
      const written = await db.write(async (tx) => {
        await actAs(db, tx, owner);
        return mine(tx);
      });
      assert.deepEqual(written, [{ owner }]);
    });
  });
});
