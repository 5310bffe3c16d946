// Keystone for comparison, if Debian's package is installed: default settings, Fernet tokens, SQLite, uWSGI on loopback with one process
// per core. The bench never installs it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PASSWORD, untilAnswers } from './gatehouse.ts';
import type { LoadTarget } from './load.ts';
import { cleanEnvironment, freePort, output, start, stop, temporaryFolder } from './processes.ts';
import { COUNT, copyOf, NEW_ID } from './seed.ts';

const MANAGE = '/usr/bin/keystone-manage';
const SCRIPT = '/usr/bin/keystone-wsgi-public';
const UWSGI = '/usr/bin/uwsgi';

/** As many as a page of ours. Without it, Keystone answers all users at once. */
const LIST_LIMIT = 1000;

/** The first missing file, if any. */
export const missing = (): string | undefined => [MANAGE, SCRIPT, UWSGI].find((file) => !existsSync(file));

export interface Keystone extends LoadTarget {
  readonly database: string;
  /** From the start of uWSGI to its first answer. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

const configuration = (folder: string): string => `
[DEFAULT]
list_limit = ${LIST_LIMIT}
log_file = ${folder}/keystone.log
[database]
connection = sqlite:///${folder}/keystone.sqlite
[token]
provider = fernet
[fernet_tokens]
key_repository = ${folder}/fernet
[credential]
key_repository = ${folder}/credential
`;

export async function startKeystone(users: number): Promise<Keystone> {
  const folder = temporaryFolder();
  const file = join(folder, 'keystone.conf');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(file, configuration(folder));
  for (const keys of ['fernet', 'credential']) mkdirSync(join(folder, keys), { mode: 0o700 });
  const env = { ...cleanEnvironment(), OS_KEYSTONE_CONFIG_FILES: file };
  const manage = (...args: string[]) => output(start([MANAGE, '--config-file', file, ...args], { env }));
  const [user, group] = [String(process.getuid?.()), String(process.getgid?.())];
  await manage('db_sync');
  for (const keys of ['fernet_setup', 'credential_setup']) await manage(keys, '--keystone-user', user, '--keystone-group', group);
  await manage(
    'bootstrap',
    '--bootstrap-password',
    PASSWORD,
    '--bootstrap-public-url',
    `${url}/v3`,
    '--bootstrap-region-id',
    'one',
  );
  const database = join(folder, 'keystone.sqlite');
  seed(database, users);

  const began = performance.now();
  const child = start(
    [
      ...[UWSGI, '--plugins', 'python3', '--wsgi-file', SCRIPT, '--http-socket', `127.0.0.1:${port}`],
      ...['--master', '--lazy-apps', '--processes', String(availableParallelism()), '--buffer-size', '65535'],
      ...['--die-on-term', '--disable-logging', '--need-app', '--add-header', 'Connection: close'],
    ],
    { env },
  );
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
