// Debian's Keystone for comparison: its configuration, and the commands that prepare and run it. Whoever starts it runs the commands.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANAGE = '/usr/bin/keystone-manage';
const SCRIPT = '/usr/bin/keystone-wsgi-public';
const UWSGI = '/usr/bin/uwsgi';

/** Debian packages with these files. */
export const KEYSTONE_PACKAGES = ['keystone', 'uwsgi-core', 'uwsgi-plugin-python3'];

/** The first missing file, if any. */
export const missingKeystone = (): string | undefined => [MANAGE, SCRIPT, UWSGI].find((file) => !existsSync(file));

export interface KeystoneOptions {
  /** Empty; gets the configuration, the database, the keys and the log. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  readonly region: string;
  readonly processes: number;
  /** The endpoints in its catalog. */
  readonly interfaces: readonly ('public' | 'internal' | 'admin')[];
  /** More lines for keystone.conf. They begin with a section. */
  readonly settings?: string;
}

export interface KeystoneCommands {
  readonly url: string;
  readonly database: string;
  /** To be added to the environment of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** One after the other: the schema, the keys, the first administrator. */
  readonly prepare: readonly (readonly string[])[];
  readonly serve: readonly string[];
}

const configuration = (folder: string, settings: string): string => `
[DEFAULT]
log_file = ${folder}/keystone.log
[database]
connection = sqlite:///${folder}/keystone.sqlite
[token]
provider = fernet
[fernet_tokens]
key_repository = ${folder}/fernet
[credential]
key_repository = ${folder}/credential
${settings}
`;

/** Default settings, Fernet tokens, SQLite, uWSGI on loopback. Writes the configuration and makes the folders of the keys. */
export function keystoneCommands(options: KeystoneOptions): KeystoneCommands {
  const { folder, port, password, region, processes, interfaces, settings = '' } = options;
  const file = join(folder, 'keystone.conf');
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(file, configuration(folder, settings));
  for (const keys of ['fernet', 'credential']) mkdirSync(join(folder, keys), { mode: 0o700 });
  const owner = ['--keystone-user', String(process.getuid?.()), '--keystone-group', String(process.getgid?.())];
  const manage = (...args: string[]): string[] => [MANAGE, '--config-file', file, ...args];
  const addresses = interfaces.flatMap((name) => [`--bootstrap-${name}-url`, `${url}/v3`]);
  return {
    url,
    database: join(folder, 'keystone.sqlite'),
    env: { OS_KEYSTONE_CONFIG_FILES: file, OS_BOOTSTRAP_PASSWORD: password },
    prepare: [
      manage('db_sync'),
      manage('fernet_setup', ...owner),
      manage('credential_setup', ...owner),
      manage('bootstrap', ...addresses, '--bootstrap-region-id', region),
    ],
    serve: [
      ...[UWSGI, '--plugins', 'python3', '--wsgi-file', SCRIPT, '--http-socket', `127.0.0.1:${port}`],
      ...['--master', '--lazy-apps', '--processes', String(processes), '--buffer-size', '65535'],
      ...['--die-on-term', '--disable-logging', '--need-app', '--add-header', 'Connection: close'],
    ],
  };
}
