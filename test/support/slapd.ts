// A real LDAP server for tests: Debian's slapd, on ports of its own, with its data in a folder that goes with it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'ldapts';
import { certify } from './certificates.ts';
import { freePort } from './ports.ts';

export const SUFFIX = 'dc=example,dc=org';
export const PEOPLE = `ou=People,${SUFFIX}`;
export const GROUPS = `ou=Groups,${SUFFIX}`;
/** Where the entries of those who left are, and no search goes. */
const FORMER = `ou=Former,${SUFFIX}`;
export const READER = { dn: `cn=reader,${SUFFIX}`, password: 'the reader of the tests' };
const ROOT = { dn: `cn=admin,${SUFFIX}`, password: 'the root of the tests' };
const PROGRAM = '/usr/sbin/slapd';
const START_MS = 30_000;

export const passwordOf = (uid: string): string => `password of ${uid}`;
export const dnOf = (uid: string): string => `uid=${uid.replaceAll(',', '\\,')},${PEOPLE}`;
export const groupDn = (cn: string): string => `cn=${cn},${GROUPS}`;

export type Attributes = Readonly<Record<string, string | readonly string[]>>;

/** What an entry of a person has, unless told otherwise. */
export const person = (uid: string, more: Attributes = {}): Attributes => ({
  objectClass: 'inetOrgPerson',
  uid,
  cn: `Person ${uid}`,
  sn: uid,
  mail: `${uid}@example.org`,
  userPassword: passwordOf(uid),
  ...more,
});

export const group = (cn: string, member: readonly string[], more: Attributes = {}): Attributes => ({
  objectClass: 'groupOfNames',
  cn,
  member,
  ...more,
});

function ldif(dn: string, attributes: Attributes): string {
  const line = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString('base64')}`;
  const lines = Object.entries(attributes).flatMap(([name, values]) =>
    [values].flat().map((value) => line(name, value as string)),
  );
  return `${[line('dn', dn), ...lines].join('\n')}\n\n`;
}

const skeleton = (): string =>
  ldif(SUFFIX, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' }) +
  ldif(PEOPLE, { objectClass: 'organizationalUnit', ou: 'People' }) +
  ldif(GROUPS, { objectClass: 'organizationalUnit', ou: 'Groups' }) +
  ldif(FORMER, { objectClass: 'organizationalUnit', ou: 'Former' }) +
  ldif(READER.dn, { objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'reader', userPassword: READER.password });

export interface SlapdOptions {
  /** People called user0, user1, ... */
  readonly people?: number;
  /** Further entries, by their DNs. */
  readonly entries?: Readonly<Record<string, Attributes>>;
  /** Nobody needs a bind to search. */
  readonly isOpen?: boolean;
  /** Lines for the database in its configuration. */
  readonly settings?: readonly string[];
}

export class Slapd {
  readonly #options: SlapdOptions;
  #folder = '';
  #process: ChildProcess | undefined;
  #port = 0;
  #securePort = 0;
  /** A certificate of the authority its own comes from, and that of another authority. */
  caFile = '';
  otherCaFile = '';

  constructor(options: SlapdOptions = {}) {
    this.#options = options;
  }

  get url(): string {
    return `ldap://localhost:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get secureUrl(): string {
    return `ldaps://localhost:${this.#securePort}`;
  }

  /** By an address the certificate does not name. */
  get secureUrlByAddress(): string {
    return `ldaps://127.0.0.1:${this.#securePort}`;
  }

  async start(): Promise<void> {
    if (!existsSync(PROGRAM))
      throw new Error(`${PROGRAM} is needed for this test; install it with: apt-get install --no-install-recommends slapd`);
    this.#folder = mkdtempSync(join(tmpdir(), 'gatehouse-slapd-'));
    [this.#port, this.#securePort] = [await freePort(), await freePort()];
    this.#writeCertificates();
    this.#load();
    await this.run();
  }

  /** Starts it again on the same data. */
  async run(): Promise<void> {
    const urls = `ldap://127.0.0.1:${this.#port} ldaps://127.0.0.1:${this.#securePort}`;
    const args = ['-d', '0', '-f', join(this.#folder, 'slapd.conf'), '-h', urls];
    const setpriv = '/usr/bin/setpriv';
    // The kernel ends it with us, even by kill -9.
    this.#process = existsSync(setpriv)
      ? spawn(setpriv, ['--pdeathsig=KILL', '--', PROGRAM, ...args], { stdio: 'ignore' })
      : spawn(PROGRAM, args, { stdio: 'ignore' });
    const until = Date.now() + START_MS;
    while (!(await answers(this.#port))) {
      if (Date.now() > until || this.#process.exitCode !== null) throw new Error('slapd did not start');
      await sleep(20);
    }
  }

  /** Like a machine that hangs: connections are taken, and nobody answers. */
  async freeze(): Promise<void> {
    const { pid } = this.#process!;
    this.#process!.kill('SIGSTOP');
    const isStopped = () =>
      readdirSync(`/proc/${pid}/task`).every((id) => / T /.test(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')));
    // The signal stops one thread after the other.
    while (!isStopped()) await sleep(2);
  }

  thaw(): void {
    this.#process!.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Changes entries, as the administrator of the directory does. */
  async change(work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ url: this.url });
    try {
      await client.bind(ROOT.dn, ROOT.password);
      await work(client);
    } finally {
      await client.unbind();
    }
  }

  /** From now on the server shows so many entries at most; it is started again for it. */
  async limit(entries: number | undefined): Promise<void> {
    await this.kill();
    const conf = join(this.#folder, 'slapd.conf');
    const text = readFileSync(conf, 'utf8').replace(/^sizelimit .*$/m, `sizelimit ${entries ?? 'unlimited'}`);
    writeFileSync(conf, text);
    await this.run();
  }

  add = (dn: string, attributes: Attributes): Promise<void> =>
    this.change((client) => client.add(dn, attributes as Record<string, string | string[]>));

  /** Moves the entry to where nobody looks. It stays the same entry, with its entryUUID. */
  leave = (uid: string): Promise<void> => this.change((client) => client.modifyDN(dnOf(uid), dnOf(uid).replace(PEOPLE, FORMER)));

  /** The same entry again, as after `leave`. */
  comeBack = (uid: string): Promise<void> =>
    this.change((client) => client.modifyDN(dnOf(uid).replace(PEOPLE, FORMER), dnOf(uid)));

  /** Another person gets the id: their entry has an entryUUID of its own. */
  async replace(uid: string, attributes: Attributes = person(uid)): Promise<void> {
    await this.change((client) => client.del(dnOf(uid)));
    await this.add(dnOf(uid), attributes);
  }

  #writeCertificates(): void {
    const pem = (der: string) => `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
    const authority = certify({ name: 'CN=Authority of the tests', ca: true });
    const other = certify({ name: 'CN=Another authority', ca: true });
    const server = certify({ name: 'CN=localhost', by: authority, dns: ['localhost'] });
    const write = (name: string, text: string): string => {
      const path = join(this.#folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    this.caFile = write('ca.pem', pem(authority.der));
    this.otherCaFile = write('other.pem', pem(other.der));
    write('server.pem', pem(server.der));
    write('server.key', server.key.export({ type: 'pkcs8', format: 'pem' }) as string);
  }

  #load(): void {
    const { people = 0, entries = {}, settings = [], isOpen = false } = this.#options;
    const folder = this.#folder;
    mkdirSync(join(folder, 'data'));
    const conf = join(folder, 'slapd.conf');
    const schemas = ['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
    writeFileSync(
      conf,
      [
        ...schemas,
        // As Active Directory says when a password was changed.
        "attributetype ( 1.2.840.113556.1.4.96 NAME 'pwdLastSet' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )",
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        `pidfile ${folder}/pid`,
        `TLSCACertificateFile ${folder}/ca.pem`,
        `TLSCertificateFile ${folder}/server.pem`,
        `TLSCertificateKeyFile ${folder}/server.key`,
        'database mdb',
        `suffix "${SUFFIX}"`,
        `rootdn "${ROOT.dn}"`,
        `rootpw "${ROOT.password}"`,
        `directory ${folder}/data`,
        'maxsize 268435456',
        'dbnosync',
        'index objectClass,uid,cn,sn,member eq',
        'sizelimit unlimited',
        'access to attrs=userPassword by anonymous auth by * none',
        isOpen ? 'access to * by * read' : `access to * by dn.exact="${READER.dn}" read by anonymous auth by * none`,
        ...settings,
        '',
      ].join('\n'),
    );
    const everybody = Array.from({ length: people }, (_, at) => `user${at}`).map((uid) => ldif(dnOf(uid), person(uid)));
    const others = Object.entries(entries).map(([dn, attributes]) => ldif(dn, attributes));
    const path = join(folder, 'entries.ldif');
    writeFileSync(path, skeleton() + [...everybody, ...others].join(''));
    execFileSync('/usr/sbin/slapadd', ['-q', '-f', conf, '-l', path], { stdio: 'pipe' });
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
