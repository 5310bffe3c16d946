// Keystone for comparison, if Debian's package is installed: default settings, Fernet tokens, SQLite, uWSGI on loopback with one process
// per core. The bench never installs it.
import { availableParallelism } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { keystoneCommands } from '../test/support/keystone.ts';
import { PASSWORD, untilAnswers } from './gatehouse.ts';
import type { LoadTarget } from './load.ts';
import { cleanEnvironment, freePort, output, start, stop, temporaryFolder } from './processes.ts';
import { COUNT, copyOf, NEW_ID } from './seed.ts';

export { missingKeystone as missing } from '../test/support/keystone.ts';

/** As many as a page of ours. Without it, Keystone answers all users at once. */
const LIST_LIMIT = 1000;

export interface Keystone extends LoadTarget {
  readonly database: string;
  /** From the start of uWSGI to its first answer. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

export async function startKeystone(users: number): Promise<Keystone> {
  const { url, database, prepare, serve, ...commands } = keystoneCommands({
    folder: temporaryFolder(),
    port: await freePort(),
    password: PASSWORD,
    region: 'one',
    processes: availableParallelism(),
    interfaces: ['public'],
    settings: `[DEFAULT]\nlist_limit = ${LIST_LIMIT}`,
  });
  const env = { ...cleanEnvironment(), ...commands.env };
  for (const command of prepare) await output(start(command, { env }));
  seed(database, users);

  const began = performance.now();
  const child = start(serve, { env });
  await untilAnswers(`${url}/v3`, child);
  const readyMs = performance.now() - began;
  return { url, pid: child.pid!, database, readyMs, stop: () => stop(child) };
}

/** Adds users with passwords, as copies of the administrator under other names. */
function seed(database: string, count: number): void {
  const db = new DatabaseSync(database);
  db.exec('begin');
  db.prepare(`${COUNT}
    insert into user select ${copyOf(db, 'user', { id: NEW_ID })} from counter, (select * from user limit 1) as model`).run({
    count,
  });
  db.exec(`
    insert into local_user
    select ${copyOf(db, 'local_user', { id: 'null', user_id: 'user.id', name: `'person-' || user.id` })}
    from user, (select * from local_user limit 1) as model where user.id <> model.user_id`);
  db.exec(`
    insert into password
    select ${copyOf(db, 'password', { id: 'null', local_user_id: 'local_user.id' })}
    from local_user, (select * from password limit 1) as model where local_user.id <> model.local_user_id`);
  db.exec('commit');
  db.close();
}

export function keystoneUserIds(database: string): string[] {
  const db = new DatabaseSync(database, { readOnly: true });
  const rows = db.prepare('select id from user').all() as { id: string }[];
  db.close();
  return rows.map(({ id }) => id);
}
