// Stopping real processes, as orchestrators, clients and supervisors see it.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { type GatehouseProcess, gatehouse, type ProcessSettings, SETTINGS } from './support/process.ts';
import { RawConnection } from './support/raw.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GET_READY = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n';

/** Waits without a limit of its own; the test runner has one. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await delay(50);
}

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;
const isRefused = (url: string): Promise<boolean> =>
  RawConnection.open(url).then(
    (connection) => {
      connection.destroy();
      return false;
    },
    () => true,
  );
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};
const nodeSays = (program: string, what: string): readonly string[] =>
  execFileSync(program, ['-p', what], { encoding: 'utf8' }).trim().split(' ');
const descendantsOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

describe('Stopping', () => {
  let folder: string;
  let folders = 0;
  const running: GatehouseProcess[] = [];
  const others: ChildProcess[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  });
  after(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    for (const child of others) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const dataDir = (): string => join(folder, `data-${++folders}`);
  const start = (more: ProcessSettings = {}): GatehouseProcess => {
    const service = gatehouse(['start'], { GATEHOUSE_DATA_DIR: dataDir(), ...more });
    running.push(service);
    return service;
  };

  it('says it is not ready before it closes its ports, for the time that is set, serves meanwhile, and takes signals that come together for one', async () => {
    const service = start({ GATEHOUSE_DRAIN_SECONDS: '3' });
    const urls = [await service.listening(), await service.walletListening()];
    for (const url of urls) assert.equal(await readiness(url), 200);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) service.child.kill(signal);
    for (const url of urls) {
      await until(async () => (await readiness(url)) === 503);
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
    }
    assert.equal(await service.ended(), 0);
    for (const url of urls) assert.ok(await isRefused(url));
    assert.equal(service.stdout.match(/"msg":"stopping"/g)?.length, 1);
  });

  it('sends Connection: close to open connections of both services, and resets none', async () => {
    const service = start();
    const connections = await Promise.all(
      [await service.listening(), await service.walletListening()].map((url) => RawConnection.open(url)),
    );
    for (const connection of connections)
      assert.equal((await connection.send(GET_READY).answer()).headers.get('connection'), 'keep-alive');
    service.child.kill('SIGTERM');
    const said = await Promise.all(
      connections.map(async (connection) => {
        // Like a busy client: one request after the other, until the server closes.
        for (;;) {
          const { status, headers } = await connection.send(GET_READY).answer();
          if (headers.get('connection') === 'close') return status;
        }
      }),
    );
    assert.deepEqual(said, [503, 503]);
    await Promise.all(connections.map((connection) => connection.closed()));
    assert.deepEqual(
      connections.map(({ error }) => error),
      [undefined, undefined],
    );
    assert.equal(await service.ended(), 0);
  });

  itAtLength('cuts requests that never end at one limit for both services', async () => {
    const service = start();
    const urls = [await service.listening(), await service.walletListening()];
    const endless = 'POST /v3/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    const connections = await Promise.all(urls.map((url) => RawConnection.open(url)));
    for (const connection of connections) connection.send(endless);
    // An answer on another connection shows that the earlier request has arrived.
    for (const url of urls) await readiness(url);
    const started = performance.now();
    service.child.kill('SIGTERM');
    assert.equal(await service.ended(), 0);
    const seconds = (performance.now() - started) / 1000;
    assert.ok(seconds > 9, `they had the time they are given, ${seconds} s`);
    assert.ok(seconds < 18, `one after the other would be 20 s, it was ${seconds} s`);
  });

  itAtLength('stops in every worker as in one process', async () => {
    const service = start({
      GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
      GATEHOUSE_WALLET_DATABASE_URL: await migratedPostgres('wallet'),
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_WORKERS: '2',
      GATEHOUSE_DRAIN_SECONDS: '2',
    });
    const url = await service.listening(2);
    const connections = [await RawConnection.open(url), await RawConnection.open(url)];
    for (const connection of connections) assert.equal((await connection.send(GET_READY).answer()).status, 200);
    service.child.kill('SIGTERM');
    for (const connection of connections) {
      let answer = await connection.send(GET_READY).answer();
      while (answer.headers.get('connection') !== 'close') answer = await connection.send(GET_READY).answer();
      assert.equal(answer.status, 503);
    }
    assert.equal(await service.ended(), 0);
  });

  describe('from its launcher', () => {
    const places = (process.env.PATH ?? '').split(':').filter((place) => !place.includes('node_modules'));
    const ofMachine = places.map((place) => join(place, 'node')).find(existsSync);
    const [major, execve] = ofMachine ? nodeSays(ofMachine, 'parseInt(process.versions.node) + " " + typeof process.execve') : [];
    /** Node before 22.15 has no execve: koffi calls it there, and is missing without addons. */
    const launchers = [
      ...(ofMachine && Number(major) < 24 ? [['on that of the machine', ofMachine, {}, true] as const] : []),
      ['on the Node of the project', process.execPath, {}, true] as const,
      ...(ofMachine && execve === 'undefined'
        ? [['where it cannot be replaced', ofMachine, { NODE_OPTIONS: '--no-addons' }, false] as const]
        : []),
    ];
    for (const [where, runtime, settings, isReplaced] of aShareOf(launchers, 2)) {
      it(`is ${isReplaced ? 'one process' : 'a child of it'}, with its exit code, and ends when it is killed, ${where}`, async () => {
        assert.equal(await gatehouse(['no-such-command'], settings, undefined, runtime).ended(), 2);
        const service = gatehouse(['start'], { GATEHOUSE_DATA_DIR: dataDir(), ...settings }, undefined, runtime);
        running.push(service);
        const url = await service.listening();
        const { pid } = service.child;
        assert.equal(childrenOf(pid!).length, isReplaced ? 0 : 1);
        assert.equal(readlinkSync(`/proc/${service.serving}/exe`), realpathSync(process.execPath));
        const all = [pid!, ...descendantsOf(pid!)];
        service.child.kill('SIGKILL');
        await service.ended();
        await until(() => all.every((one) => !isAlive(one)));
        assert.ok(await isRefused(url));
      });
    }
  });

  describe('ends with its parent process', () => {
    for (const signal of aShareOf(['SIGTERM', 'SIGINT', 'SIGKILL'] as const, 2)) {
      it(`when npm start gets ${signal}`, async () => {
        const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(GATEHOUSE|npm)_/.test(key)));
        const npm = spawn('npm', ['start'], {
          cwd: ROOT,
          env: { ...env, ...SETTINGS, GATEHOUSE_DATA_DIR: dataDir() },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        others.push(npm);
        let said = '';
        npm.stdout.on('data', (chunk: Buffer) => {
          said += chunk;
        });
        await until(() => said.includes('identity service listens'));
        const all = descendantsOf(npm.pid!);
        assert.ok(all.length > 0);
        npm.kill(signal);
        if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit');
        await until(() => all.every((pid) => !isAlive(pid)));
        if (signal !== 'SIGKILL') assert.match(said, /"msg":"stopping"/);
      });
    }
  });
});

describe('The guide for operators', () => {
  it('gives the supervisor more time to stop it than it takes', async () => {
    const unit = await readFile(join(ROOT, 'packaging/systemd/gatehouse.service'), 'utf8');
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) >= 15, 'with no time to drain');
    assert.match(await readFile(join(ROOT, 'docs/guide/operating.md'), 'utf8'), /GATEHOUSE_DRAIN_SECONDS/);
  });
});
