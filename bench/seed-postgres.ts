// Fills the PostgreSQL database of a stopped service with users, as seed.ts does for SQLite.
import { Client } from 'pg';

/** The tables whose rows are written; their indexes are made again afterwards, which is faster. */
const INDEXED = ['users', 'user_words', 'user_emails', 'user_name_forms'];

export async function seedPostgres(url: string, count: number): Promise<void> {
  const db = new Client({ connectionString: url });
  await db.connect();
  const { rows: indexes } = await db.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = any($1) and schemaname = current_schema()
      and indexname not in (select conname from pg_constraint)`,
    [INDEXED],
  );
  const { rows: columns } = await db.query<{ column_name: string }>(
    `select column_name from information_schema.columns where table_name = 'users' and table_schema = current_schema() order by ordinal_position`,
  );
  const changes: Readonly<Record<string, string>> = {
    id: `md5('person' || n)`,
    name: `'person-' || n`,
    name_key: `'person-' || n`,
    words_version: 'model.version',
    extra: `json_build_object('email', 'person-' || n || '@example.org', 'description', 'Person number ' || n)::text`,
    profile: `json_build_object('displayName', 'Person ' || n)::text`,
    external_id: `'external-' || n`,
  };
  const values = columns.map(({ column_name: name }) => changes[name] ?? `model."${name}"`).join(', ');
  for (const { name } of indexes) await db.query(`drop index "${name}"`);
  await db.query(
    `insert into users select ${values} from generate_series(1, ${count}) as n, (select * from users where name = 'admin') as model`,
  );
  await db.query(`insert into user_words (user_id, domain_id, word)
    select id, domain_id, name || '@example.org' from users where name like 'person-%'
    union all select id, domain_id, substr(name, 8) from users where name like 'person-%'`);
  for (const { definition } of indexes) await db.query(definition);
  await db.query('analyze');
  await db.end();
}
