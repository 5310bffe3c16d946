// Replicas of both services behind HAProxy over PostgreSQL that fails over, and everything that goes wrong there.
import { parseArgs } from 'node:util';
import { needCommand, needPackage, packageVersion, stop } from '../support/debian.ts';
import { Cluster } from './cluster.ts';
import { failover, nothingLost, rolling } from './failover.ts';
import { figures } from './figures.ts';
import { Load } from './load.ts';
import { pooler } from './pooler.ts';
import { Programs } from './programs.ts';
import type { Step } from './report.ts';
import { Services } from './services.ts';
import { trouble } from './trouble.ts';

const COMMANDS: readonly (readonly [command: string, packageName: string])[] = [
  ['pg_ctlcluster', 'postgresql'],
  ['etcd', 'etcd-server'],
  ['patroni', 'patroni'],
  ['haproxy', 'haproxy'],
  ['pgbouncer', 'pgbouncer'],
];

const CHAPTERS = ['rolling', 'failover', 'trouble', 'pooler', 'figures'] as const;

function chosen(): { keep: boolean; chapters: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ options: { keep: { type: 'boolean', default: false } }, allowPositionals: true });
    const unknown = positionals.find((one) => !(CHAPTERS as readonly string[]).includes(one));
    if (unknown) throw new Error(`no chapter is called ${unknown}`);
    return { keep: values.keep, chapters: positionals.length > 0 ? positionals : CHAPTERS };
  } catch (error) {
    stop(`${(error as Error).message}\nArguments: [--keep] [${CHAPTERS.join('|')}]...`);
  }
}

const { keep, chapters } = chosen();
for (const [command, packageName] of COMMANDS) needCommand(command, packageName);
// Patroni speaks to etcd by this library, which its package only recommends.
needPackage('python3-etcd');
console.log(COMMANDS.map(([, name]) => `${name} ${packageVersion(name)}`).join(', '));
const programs = new Programs(keep);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void programs.stopAll().finally(() => process.exit(1)));
if (keep) console.log(`kept: ${programs.folder}`);

const steps: Step[] = [];
const report = (step: Step): void => {
  steps.push(step);
  console.log(`${step.faults.length === 0 ? 'ok    ' : 'FAILED'} ${step.name}: ${step.seen}`);
  for (const fault of step.faults) console.log(`         ${fault}`);
};

try {
  const cluster = new Cluster(programs);
  await cluster.start();
  for (const name of ['identity', 'wallet']) await cluster.createDatabase(name);
  const services = new Services({
    programs,
    counts: { identity: 3, wallet: 2 },
    databaseSettings: (kind) => ({
      [`GATEHOUSE_${kind.toUpperCase()}_DATABASE_URL`]: cluster.url(kind, kind),
    }),
  });
  const load = new Load(services);
  await services.start((them) => load.registerWallet(them));
  await load.signInToWallet();
  const setup = { cluster, services, load };
  const chapter = async (name: string, run: () => Promise<void>): Promise<void> => {
    if (name !== 'end' && !chapters.includes(name)) return;
    await run().catch((error: Error) => report({ name, seen: 'it did not come to its end', faults: [error.message] }));
    await load.stop();
  };
  await chapter('rolling', () => rolling(services, load, report));
  await chapter('failover', () => failover(setup, report));
  await chapter('trouble', () => trouble(setup, programs, report));
  await chapter('pooler', () => pooler(setup, programs, report));
  await chapter('end', () => nothingLost(setup, report));
  await chapter('figures', () => figures(setup, programs, report));
} finally {
  await programs.stopAll();
}
const failed = steps.filter(({ faults }) => faults.length > 0).length;
console.log(failed === 0 ? 'everything passed' : `${failed} FAILED`);
process.exit(failed === 0 ? 0 : 1);
