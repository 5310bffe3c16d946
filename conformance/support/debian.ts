// External programs come from Debian's packages, unchanged.
import { spawnSync } from 'node:child_process';

const found = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

/** Checks that a command exists. If not, root installs its package; other users get the command to run, and the process exits. */
export function needCommand(command: string, packageName: string): void {
  if (found(command)) return;
  installPackage(command, packageName);
  if (!found(command)) stop(`${packageName} is installed, but ${command} is not found`);
}

/** The same for a package without a command. */
export function needPackage(packageName: string): void {
  if (packageVersion(packageName) === 'of unknown version') installPackage(packageName, packageName);
}

function installPackage(what: string, packageName: string): void {
  // Others may install something at the same moment.
  const install = ['apt-get', '-o', 'DPkg::Lock::Timeout=120', 'install', '--yes', '--no-install-recommends', packageName];
  if (process.getuid?.() !== 0) stop(`${what} is not installed. Run: sudo ${install.join(' ')}`);
  console.log(`installing ${packageName}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (args: readonly string[]): boolean =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  // The package lists may be missing or old. They are updated only if the first attempt fails.
  if (!apt(install.slice(1)) && !(apt(['update']) && apt(install.slice(1)))) stop(`cannot install ${packageName}`);
}

/** The version of a Debian package, for the heading of a result. */
export function packageVersion(packageName: string): string {
  const { stdout } = spawnSync('dpkg-query', ['--show', packageName], { encoding: 'utf8' });
  return stdout?.trim().split('\t')[1] || 'of unknown version';
}

export function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
