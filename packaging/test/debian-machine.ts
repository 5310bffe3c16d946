// A bare Debian with systemd, booted in a container of its own: no network but its loopback or one of the test, nothing of this machine but
// what is copied in.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SUITE = 'bookworm';
const START_MS = 180_000;

export const canBoot = (): string | false => {
  if (process.getuid?.() !== 0) return 'booting a Debian needs root';
  for (const program of ['debootstrap', 'systemd-nspawn', 'nsenter', 'ip'])
    if (spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0)
      return `booting a Debian needs ${program}: apt-get install debootstrap systemd-container util-linux iproute2`;
  return false;
};

/**
 * The smallest Debian that boots, with packages in its cache that can be installed without network. TEST_DEBIAN_ROOT names a folder that
 * keeps it for further runs.
 */
export function bareDebian(folder: string, packages: readonly string[]): string {
  const kept = process.env.TEST_DEBIAN_ROOT;
  const root = kept ?? join(folder, 'debian');
  if (existsSync(join(root, 'usr/lib/systemd/systemd'))) return root;
  const log = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync('debootstrap', ['--variant=minbase', '--include=systemd,systemd-sysv,dbus', SUITE, root], {
    stdio: [...log],
  });
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  execFileSync('chroot', [root, 'apt-get', 'update'], { stdio: [...log] });
  const download = ['install', '-y', '--download-only', '--no-install-recommends', ...packages];
  execFileSync('chroot', [root, 'apt-get', ...download], { stdio: [...log] });
  return root;
}

export interface Said {
  readonly status: number | null;
  /** Standard output and errors. */
  readonly text: string;
}

export class DebianMachine {
  readonly root: string;
  readonly #nspawn: ChildProcess;
  #init = 0;

  private constructor(root: string, network?: string) {
    this.root = root;
    const args = [
      '-q',
      '-b',
      '-D',
      root,
      '--register=no',
      '--keep-unit',
      network ? `--network-namespace-path=${network}` : '--private-network',
      '--link-journal=no',
      '--console=pipe',
    ];
    this.#nspawn = spawn('systemd-nspawn', args, { stdio: 'ignore' });
  }

  /** `network` is the path of a network namespace. */
  static async boot(base: string, folder: string, network?: string): Promise<DebianMachine> {
    execFileSync('cp', ['-a', '--reflink=auto', base, folder]);
    const machine = new DebianMachine(folder, network);
    const until = Date.now() + START_MS;
    for (;;) {
      machine.#init = machine.#child();
      if (machine.#init && /running|degraded/.test(machine.run('systemctl is-system-running').text)) return machine;
      if (machine.#nspawn.exitCode !== null || Date.now() > until) throw new Error('Debian did not boot');
      await pause(200);
    }
  }

  #child(): number {
    const { pid } = this.#nspawn;
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] ?? 0);
    } catch {
      return 0;
    }
  }

  /** Runs a script as root, as somebody logged in there would. It stops at the first command that fails. */
  run(script: string): Said {
    const enter = ['-t', String(this.#init), '-m', '-u', '-i', '-n', '-p', '-r', '-w'];
    const env = [
      'env',
      '-i',
      'HOME=/root',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'LC_ALL=C.UTF-8',
      'DEBIAN_FRONTEND=noninteractive',
    ];
    const { status, stdout } = spawnSync(
      'nsenter',
      [...enter, ...env, 'bash', '-c', `exec 2>&1; cd /root; set -euo pipefail\n${script}`],
      {
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        timeout: 1_200_000,
      },
    );
    return { status, text: stdout };
  }

  /** Like `run`, for what must succeed. */
  does(script: string): string {
    const { status, text } = this.run(script);
    if (status !== 0)
      throw new Error(`exit ${status}: ${script}\n${text}\n${this.run('journalctl -u gatehouse -n 40 --no-pager').text}`);
    return text;
  }

  /** Copies files into /root. */
  give(...files: string[]): void {
    mkdirSync(join(this.root, 'root'), { recursive: true });
    for (const file of files) copyFileSync(file, join(this.root, 'root', basename(file)));
  }

  /** Copies a file of this machine into /root of another. */
  send(file: string, to: DebianMachine): void {
    to.give(join(this.root, file));
  }

  async powerOff(): Promise<void> {
    if (this.#init) this.run('systemctl poweroff --no-block || true');
    const until = Date.now() + 60_000;
    while (this.#nspawn.exitCode === null && this.#nspawn.signalCode === null && Date.now() < until) await pause(100);
    if (this.#nspawn.exitCode === null) this.#nspawn.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}
