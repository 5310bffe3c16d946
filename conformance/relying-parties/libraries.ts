// The libraries: how the example of each is built and started, what is registered for it, and what it can do.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { needCommand, needPackage, packageVersion } from '../support/debian.ts';

const EXAMPLES = import.meta.dirname;

export interface Library {
  readonly title: string;
  /** Builds the example in `folder`, which is empty, and says how it is started. */
  build(folder: string): Built;
  /** Of the redirect address. */
  readonly redirect: string;
  /** Where people come back after they have signed out. Not set: the first page. */
  readonly signedOut?: string;
  readonly backChannel?: string;
  /** The page that only somebody who is signed in sees. */
  readonly page: string;
  readonly refresh: Refresh;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * How it stays signed in. `userinfo`: its page asks there, by an access token that has ended by then. `token`: this page shows the access
 * token, which is another one then. `silent`: the browser goes to the service and back, and nothing is asked.
 */
export type Refresh = { readonly by: 'userinfo' | 'silent' } | { readonly by: 'token'; readonly page: string };

export interface Built {
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr + stdout}`);
  return stdout;
}

/** In an environment of its own, with the packages of requirements.txt. */
function python(example: string, distribution: string, folder: string): Built {
  needPackage('python3-venv');
  run('python3', ['-m', 'venv', folder], EXAMPLES);
  const command = join(folder, 'bin/python');
  run(command, ['-m', 'pip', 'install', '--quiet', '--requirement', join(EXAMPLES, example, 'requirements.txt')], folder);
  const version = run(command, ['-c', `import importlib.metadata as m; print(m.version("${distribution}"))`], folder).trim();
  return { version, command, args: [join(EXAMPLES, example, 'app.py')] };
}

export const LIBRARIES: Readonly<Record<string, Library>> = {
  authlib: {
    title: 'Authlib (Flask)',
    build: (folder) => python('authlib', 'Authlib', folder),
    redirect: '/callback',
    signedOut: '/signed-out',
    page: '/',
    refresh: { by: 'userinfo' },
  },
  'mozilla-django-oidc': {
    title: 'mozilla-django-oidc (Django)',
    build: (folder) => python('mozilla-django-oidc', 'mozilla-django-oidc', folder),
    redirect: '/oidc/callback/',
    page: '/',
    refresh: { by: 'silent' },
    env: { RENEW_SECONDS: '30' },
  },
  'go-oidc': {
    title: 'go-oidc, x/oauth2',
    build(folder) {
      needCommand('go', 'golang-go');
      const [source, program] = [join(EXAMPLES, 'go-oidc'), join(folder, 'reports')];
      run('go', ['build', '-o', program, '.'], source);
      const version = run('go', ['list', '-m', '-f', '{{.Version}}', 'github.com/coreos/go-oidc/v3'], source).trim();
      return { version, command: program, args: [] };
    },
    redirect: '/callback',
    backChannel: '/backchannel-logout',
    page: '/',
    refresh: { by: 'userinfo' },
  },
  'mod-auth-openidc': {
    title: 'mod_auth_openidc (Apache)',
    build(folder) {
      for (const name of ['apache2', 'libapache2-mod-auth-openidc']) needPackage(name);
      const source = join(EXAMPLES, 'mod-auth-openidc');
      mkdirSync(join(folder, 'pages/secure'), { recursive: true });
      copyFileSync(join(source, 'index.html'), join(folder, 'pages/index.html'));
      copyFileSync(join(source, 'index.shtml'), join(folder, 'pages/secure/index.shtml'));
      const args = ['-D', 'FOREGROUND', '-f', join(source, 'apache.conf')];
      return { version: packageVersion('libapache2-mod-auth-openidc'), command: '/usr/sbin/apache2', args };
    },
    redirect: '/secure/redirect_uri',
    backChannel: '/secure/redirect_uri?logout=backchannel',
    page: '/secure/index.shtml',
    refresh: { by: 'token', page: '/secure/index.shtml' },
    env: { PASSPHRASE: 'the passphrase of the run' },
  },
  'spring-security': {
    title: 'Spring Security (Spring Boot)',
    build(folder) {
      needCommand('mvn', 'maven');
      needCommand('unzip', 'unzip');
      cpSync(join(EXAMPLES, 'spring-security'), folder, { recursive: true });
      run('mvn', ['--quiet', '--batch-mode', 'package'], folder);
      const jar = join(folder, 'target/reports.jar');
      const inside = run('unzip', ['-l', jar], folder);
      const version = /spring-security-oauth2-client-([\d.]+)\.jar/.exec(inside)?.[1] ?? 'of unknown version';
      return { version, command: 'java', args: ['-jar', jar] };
    },
    redirect: '/login/oauth2/code/gatehouse',
    backChannel: '/logout/connect/back-channel/gatehouse',
    page: '/',
    refresh: { by: 'token', page: '/token' },
  },
};
