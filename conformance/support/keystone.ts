// A fresh Keystone for a run, from Debian's package, to be asked the same as Gatehouse.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KEYSTONE_PACKAGES, keystoneCommands, missingKeystone } from '../../test/support/keystone.ts';
import { stop as giveUp, needPackage, packageVersion } from './debian.ts';
import { ADMIN_PASSWORD, cleanEnvironment, freePort, REGION, type RunningService, untilAnswers } from './service.ts';

/** One: two processes lock each other out of SQLite. */
const PROCESSES = 1;

/** Its version, for the heading of a table. */
export const keystoneVersion = (): string => packageVersion('keystone');

export interface KeystoneRunOptions {
  readonly keep: boolean;
  /** More lines for keystone.conf. They begin with a section. */
  readonly settings?: string;
}

export async function startKeystone({ keep, settings = '' }: KeystoneRunOptions): Promise<RunningService> {
  if (missingKeystone()) for (const name of KEYSTONE_PACKAGES) needPackage(name);
  const missing = missingKeystone();
  if (missing) giveUp(`Keystone is installed, but ${missing} is not there`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keystone-'));
  const commands = keystoneCommands({
    folder,
    port: await freePort(),
    password: ADMIN_PASSWORD,
    region: REGION,
    processes: PROCESSES,
    interfaces: ['public', 'internal', 'admin'],
    settings,
  });
  const env = { ...cleanEnvironment(), ...commands.env };
  const logFile = join(folder, 'service.log');
  const output = openSync(logFile, 'w');
  for (const [command = '', ...args] of commands.prepare) {
    const { status } = spawnSync(command, args, { env, stdio: ['ignore', output, output] });
    if (status !== 0) giveUp(`${command} ${args[2]} failed\n${readFileSync(logFile, 'utf8').slice(-4000)}`);
  }
  // A request that fails inside Keystone can leave its reading transaction open. Without the write-ahead log it would block every later write.
  const database = new DatabaseSync(commands.database);
  database.exec('pragma journal_mode = wal');
  database.close();
  const [command = '', ...args] = commands.serve;
  const child = spawn(command, args, { env, stdio: ['ignore', output, output] });
  closeSync(output);
  const stop = async (keepAnyway = false): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    if (keep || keepAnyway) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().finally(() => process.exit(1)));
  try {
    await untilAnswers(`${commands.url}/v3`, child);
  } catch (error) {
    console.error(readFileSync(logFile, 'utf8').slice(-4000));
    await stop();
    throw error;
  }
  return { url: commands.url, adminPassword: ADMIN_PASSWORD, folder, stop };
}
