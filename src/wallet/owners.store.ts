// Whose rows a query may see. Every statement names the owner; on PostgreSQL the database insists on it as well, so that one
// that forgot finds nothing (row-level security). SQLite has no such thing.
import { sql } from 'kysely';
import { oneAtATime } from '../platform/database/index.ts';
import type { Database, Reader, Tx } from './database.ts';

/** The node itself: its own key and DID belong to it. */
export const NODE = 'node';

/** Jobs that go over everybody's rows: sweeping, counting, sealing anew. */
export const EVERYONE = '*';

/** Tables whose rows belong to somebody. Sessions are not among them: they are what tells who is asking. */
const OWNED = [
  'keys',
  'spent_kids',
  'dids',
  'did_keys',
  'credentials',
  'credential_instances',
  'exchanges',
  'idempotent_requests',
] as const;

const become = (reader: Reader, owner: string) => sql`select set_config('gatehouse.owner', ${owner}, true)`.execute(reader);

/** Within a transaction: from here on it sees the rows of this owner only. */
export async function actAs({ dialect }: Pick<Database, 'dialect'>, tx: Tx, owner: string): Promise<void> {
  if (dialect === 'postgres') await become(tx, owner);
}

export async function readAs<T>(db: Database, owner: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (db.dialect === 'sqlite') return work(db.read);
  return db.read.transaction().execute(async (tx) => {
    await become(tx, owner);
    return work(tx);
  });
}

/** Puts the second wall up where it is missing. False when it does not hold for us: a superuser walks through it. */
export async function guardOwners(db: Database): Promise<boolean> {
  if (db.dialect === 'sqlite') return true;
  await db.write(async (tx) => {
    await oneAtATime(db, tx, 'row-level security');
    for (const table of OWNED) {
      const { rows } = await sql`select 1 from pg_policies where schemaname = current_schema() and tablename = ${table}`.execute(
        tx,
      );
      if (rows.length > 0) continue;
      const name = sql.table(table);
      const allowed = sql.raw(
        `owner = current_setting('gatehouse.owner', true) or current_setting('gatehouse.owner', true) = '${EVERYONE}'`,
      );
      await sql`alter table ${name} enable row level security`.execute(tx);
      // The owner of a table is exempt unless it is forced.
      await sql`alter table ${name} force row level security`.execute(tx);
      await sql`create policy owners on ${name} using (${allowed})`.execute(tx);
    }
  });
  const { rows } = await sql<{ exempt: boolean }>`
    select rolsuper or rolbypassrls as exempt from pg_roles where rolname = current_user
  `.execute(db.read);
  return rows[0]?.exempt !== true;
}
