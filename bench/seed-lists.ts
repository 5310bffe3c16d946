// Fills what the lists of the console show beside people: a service that has been used for years.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seedCredentials } from './credentials.ts';
import type { DataFolder } from './gatehouse.ts';
import { COUNT, copyOf, NEW_ID } from './seed.ts';

/** Things beside a million users; with fewer users a part of it. */
const OF_A_MILLION = {
  members: 100_000,
  credentials: 100_000,
  invitations: 100_000,
  waiting: 10_000,
  messages: 20_000,
  things: 10_000,
  events: 500_000,
} as const;
const SECONDS = "cast(strftime('%s') as integer)";
const HALF_A_YEAR = 15_000_000;

export interface ListIds {
  /** With very many members. */
  readonly group: string;
  readonly organization: string;
  readonly application: string;
}

/** Of a stopped service. Data that were kept have them already. */
export function seedLists(data: Pick<DataFolder, 'folder' | 'size'>): ListIds {
  const file = join(data.folder, 'bench-lists.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const ids = addLists(data);
  writeFileSync(file, JSON.stringify(ids));
  return ids;
}

function addLists({ folder, size }: Pick<DataFolder, 'folder' | 'size'>): ListIds {
  const of = (name: keyof typeof OF_A_MILLION): number => Math.ceil((OF_A_MILLION[name] * size.users) / 1_000_000);
  seedCredentials({ folder, size, port: 0, walletPort: 0 }, of('credentials'));
  const db = new DatabaseSync(join(folder, 'identity.sqlite'));
  db.exec('pragma synchronous = off; pragma foreign_keys = off; pragma temp_store = memory; begin immediate');
  const add = (sql: string, count: number): void => {
    db.prepare(`${COUNT} ${sql}`).run({ count });
  };
  const organizations = copyOf(db, 'projects', { id: NEW_ID, name: `'organization-' || n`, created_at: 'n' });
  const domains = copyOf(db, 'projects', { id: NEW_ID, name: `'domain-' || n` });
  const consumers = copyOf(db, 'consumers', { id: NEW_ID, name: `'application-' || n`, created_at: 'n' });
  add(
    `insert into projects select ${organizations} from counter, (select * from projects where name = 'admin') as model`,
    of('things'),
  );
  add(`insert into projects select ${domains} from counter, (select * from projects where id = 'default') as model`, 100);
  add(
    `insert into consumers select ${consumers} from counter, (select * from consumers where id = 'bench') as model`,
    of('things'),
  );
  add(
    `insert into consumers (id, name, client_type, grant_type, redirect_uris, scopes, extra, secret, created_at, registered_by, registration_domain_id)
      select ${NEW_ID}, 'stranger-' || n, client_type, grant_type, redirect_uris, scopes, extra, secret, n, 'open', 'default'
      from counter, (select * from consumers where id = 'bench') as model`,
    of('things'),
  );
  add(
    `insert into groups (id, domain_id, name, description, extra, created_at) select ${NEW_ID}, 'default', 'group-' || n, '', '{}', n from counter`,
    of('things'),
  );
  add(
    `insert into invitations (id, domain_id, email, email_key, group_ids, application_roles, inviter_id, inviter_scope, status, created_at, sent_at, expires_at)
      select ${NEW_ID}, 'default', 'guest-' || n || '@example.org', 'guest-' || n || '@example.org', '[]', '[]', 'nobody', '{}', 'pending',
        ${SECONDS} - n, ${SECONDS} - n, ${SECONDS} + 604800 from counter`,
    of('invitations'),
  );
  // Given up: none of them is sent while the lists are measured.
  add(
    `insert into mails (id, template, sealed, attempts, next_at, created_at, expires_at, last_error, failed_at, recipient)
      select ${NEW_ID}, 'invitation', 'x', 10, ${SECONDS} + ${HALF_A_YEAR}, ${SECONDS} - n, ${SECONDS} + ${HALF_A_YEAR}, 'no route to host', ${SECONDS},
        'guest-' || n || '@example.org' from counter`,
    of('messages'),
  );
  add(
    `insert into audit_events (id, at, action, target_kind, target_id, outcome, detail, domain_id)
      select ${NEW_ID}, ${SECONDS} - n, 'user.updated', 'user', 'nobody', 'success', '{}', 'default' from counter`,
    of('events'),
  );
  const one = (sql: string): string => (db.prepare(sql).get() as { id: string }).id;
  const group = one(`select id from groups where name = 'group-1'`);
  const organization = one(`select id from projects where name = 'organization-1'`);
  const some = `(select id from users where name like 'person-%' limit :count)`;
  db.prepare(`insert into group_members (group_id, user_id) select '${group}', id from ${some}`).run({ count: of('members') });
  const grant = copyOf(db, 'grants', {
    id: NEW_ID,
    user_id: 'users.id',
    target_id: `'${organization}'`,
    role_id: 'roles.id',
    kept: '0',
  });
  db.prepare(
    `insert into grants select ${grant} from ${some} as users, roles, (select * from grants limit 1) as model where roles.name = 'member'`,
  ).run({ count: of('members') });
  // Not all in one second, in which the order would be that of the ids.
  db.prepare(`insert into waiting_registrations select id, ${SECONDS} - row_number() over () from ${some}`).run({
    count: of('waiting'),
  });
  db.prepare(
    `insert into account_deletions select id, ${SECONDS}, ${SECONDS} + ${HALF_A_YEAR} + row_number() over (), 1 from ${some}`,
  ).run({
    count: of('waiting'),
  });
  db.exec('commit; analyze; pragma wal_checkpoint(truncate)');
  db.close();
  return { group, organization, application: 'bench' };
}
