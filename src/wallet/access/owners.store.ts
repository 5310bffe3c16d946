// Which rows a query may see. Every statement filters by owner. On PostgreSQL row-level security enforces this as well, so a
// statement without the filter finds nothing. SQLite has no row-level security.
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../platform/config/index.ts';
import { type Dialect, takeAdvisoryLock } from '../../platform/database/index.ts';
import type { Database, Reader, Tx } from '../ground/database.ts';

/** The owner of the node's own key and DID. */
export const NODE = 'node';

/** Jobs that work on the rows of all owners: sweeping, counting, resealing. */
export const EVERYONE = '*';

const OWNER = `current_setting('gatehouse.owner', true)`;
const BY_OWNER = `owner = ${OWNER} or ${OWNER} = '${EVERYONE}'`;

interface RowPolicy {
  readonly name: string;
  readonly command: 'ALL' | 'SELECT';
  readonly using: string;
}

const ownerPolicy = (using: string): RowPolicy => ({ name: 'owners', command: 'ALL', using });

/** Every table with an owner column, and its row policies. */
const POLICIES: Readonly<Record<string, readonly RowPolicy[]>> = {
  keys: [ownerPolicy(BY_OWNER)],
  spent_kids: [ownerPolicy(BY_OWNER)],
  dids: [ownerPolicy(BY_OWNER)],
  did_keys: [ownerPolicy(BY_OWNER)],
  credentials: [ownerPolicy(BY_OWNER)],
  credential_instances: [ownerPolicy(BY_OWNER)],
  exchanges: [ownerPolicy(BY_OWNER)],
  idempotent_requests: [ownerPolicy(BY_OWNER)],
  // Everybody may check whether a name is taken, but an owner can only take names for themselves.
  did_names: [ownerPolicy(BY_OWNER), { name: 'readers', command: 'SELECT', using: 'true' }],
  // A session is looked up by the hash of its id, before its owner is known.
  sessions: [ownerPolicy(`${BY_OWNER} or id_hash = current_setting('gatehouse.session', true)`)],
};

const setOwner = (reader: Reader, owner: string) => sql`select set_config('gatehouse.owner', ${owner}, true)`.execute(reader);

/** From here on the transaction sees only the rows of this owner. */
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

/** For `gatehouse move-to-postgres`, which opens the database itself: the transaction sees and writes the rows of all owners. */
export async function actAsEveryone<S>(tx: Kysely<S>): Promise<void> {
  await sql`select set_config('gatehouse.owner', ${EVERYONE}, true)`.execute(tx);
}

/** For `gatehouse doctor` and for checking backups, which open the database themselves. */
export async function readAsEveryone<T, S>(
  dialect: Dialect,
  reader: Kysely<S>,
  work: (reader: Kysely<S>) => Promise<T>,
): Promise<T> {
  if (dialect === 'sqlite') return work(reader);
  return reader.transaction().execute(async (tx) => {
    await actAsEveryone(tx);
    return work(tx);
  });
}

const setSession = (reader: Reader, idHash: string) =>
  sql`select set_config('gatehouse.session', ${idHash}, true)`.execute(reader);

/** From here on the transaction also sees this session. */
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
  /** Row-level security is or was on. Switching it off leaves one of the two flags set. */
  readonly marked: boolean;
  /** The policies that apply to our role, as PostgreSQL prints them. */
  readonly policies: readonly string[];
}

/** The expression as PostgreSQL prints it. If it prints it differently, the policy is only created again. */
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

/** Replaces all policies of one table with the expected ones. */
async function restorePolicies(tx: Tx, { table, policies }: TableSecurity): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(tx);
  // Without `force`, the owner of a table is exempt.
  await sql`alter table ${name} force row level security`.execute(tx);
  for (const policy of policies) await sql`drop policy ${sql.ref(JSON.parse(policy)[0])} on ${name}`.execute(tx);
  for (const { name: policy, command, using } of POLICIES[table]!)
    await sql`create policy ${sql.ref(policy)} on ${name} for ${sql.raw(command)} using (${sql.raw(using)})`.execute(tx);
}

const INSUFFICIENT_PRIVILEGE = '42501';

export interface RowSecurityReport {
  /** False for a superuser, who bypasses row-level security. */
  readonly isEnforced: boolean;
  /** Tables whose row-level security had been switched off or changed. */
  readonly restored: readonly string[];
}

/** Restores row-level security where it is missing, switched off or changed. */
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
      // Tables without any row-level security are new; setting it up is not a repair.
      const changed = broken.filter(({ marked, policies }) => marked || policies.length > 0);
      return changed.filter((found) => after.get(found.table) !== JSON.stringify(found)).map(({ table }) => table);
    });
  const { rows } = await sql<{ exempt: boolean }>`
    select rolsuper or rolbypassrls as exempt from pg_roles where rolname = current_user
  `.execute(db.read);
  return { isEnforced: rows[0]?.exempt !== true, restored };
}
