// Fills the SQLite file of a stopped service: `node bin/run.js bench/seed.ts DATA_FOLDER USERS REVOCATIONS`.
// Directly with SQL, because a million users through the API would take most of an hour.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Users who may log in to the admin project, with the administrator's password. */
export const MEMBERS = 200;

export const COUNT = 'with recursive counter (n) as (select 1 union all select n + 1 from counter where n < :count)';
export const NEW_ID = 'lower(hex(randomblob(16)))';
/** The indexes of these tables are dropped and created again afterwards, because updating them row by row is slow. */
const INDEXED = ['users', 'passwords', 'user_emails', 'user_name_forms', 'user_words'];

/** A select list that copies the row `model` of a table except for some columns. New columns of a migration need no change here. */
export function copyOf(db: DatabaseSync, table: string, changes: Readonly<Record<string, string>>): string {
  const columns = db.prepare('select name from pragma_table_info(?)').all(table) as { name: string }[];
  return columns.map(({ name }) => changes[name] ?? `model.${name}`).join(', ');
}

export function seedUsers(db: DatabaseSync, count: number): void {
  const indexes = db
    .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (?, ?, ?, ?, ?)`)
    .all(...INDEXED) as { name: string; sql: string }[];
  const extra = `json_object('email', 'person-' || n || '@example.org', 'description', 'Person number ' || n)`;
  const profile = `json_object('displayName', 'Person ' || n, 'name', json_object('givenName', 'Person', 'familyName', n || ''),
    'emails', json_array(json_object('value', 'person-' || n || '@example.org', 'type', 'work', 'primary', json('true'))))`;
  const name = `'person-' || n`;
  const user = copyOf(db, 'users', {
    id: NEW_ID,
    name,
    name_key: name,
    words_version: 'model.version',
    extra,
    profile,
    external_id: `'external-' || n`,
  });
  const addEmails = db.prepare(`
    insert into user_emails select id, name || '@example.org' from users where name like 'person-%'`);
  // Otherwise the service would do it after its start, beside what is measured.
  const addNameForms = db.prepare(`
    insert into user_name_forms (user_id, domain_id, form) select id, domain_id, name from users where name like 'person-%'`);
  const addWords = db.prepare(`
    insert into user_words (user_id, domain_id, word)
    select id, domain_id, name || '@example.org' from users where name like 'person-%'
    union all select id, domain_id, substr(name, 8) from users where name like 'person-%'`);
  const add = db.prepare(`${COUNT}
    insert into users select ${user} from counter, (select * from users where name = 'admin') as model`);
  // Everyone gets the administrator's hash: its value does not matter here.
  const addPasswords = db.prepare(`
    insert into passwords select ${copyOf(db, 'passwords', { id: NEW_ID, user_id: 'users.id' })}
    from users, (select * from passwords limit 1) as model where users.name like 'person-%'`);
  const grant = copyOf(db, 'grants', { id: NEW_ID, user_id: 'users.id', target_id: 'projects.id', role_id: 'roles.id' });
  const addMembers = db.prepare(`
    insert into grants select ${grant} from users, projects, roles, (select * from grants limit 1) as model
    where users.name like 'person-%' and projects.name = 'admin' and roles.name = 'member' limit ${MEMBERS}`);

  for (const { name } of indexes) db.exec(`drop index ${name}`);
  add.run({ count });
  addPasswords.run();
  addEmails.run();
  addNameForms.run();
  addWords.run();
  addMembers.run();
  for (const { sql } of indexes) db.exec(sql);
}

export function seedRevocations(db: DatabaseSync, count: number): void {
  db.prepare(`${COUNT}
    insert into revoked_tokens (audit_id, expires_at)
    select ${NEW_ID}, :expires from counter`).run({ count, expires: Math.floor(Date.now() / 1000) + 86_400 });
}

if (import.meta.main) {
  const [folder = '', users, revocations] = process.argv.slice(2);
  const db = new DatabaseSync(join(folder, 'identity.sqlite'));
  db.exec('pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -500000; pragma temp_store = memory');
  db.exec('begin immediate');
  if (Number(users) > 0) seedUsers(db, Number(users));
  if (Number(revocations) > 0) seedRevocations(db, Number(revocations));
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}
