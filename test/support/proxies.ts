// nginx and Caddy with the examples of packaging/proxies: only names, ports and certificates are replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface ProxyPorts {
  readonly http: number;
  readonly https: number;
  readonly identity: number;
  readonly wallet: number;
}

export interface RunningProxy {
  stop(): Promise<void>;
}

/** Much longer than needed, because all cores may be busy with other tests. */
const START_MS = 60_000;

async function waitForPort(port: number, child: ChildProcess, said: () => string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (child.exitCode !== null || Date.now() > until) throw new Error(`the proxy did not start: ${said()}`);
    await pause(20);
  }
}

async function run(program: string, args: readonly string[], port: number, env: NodeJS.ProcessEnv = {}): Promise<RunningProxy> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  await waitForPort(port, child, () => said);
  return {
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** The example as it is printed, with the addresses of this test. */
const example = (name: string, replaced: readonly [string | RegExp, string][]): string => {
  let text = readFileSync(join('packaging/proxies', name), 'utf8');
  for (const [from, to] of replaced) {
    const next = text.replaceAll(from, to);
    if (next === text) throw new Error(`${name} has no ${from} any more`);
    text = next;
  }
  return text;
};

const upstreams = ({ identity, wallet }: ProxyPorts): [string, string][] => [
  ['127.0.0.1:5000', `127.0.0.1:${identity}`],
  ['127.0.0.1:8080', `127.0.0.1:${wallet}`],
];

export function startNginx(folder: string, certificate: string, key: string, ports: ProxyPorts): Promise<RunningProxy> {
  const site = example('nginx.conf', [
    ...upstreams(ports),
    [/listen 80;/g, `listen 127.0.0.1:${ports.http};`],
    [/listen 443 ssl/g, `listen 127.0.0.1:${ports.https} ssl`],
    [/ {4}listen \[::\]:.*\n/g, ''],
    [/ssl_certificate \S+;/g, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key \S+;/g, `ssl_certificate_key ${key};`],
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name), { recursive: true });
  // The frame that Debian's nginx.conf is, in a folder of its own.
  const frame = [
    `pid ${folder}/nginx.pid;`,
    'error_log stderr;',
    'daemon off;',
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'events {}',
    'http {',
    'access_log off;',
    ...[
      ['client_body_temp_path', 'body'],
      ['proxy_temp_path', 'proxy'],
      ['fastcgi_temp_path', 'fastcgi'],
      ['uwsgi_temp_path', 'uwsgi'],
      ['scgi_temp_path', 'scgi'],
    ].map(([directive, name]) => `${directive} ${folder}/${name};`),
    `include ${folder}/site.conf;`,
    '}',
  ];
  writeFileSync(join(folder, 'nginx.conf'), `${frame.join('\n')}\n`);
  return run('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], ports.https);
}

export function startCaddy(folder: string, certificate: string, key: string, ports: ProxyPorts): Promise<RunningProxy> {
  // As its comment says of certificates of one's own.
  const tls = `\tbind 127.0.0.1\n\ttls ${certificate} ${key} {\n`;
  const file = example('Caddyfile', [...upstreams(ports), [/^\ttls \{\n/gm, tls]]);
  const options = `{\n\tadmin off\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n\tstorage file_system ${folder}/caddy\n}\n`;
  writeFileSync(join(folder, 'Caddyfile'), options + file);
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  return run('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], ports.https, env);
}
