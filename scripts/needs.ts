// Programs the tests need beyond `npm ci`. Everything missing is reported before the first test, with one command that installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { missingPostgres } from '../test/support/postgres.ts';

export interface Need {
  readonly what: string;
  /** Debian packages that contain it. The first one that Debian has is installed. */
  readonly packages: readonly string[];
  /** Matches the text of test files that use it. */
  readonly usedBy: RegExp;
  isThere(): boolean;
}

const hasProgram = (program: string): boolean => spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
const program = (name: string, packages: readonly string[], usedBy: RegExp): Need => ({
  what: `the program ${name}`,
  packages,
  usedBy,
  isThere: () => hasProgram(name),
});

export const NEEDS: readonly Need[] = [
  {
    what: 'a browser (chromium-headless-shell or chromium)',
    packages: ['chromium-headless-shell', 'chromium'],
    usedBy: /support\/chromium\.ts/,
    isThere: () => ['chromium-headless-shell', 'chromium'].some((name) => existsSync(`/usr/bin/${name}`)),
  },
  program('softhsm2-util', ['softhsm2'], /support\/softhsm\.ts/),
  {
    what: 'an LDAP server (slapd)',
    packages: ['slapd'],
    usedBy: /support\/slapd\.ts/,
    isThere: () => existsSync('/usr/sbin/slapd'),
  },
  program('systemd-analyze', ['systemd'], /'systemd-analyze'/),
  program('nginx', ['nginx-light'], /support\/proxies\.ts/),
  program('caddy', ['caddy'], /support\/proxies\.ts/),
  {
    what: 'a pooler (pgbouncer)',
    packages: ['pgbouncer'],
    usedBy: /support\/pgbouncer\.ts/,
    isThere: () => existsSync('/usr/sbin/pgbouncer'),
  },
  {
    what: 'a library that sets the clock of a process (libfaketime)',
    packages: ['libfaketime'],
    usedBy: /\/fake-clock\.ts/,
    isThere: () => globSync('/usr/lib/*/faketime/libfaketime.so.1').length > 0,
  },
  program('promtool', ['prometheus'], /execFileSync\('promtool'/),
  {
    what: 'a syslog server (rsyslogd)',
    packages: ['rsyslog'],
    usedBy: /spawn\('rsyslogd'/,
    isThere: () => existsSync('/usr/sbin/rsyslogd'),
  },
  {
    what: 'TLS for rsyslogd',
    packages: ['rsyslog-gnutls'],
    usedBy: /spawn\('rsyslogd'/,
    isThere: () => globSync('/usr/lib/*/rsyslog/lmnsd_gtls.so').length > 0,
  },
  program('openssl', ['openssl'], /execFileSync\('openssl'/),
  program('curl', ['curl'], /support\/guides\.ts|needsCommand\('curl'\)/),
  program('openstack', ['python3-openstackclient'], /support\/guides\.ts/),
];

export const missingFor = (files: readonly string[], needs: readonly Need[] = NEEDS): Need[] => {
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return needs.filter((need) => texts.some((text) => need.usedBy.test(text)) && !need.isThere());
};

export interface Machine {
  readonly isRoot: boolean;
  /** Runs a command and returns whether it succeeded. */
  run(command: string): boolean;
}

const thisMachine: Machine = {
  isRoot: process.getuid?.() === 0,
  run: (command) =>
    spawnSync('sh', ['-c', command], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0,
};

/** The first of the names that Debian knows. */
const packageOf = ({ packages }: Need, { run }: Machine): string =>
  packages.find((name) => run(`apt-cache show ${name} 2>/dev/null | grep -q .`)) ?? packages[0]!;

/** Lines to print if something is missing; empty if not. For root it installs what is missing. */
export function missing(files: readonly string[], needs: readonly Need[] = NEEDS, machine: Machine = thisMachine): string[] {
  let absent = missingFor(files, needs);
  const installing = () =>
    `apt-get update && apt-get install -y --no-install-recommends ${absent.map((need) => packageOf(need, machine)).join(' ')}`;
  if (absent.length > 0 && machine.isRoot && machine.run('command -v apt-get')) {
    console.log(`installing what the tests need: ${absent.map(({ what }) => what).join(', ')}`);
    // The package lists first: they tell which packages exist.
    machine.run('apt-get update');
    machine.run(installing());
    absent = missingFor(files, needs);
  }
  const postgres = missingPostgres();
  return [
    ...(postgres ? [postgres] : []),
    ...absent.map(({ what }) => `missing: ${what}`),
    ...(absent.length > 0
      ? [`Run this once, then again npm test:\n\n  ${machine.isRoot ? '' : 'sudo '}sh -c '${installing()}'\n`]
      : []),
  ];
}
