// What the catalog of PostgreSQL says about a table that is divided by month, or may be.
import { type Kysely, sql } from 'kysely';

export interface Part {
  readonly name: string;
  /** For what belongs to no month. */
  readonly isOutside: boolean;
  /** Seconds; from this time on, and before that one. */
  readonly from: number;
  readonly to: number;
}

const BOUND = /FROM \((MINVALUE|'?-?\d+'?)\) TO \((MAXVALUE|'?-?\d+'?)\)/;

const timeOf = (text: string, otherwise: number): number => (/VALUE/.test(text) ? otherwise : Number(text.replaceAll("'", '')));

/** None if it is not divided, or not there. */
export async function readParts<S>(db: Kysely<S>, table: string): Promise<Part[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select p.relname as name, pg_get_expr(p.relpartbound, p.oid) as bound from pg_inherits i
    join pg_class c on c.oid = i.inhparent and c.relkind = 'p' join pg_class p on p.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})`.execute(db);
  const parts = rows.map(({ name, bound }): Part => {
    const [, from = 'MINVALUE', to = 'MAXVALUE'] = BOUND.exec(bound) ?? [];
    return {
      name,
      isOutside: bound === 'DEFAULT',
      from: timeOf(from, Number.NEGATIVE_INFINITY),
      to: timeOf(to, Number.POSITIVE_INFINITY),
    };
  });
  return parts.sort((a, b) => a.from - b.from);
}

/**
 * Why the table is not divided: what somebody else tied to it would stay with the former table, which gets nothing new. Undefined if nothing is in
 * the way.
 */
export async function obstacleOf<S>(db: Kysely<S>, table: string): Promise<string | undefined> {
  const { rows } = await sql<{ obstacle: string | null }>`
    select case
      when pg_get_userbyid(relowner) <> current_user then 'it belongs to another user of the database: ' || pg_get_userbyid(relowner)
      when not has_schema_privilege(relnamespace, 'CREATE') then 'the user of the database may not create tables'
      when relkind = 'p' then null
      when relrowsecurity then 'it has row-level security'
      when exists (select from pg_depend d where refclassid = 'pg_class'::regclass and refobjid = c.oid
        and classid = 'pg_rewrite'::regclass) then 'a view reads it, or it has a rule'
      when exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal) then 'it has a trigger'
      when exists (select from pg_constraint where confrelid = c.oid) then 'a table refers to it'
      when exists (select from pg_inherits where c.oid in (inhrelid, inhparent)) then 'a table inherits from it, or it from one'
      when exists (select from pg_attribute where attrelid = c.oid and attacl is not null) then 'somebody was granted columns of it'
      when exists (select from pg_index where indrelid = c.oid and not indisvalid) then 'an index of it is not complete'
      when exists (select from pg_index where indrelid = c.oid and indisunique and not indisprimary) then 'it has a unique index'
      when exists (select from pg_publication_tables t join pg_publication p on p.pubname = t.pubname and not p.pubviaroot
        where t.schemaname = relnamespace::regnamespace::name and t.tablename = relname)
        then 'a publication has it without publish_via_partition_root'
    end as obstacle
    from pg_class c where oid = to_regclass(${table})`.execute(db);
  return rows[0]?.obstacle ?? undefined;
}
