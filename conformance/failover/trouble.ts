// A PostgreSQL that is there, and in trouble: what clients see.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CLIENTS, event, type Setup } from './failover.ts';
import { Load, type RecordedAnswer } from './load.ts';
import { type Programs, until } from './programs.ts';
import { broken, isGood, type Report, type Step, summary } from './report.ts';
import { Services } from './services.ts';
import { SlowLink } from './slow-link.ts';

const OF_IDENTITY = `from pg_stat_activity where datname = 'identity' and application_name`;

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** One kind of request: how many, how many were refused, and how long they took. */
function lineOf(answers: readonly RecordedAnswer[], kind: string): string {
  const ofKind = answers.filter((one) => one.kind === kind);
  const refused = ofKind.filter((one) => !isGood(one));
  const times = ofKind.filter(isGood).map(({ ms }) => ms);
  const took =
    times.length > 0
      ? `${percentile(times, 0.5).toFixed(0)} ms, 99 % under ${percentile(times, 0.99).toFixed(0)} ms`
      : 'none served';
  return `${kind} ${took}${refused.length > 0 ? `, ${refused.length} of ${ofKind.length} refused` : ''}`;
}

const linesOf = (answers: readonly RecordedAnswer[], kinds: readonly string[]): string =>
  kinds.map((kind) => lineOf(answers, kind)).join('; ');

/** Clients send requests while this happens. */
async function during(
  load: Load,
  happen: () => Promise<void>,
  clients: Readonly<Record<string, number>> = CLIENTS,
): Promise<RecordedAnswer[]> {
  load.isHalfDirect = true;
  load.start(clients);
  await sleep(1000);
  const from = load.answers.length;
  await happen();
  await load.stop();
  return load.answers.slice(from);
}

async function killedBackends({ cluster, services, load }: Setup): Promise<Step> {
  const control = await cluster.connect();
  const step = await event('every backend of the services killed, five times', { cluster, services, load }, async () => {
    for (let i = 0; i < 5; i++) {
      await control.query(`select pg_terminate_backend(pid) ${OF_IDENTITY} = 'gatehouse service'`);
      await sleep(500);
    }
  });
  await control.end();
  return step;
}

async function lostFeed({ cluster, services, load }: Setup): Promise<Step> {
  const control = await cluster.connect();
  const count = async (): Promise<number> =>
    Number((await control.query<{ count: string }>(`select count(*) ${OF_IDENTITY} = 'gatehouse changes'`)).rows[0]!.count);
  let back = 0;
  const answers = await during(load, async () => {
    await control.query(`select pg_terminate_backend(pid) ${OF_IDENTITY} = 'gatehouse changes'`);
    back = await until('all feeds are back', async () => (await count()) === 3);
    await sleep(2000);
  });
  await control.end();
  const refused = answers.filter((one) => !isGood(one));
  // The same on every process: a revocation counts at once.
  const token = (await load.logIn())!;
  const headers = { 'X-Auth-Token': load.token, 'X-Subject-Token': token };
  const ask = async (name: string, method: string): Promise<number> =>
    (await fetch(`${services.addressOf(name)}/v3/auth/tokens`, { method, headers })).status;
  const [first, ...others] = services.replicas.filter((name) => name.startsWith('identity')) as [string, ...string[]];
  for (const name of others) await ask(name, 'GET');
  await ask(first, 'DELETE');
  const heard = await until(
    'the others refuse the token',
    async () => (await Promise.all(others.map((name) => ask(name, 'GET')))).every((status) => status === 404),
    10,
  );
  return {
    name: 'the feed of changes lost (connections of the feed killed)',
    seen: `${summary(answers)}; feeds back after ${(back / 1000).toFixed(1)} s; ${linesOf(answers, ['validate', 'project'])}; afterwards a revocation counts everywhere after ${heard.toFixed(0)} ms`,
    faults: refused.slice(0, 5).map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
  };
}

async function lockedTable({ cluster, load }: Setup): Promise<Step> {
  const holder = await cluster.connect('identity');
  const answers = await during(load, async () => {
    await holder.query('begin; lock table audit_events in exclusive mode');
    await sleep(12_000);
    await holder.query('rollback');
    await sleep(1000);
  });
  await holder.end();
  const reads = answers.filter((one) => ['validate', 'list'].includes(one.kind) && !isGood(one));
  return {
    name: 'a locked table (audit_events, 12 s)',
    seen: `${summary(answers)}; ${linesOf(answers, ['validate', 'list', 'project', 'login'])}`,
    faults: [...broken(answers), ...reads.slice(0, 3).map(({ kind, status, text }) => `${kind}: ${status} ${text}`)],
  };
}

/** Every read of projects waits for a lock: all connections of all processes are taken. */
async function exhaustedPool({ cluster, services, load }: Setup): Promise<Step> {
  const holder = await cluster.connect('identity');
  const many = { validate: 4, list: 60, project: 20 };
  const step = await event(
    'pool exhaustion: 80 clients wait for a table that is locked for 8 s',
    { cluster, services, load },
    async () => {
      await holder.query('begin; lock table projects in access exclusive mode');
      await sleep(8000);
      await holder.query('rollback');
    },
    { clients: many },
  );
  await holder.end();
  return step;
}

/** Somebody else takes all connections of the server, and ours break: nothing can be reached until they are given back. */
async function fullServer({ cluster, services, load }: Setup): Promise<Step> {
  const control = await cluster.connect();
  const strangers: pg.Client[] = [];
  const step = await event('the server has no connections left for 6 s', { cluster, services, load }, async () => {
    const url = `postgres://wallet@127.0.0.1:${await cluster.primaryPort()}/wallet`;
    const fill = async (): Promise<void> => {
      for (;;) {
        const client = new pg.Client(url);
        client.on('error', () => {});
        try {
          await client.connect();
        } catch {
          return;
        }
        strangers.push(client);
      }
    };
    await fill();
    await control.query(`select pg_terminate_backend(pid) ${OF_IDENTITY} like 'gatehouse%'`);
    await fill();
    await sleep(6000);
    await Promise.all(strangers.map((client) => client.end()));
  });
  await control.end();
  return step;
}

/** A process of its own behind a link that becomes slower and slower. */
async function slowServer({ cluster, services: { masterKey } }: Setup, programs: Programs, report: Report): Promise<void> {
  const link = new SlowLink(() => cluster.primaryPort());
  const port = await link.listen();
  const services = new Services({
    programs,
    prefix: 'slow-',
    counts: { identity: 1, wallet: 0 },
    databaseSettings: () => ({ GATEHOUSE_IDENTITY_DATABASE_URL: `postgres://identity@127.0.0.1:${port}/identity` }),
    masterKey,
  });
  await services.start(() => Promise.reject(new Error('there is no wallet')));
  const load = new Load(services);
  await load.prepare();
  try {
    for (const delayMs of [0, 10, 50, 250, 1000]) {
      link.delayMs = delayMs;
      await sleep(2000);
      const answers = await during(load, () => sleep(6000), { validate: 2, list: 2, project: 2 });
      report({
        name: `a slow server: ${2 * delayMs} ms there and back`,
        seen: linesOf(answers, ['validate', 'list', 'project']),
        faults: broken(answers),
      });
    }
    link.delayMs = 0;
    const healed = await services.untilAllReady();
    report({ name: 'the slow server is fast again', seen: `ready after ${(healed / 1000).toFixed(1)} s`, faults: [] });
  } finally {
    await services.stop();
    link.close();
  }
}

export async function trouble(setup: Setup, programs: Programs, report: Report): Promise<void> {
  await setup.cluster.untilHealthy();
  report(await killedBackends(setup));
  report(await lostFeed(setup));
  report(await lockedTable(setup));
  report(await exhaustedPool(setup));
  report(await fullServer(setup));
  await slowServer(setup, programs, report);
}
