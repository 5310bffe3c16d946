// pgbouncer in transaction mode between the services and PostgreSQL. HAProxy leads pgbouncer to the primary, as Patroni names it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/service.ts';
import type { Cluster } from './cluster.ts';
import { CLIENTS, event, type Setup } from './failover.ts';
import { Load } from './load.ts';
import { type Programs, until } from './programs.ts';
import { isGood, type Report, type Step, summary } from './report.ts';
import { Services } from './services.ts';

const PROCESSES = 2;
/** Connections that pgbouncer keeps to each database, for all processes together. */
const POOL = 8;

/** Returns the port of pgbouncer. */
async function startPooler(cluster: Cluster, programs: Programs): Promise<number> {
  const [primary, port] = [await freePort(), await freePort()];
  const proxy = join(programs.folder, 'primary.cfg');
  writeFileSync(
    proxy,
    `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${primary}
  option httpchk GET /primary
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${cluster.servers.map(({ port: to, apiPort }, index) => `  server s${index} 127.0.0.1:${to} port ${apiPort}`).join('\n')}
`,
  );
  programs.start('primary-haproxy', ['haproxy', '-db', '-f', proxy]);
  const [file, users] = [join(programs.folder, 'pgbouncer.ini'), join(programs.folder, 'pgbouncer.users')];
  writeFileSync(users, '"identity" ""\n"wallet" ""\n');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${primary}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${POOL}
max_client_conn = 500
server_login_retry = 1
query_wait_timeout = 5
`,
  );
  programs.start('pgbouncer', ['pgbouncer', file]);
  await until('the proxy has found the primary', () => cluster.canConnect(port, 'identity'));
  return port;
}

/** Processes of both services that use the pooler. */
async function startServices(
  { services: { masterKey } }: Setup,
  programs: Programs,
  prefix: string,
  names: 'on' | 'off',
  port: number,
): Promise<{ services: Services; load: Load }> {
  const services = new Services({
    programs,
    prefix,
    masterKey,
    counts: { identity: PROCESSES, wallet: 1 },
    databaseSettings: (kind) => ({
      [`GATEHOUSE_${kind.toUpperCase()}_DATABASE_URL`]: `postgres://${kind}@127.0.0.1:${port}/${kind}`,
      [`GATEHOUSE_${kind.toUpperCase()}_NAMED_STATEMENTS`]: names,
    }),
  });
  const load = new Load(services);
  await services.start((them) => load.registerWallet(them));
  await load.signInToWallet();
  return { services, load };
}

/** How long it takes until another process refuses a token that one revoked. */
async function revocationMs(services: Services, load: Load): Promise<number> {
  const token = (await load.logIn())!;
  const headers = { 'X-Auth-Token': load.token, 'X-Subject-Token': token };
  const [first, second] = services.replicas.slice(0, PROCESSES).map((name) => `${services.addressOf(name)}/v3/auth/tokens`) as [
    string,
    string,
  ];
  const status = async (url: string, method = 'GET'): Promise<number> => (await fetch(url, { method, headers })).status;
  for (let i = 0; i < 3; i++) if ((await status(second)) !== 200) throw new Error('a good token is refused');
  await status(first, 'DELETE');
  return until('the other process refuses the token', async () => (await status(second)) === 404, 5);
}

async function settled(services: Services, load: Load, name: string, said: RegExp): Promise<Step> {
  const from = load.answers.length;
  load.start(CLIENTS);
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await load.stop();
  const answers = load.answers.slice(from);
  const heard = await revocationMs(services, load);
  const isSaid = services.replicas.slice(0, PROCESSES).every((one) => said.test(services.logOf(one)));
  const refused = answers.filter((one) => !isGood(one));
  return {
    name,
    seen: `${summary(answers)}; a revocation counts at the other process after ${heard.toFixed(0)} ms`,
    faults: [
      ...(isSaid ? [] : [`the log does not say ${said}`]),
      ...refused.slice(0, 5).map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
    ],
  };
}

export async function pooler(setup: Setup, programs: Programs, report: Report): Promise<void> {
  const { cluster } = setup;
  await cluster.untilHealthy();
  const port = await startPooler(cluster, programs);
  const settings: readonly (readonly [name: string, prefix: string, names: 'on' | 'off', said: RegExp])[] = [
    ['pgbouncer in transaction mode, named statements left on', 'named-', 'on', /named statements: they are off/],
    ['the same with named statements off', 'unnamed-', 'off', /each transaction sets them/],
  ];
  for (const [name, prefix, names, said] of settings) {
    const { services, load } = await startServices(setup, programs, prefix, names, port);
    report(await settled(services, load, name, said));
    if (prefix === 'unnamed-')
      report(
        await event('switch-over behind pgbouncer', { cluster, services, load }, () => cluster.switchOver(), { isGap: true }),
      );
    await services.stop();
    setup.load.projects.push(...load.projects);
    setup.load.keys.push(...load.keys);
  }
}
