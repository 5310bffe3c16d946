// Whose rows a query may see. Every statement names the owner; on PostgreSQL the database insists on it as well, so that one
// that forgot finds nothing (row-level security). SQLite has no such thing.
import { sql } from 'kysely';
import { ConfigError } from '../../platform/config/index.ts';
import { takeAdvisoryLock } from '../../platform/database/index.ts';
import type { Database, Reader, Tx } from '../database.ts';

/** The node itself: its own key and DID belong to it. */
export const NODE = 'node';

/** Jobs that go over everybody's rows: sweeping, counting, sealing anew. */
export const EVERYONE = '*';

const OWNER = `current_setting('gatehouse.owner', true)`;
const BY_OWNER = `owner = ${OWNER} or ${OWNER} = '${EVERYONE}'`;

interface RowPolicy {
  readonly name: string;
  readonly command: 'ALL' | 'SELECT';
  readonly using: string;
}

const ownerPolicy = (using: string): RowPolicy => ({ name: 'owners', command: 'ALL', using });

/** Every table that names an owner, and who may see its rows. */
const POLICIES: Readonly<Record<string, readonly RowPolicy[]>> = {
  keys: [ownerPolicy(BY_OWNER)],
  spent_kids: [ownerPolicy(BY_OWNER)],
  dids: [ownerPolicy(BY_OWNER)],
  did_keys: [ownerPolicy(BY_OWNER)],
  credentials: [ownerPolicy(BY_OWNER)],
  credential_instances: [ownerPolicy(BY_OWNER)],
  exchanges: [ownerPolicy(BY_OWNER)],
  idempotent_requests: [ownerPolicy(BY_OWNER)],
  // Whether a name is taken concerns everybody; taking it in somebody's name does not.
  did_names: [ownerPolicy(BY_OWNER), { name: 'readers', command: 'SELECT', using: 'true' }],
  // Sessions tell who is asking: one that is looked for is named by the hash of its id before its owner is known.
  sessions: [ownerPolicy(`${BY_OWNER} or id_hash = current_setting('gatehouse.session', true)`)],
};

const setOwner = (reader: Reader, owner: string) => sql`select set_config('gatehouse.owner', ${owner}, true)`.execute(reader);

/** Within a transaction: from here on it sees the rows of this owner only. */
export async function actAs({ dialect }: Pick<Database, 'dialect'>, tx: Tx, owner: string): Promise<void> {
  if (dialect === 'postgres') await setOwner(tx, owner);
}

export async function readAs<T>(db: Database, owner: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (db.dialect === 'sqlite') return work(db.read);
  return db.read.transaction().execute(async (tx) => {
    await setOwner(tx, owner);
    return work(tx);
  });
}

const setSession = (reader: Reader, idHash: string) =>
  sql`select set_config('gatehouse.session', ${idHash}, true)`.execute(reader);

/** Within a transaction: it sees this session as well. */
export async function actForSession({ dialect }: Pick<Database, 'dialect'>, tx: Tx, idHash: string): Promise<void> {
  if (dialect === 'postgres') await setSession(tx, idHash);
}

export async function readForSession<T>(db: Database, idHash: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  if (db.dialect === 'sqlite') return work(db.read);
  return db.read.transaction().execute(async (tx) => {
    await setSession(tx, idHash);
    return work(tx);
  });
}

interface TableSecurity {
  readonly table: string;
  readonly forced: boolean;
  /** It has, or had, row-level security: who only switches it off leaves a trace. */
  readonly marked: boolean;
  /** Its policies that hold for us, as the database writes them. */
  readonly policies: readonly string[];
}

/** As the database repeats what a policy says. Another spelling costs a policy that is made anew, and nothing else. */
const canonicalExpression = (using: string): string =>
  using === 'true'
    ? using
    : `(${using
        .split(' or ')
        .map((part) => `(${part})`)
        .join(' OR ')
        .replace(/'([^']*)'/g, "'$1'::text")})`;

const policyText = ({ name, command, using }: RowPolicy): string =>
  JSON.stringify([name, 'PERMISSIVE', '{public}', command, canonicalExpression(using), null]);

async function readTableSecurity(reader: Reader): Promise<readonly TableSecurity[]> {
  const { rows: tables } = await sql<{ table: string; forced: boolean; marked: boolean }>`
    select relname as table, relrowsecurity and relforcerowsecurity as forced,
      relrowsecurity or relforcerowsecurity as marked from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
  `.execute(reader);
  const { rows: policies } = await sql<Record<string, string | null>>`
    select tablename, policyname, permissive, roles::text as roles, cmd, qual, with_check from pg_policies
    where schemaname = current_schema() and exists (
      select 1 from unnest(roles) as held (role)
      where case when role = 'public' then true else pg_has_role(role, 'member') end
    )
    order by policyname
  `.execute(reader);
  return tables.map((found) => ({
    ...found,
    policies: policies
      .filter(({ tablename }) => tablename === found.table)
      .map((one) => JSON.stringify([one.policyname, one.permissive, one.roles, one.cmd, one.qual, one.with_check])),
  }));
}

const isIntact = ({ table, forced, policies }: TableSecurity): boolean => {
  const expected = POLICIES[table];
  return !expected || (forced && JSON.stringify(policies) === JSON.stringify(expected.map(policyText)));
};

/** Puts the wall of one table up as it is to be, whatever was there. */
async function restorePolicies(tx: Tx, { table, policies }: TableSecurity): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(tx);
  // The owner of a table is exempt unless it is forced.
  await sql`alter table ${name} force row level security`.execute(tx);
  for (const policy of policies) await sql`drop policy ${sql.ref(JSON.parse(policy)[0])} on ${name}`.execute(tx);
  for (const { name: policy, command, using } of POLICIES[table]!)
    await sql`create policy ${sql.ref(policy)} on ${name} for ${sql.raw(command)} using (${sql.raw(using)})`.execute(tx);
}

const INSUFFICIENT_PRIVILEGE = '42501';

export interface RowSecurityReport {
  /** False when the wall does not hold for us: a superuser walks through it. */
  readonly isEnforced: boolean;
  /** Tables whose wall somebody had taken down or changed. */
  readonly restored: readonly string[];
}

/** Puts the second wall up where it is missing, switched off, or not as it was. */
export async function ensureRowSecurity(db: Database): Promise<RowSecurityReport> {
  if (db.dialect === 'sqlite') return { isEnforced: true, restored: [] };
  let restored: readonly string[] = [];
  if (!(await readTableSecurity(db.read)).every(isIntact))
    restored = await db.write(async (tx) => {
      await takeAdvisoryLock(db, tx, 'row-level security');
      const before = await readTableSecurity(tx);
      const broken = before.filter((found) => !isIntact(found));
      for (const found of broken)
        await restorePolicies(tx, found).catch((error: { code?: string }) => {
          if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
          throw new ConfigError(
            `GATEHOUSE_WALLET_DATABASE_URL: row-level security of the table ${found.table} is switched off or changed, and this role may not mend it; start it once as the owner of the table`,
          );
        });
      const after = new Map((await readTableSecurity(tx)).map((found) => [found.table, JSON.stringify(found)]));
      // Where there was none at all, this is the first start that puts it up.
      const changed = broken.filter(({ marked, policies }) => marked || policies.length > 0);
      return changed.filter((found) => after.get(found.table) !== JSON.stringify(found)).map(({ table }) => table);
    });
  const { rows } = await sql<{ exempt: boolean }>`
    select rolsuper or rolbypassrls as exempt from pg_roles where rolname = current_user
  `.execute(db.read);
  return { isEnforced: rows[0]?.exempt !== true, restored };
}
