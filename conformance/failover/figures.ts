// How far one PostgreSQL carries it: figures for docs/guide/scaling.md. They belong to the machine they were measured on.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type Cluster, postgresBinaries } from './cluster.ts';
import type { Setup } from './failover.ts';
import { Load } from './load.ts';
import type { Programs } from './programs.ts';
import { isGood, type Report } from './report.ts';
import { Services } from './services.ts';

const run = promisify(execFile);
const SECONDS = 5;
const CLIENTS = 16;

/** The processor time of the whole machine, and of this machine's other work: what is neither idle nor ours. */
function processorTime(): { readonly all: number; readonly idle: number } {
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/);
  const values = fields.map(Number);
  return { all: values.slice(0, 8).reduce((sum, one) => sum + one, 0), idle: values[3]! + values[4]! };
}

/** What other work took before a measurement. */
async function busyShare(): Promise<string> {
  const before = processorTime();
  await sleep(3000);
  const after = processorTime();
  return `${Math.round(100 - (100 * (after.idle - before.idle)) / (after.all - before.all))} %`;
}

const SCRIPTS = {
  plain: `insert into figures (content) values (repeat('x', 200));`,
  notify: `begin;
insert into figures (content) values (repeat('x', 200));
select pg_notify('figures', '["user:0123456789abcdef0123456789abcdef"]');
end;`,
  row: `begin;
insert into figures (content) values (repeat('x', 200));
insert into gatehouse_changes (xid, tags) values (pg_current_xact_id()::text::bigint, '["user:0123456789abcdef0123456789abcdef"]');
end;`,
  silent: `begin;
insert into figures (content) values (repeat('x', 200));
select 1;
end;`,
  poll: `select coalesce(max(id), 0) from figures;`,
} as const;

/** Transactions per second by PostgreSQL's own pgbench. */
async function pgbench(
  cluster: Cluster,
  programs: Programs,
  script: keyof typeof SCRIPTS,
  clients: number,
  options = '',
): Promise<number> {
  const file = join(programs.folder, `${script}.sql`);
  writeFileSync(file, SCRIPTS[script]);
  const { stdout } = await run(
    join(postgresBinaries(), 'pgbench'),
    ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, '--jobs=1', `--time=${SECONDS}`, `--file=${file}`, 'identity'],
    {
      env: {
        PATH: process.env.PATH,
        PGHOST: '127.0.0.1',
        PGPORT: String(await cluster.primaryPort()),
        PGUSER: 'postgres',
        PGOPTIONS: options,
      },
    },
  );
  return Math.round(Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]));
}

async function listeners(cluster: Cluster, count: number): Promise<() => Promise<void>> {
  const clients: pg.Client[] = [];
  for (let i = 0; i < count; i++) {
    const client = await cluster.connect('identity');
    await client.query('listen figures');
    clients.push(client);
  }
  return async () => void (await Promise.all(clients.map((client) => client.end())));
}

/** Requests per second of one kind, through HAProxy. */
async function rateOf(load: Load, kind: string, clients: number): Promise<string> {
  load.isHalfDirect = false;
  const from = load.answers.length;
  load.start({ [kind]: clients }, 0);
  await sleep(SECONDS * 1000);
  await load.stop();
  const answers = load.answers.slice(from).filter((one) => one.kind === kind);
  const good = answers.filter(isGood).length;
  return `${Math.round(good / SECONDS)}/s${good < answers.length ? ` (${answers.length - good} refused)` : ''}`;
}

async function connections(cluster: Cluster): Promise<string> {
  const control = await cluster.connect();
  const { rows } = await control.query<{ datname: string; name: string; count: string }>(
    `select datname, application_name as name, count(*) from pg_stat_activity where application_name like 'gatehouse%' group by 1, 2 order by 1, 2`,
  );
  await control.end();
  return rows.map(({ datname, name, count }) => `${datname}: ${count} as "${name}"`).join(', ');
}

/** Time that PostgreSQL's processes used, per change: what remains of a machine tells how many more it takes. */
export async function figures(setup: Setup, programs: Programs, report: Report): Promise<void> {
  const { cluster, services, load } = setup;
  await cluster.untilHealthy();
  const say = (name: string, seen: string): void => report({ name, seen, faults: [] });
  const model = cpus()[0]?.model ?? process.arch;
  say(
    'machine',
    `${cpus().length} cores of ${model}, for services, PostgreSQL twice, HAProxy and clients together; other work took ${await busyShare()} before`,
  );

  const control = await cluster.connect('identity');
  await control.query('create table if not exists figures (id bigint generated always as identity primary key, content text)');
  say(
    'commits/s, 1 client',
    `${await pgbench(cluster, programs, 'plain', 1)} synchronous standby, ${await pgbench(cluster, programs, 'plain', 1, '-c synchronous_commit=local')} without it`,
  );
  say(
    `commits/s, ${CLIENTS} clients`,
    `${await pgbench(cluster, programs, 'silent', CLIENTS)} synchronous standby, ${await pgbench(cluster, programs, 'silent', CLIENTS, '-c synchronous_commit=local')} without it`,
  );
  for (const count of [0, 5, 50]) {
    const end = await listeners(cluster, count);
    say(
      `commits/s with NOTIFY, ${CLIENTS} clients, ${count} listeners`,
      `${await pgbench(cluster, programs, 'notify', CLIENTS)} synchronous standby, ${await pgbench(cluster, programs, 'notify', CLIENTS, '-c synchronous_commit=local')} without it`,
    );
    await end();
  }
  say(
    `commits/s with a row for other processes, ${CLIENTS} clients`,
    `${await pgbench(cluster, programs, 'row', CLIENTS)} synchronous standby, ${await pgbench(cluster, programs, 'row', CLIENTS, '-c synchronous_commit=local')} without it`,
  );
  say('polls/s, 1 client', `${await pgbench(cluster, programs, 'poll', 1)}`);
  await control.query('drop table figures');
  await control.end();

  for (const [what, kind, clients] of [
    ['changes (POST /v3/projects)', 'project', 16],
    ['validations (GET /v3/auth/tokens)', 'validate', 16],
    ['lists (GET /v3/projects, not from memory)', 'list', 16],
    ['keys of the wallet (POST keys)', 'key', 8],
  ] as const)
    say(`${what}, ${clients} clients`, await rateOf(load, kind, clients));

  // Connections stay open for a minute.
  say('connections of 3 identity and 2 wallet processes under load', await connections(cluster));

  const real = new Services({
    programs,
    prefix: 'real-',
    masterKey: services.masterKey,
    counts: { identity: 3, wallet: 0 },
    databaseSettings: () => ({ GATEHOUSE_IDENTITY_DATABASE_URL: cluster.url('identity', 'identity') }),
    settings: { GATEHOUSE_IDENTITY_ARGON2_MEMORY: '19456', GATEHOUSE_IDENTITY_ARGON2_PASSES: '2' },
  });
  await real.start(() => Promise.reject(new Error('there is no wallet')));
  const logins = new Load(real);
  await logins.prepare();
  say('logins with the default cost of hashes, 8 clients', await rateOf(logins, 'login', 8));
  await real.stop();
}
