// gatehouse doctor on SQLite. Each test breaks one thing, and exactly that is reported.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { backup } from '../src/backup.ts';
import { examine, exitStatusOf, type Finding, type Machine } from '../src/doctor/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { type CertificateOptions, certify, type TestCertificate } from './support/certificates.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { MailServer, smtpSettings } from './support/mail-server.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, usesProcesses } from './support/process.ts';

const PASSWORD = 'the administrator of the tests';
const DAY = 86_400_000;
const pem = ({ certificate }: TestCertificate): string => certificate.toString();
const keyPem = ({ key }: TestCertificate): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('gatehouse doctor', () => {
  const { newFolder, run } = usesProcesses();
  const mail = new MailServer();
  const authority = certify({ name: 'CN=Authority of the doctor', ca: true, until: new Date(Date.now() + 900 * DAY) });
  const machine: Machine = {
    now: () => Date.now(),
    freeBytes: async () => 50 * 1024 ** 3,
    isClockSynchronized: async () => true,
  };
  let root: string;
  let folder: string;
  let running: GatehouseProcess;
  let [identityPort, walletPort] = [0, 0];
  let settings: Record<string, string>;
  let baseline: Map<string, Finding>;

  const statusesOf = (findings: readonly Finding[]) => new Map(findings.map((one) => [one.check, one]));
  const newCertificate = (options: Partial<CertificateOptions> = {}): TestCertificate =>
    certify({ name: 'CN=localhost', by: authority, dns: ['localhost'], until: new Date(Date.now() + 90 * DAY), ...options });

  /** What is reported otherwise than without the change. */
  async function changed(env: Record<string, string | undefined>, other: Partial<Machine> = {}): Promise<Record<string, string>> {
    const findings = statusesOf(await examine({ env: { ...settings, ...env }, machine: { ...machine, ...other } }));
    const differing = [...findings.values()].filter(({ check, status }) => baseline.get(check)?.status !== status);
    for (const { status, mend, check } of findings.values())
      assert.equal(mend !== undefined, status !== 'ok', `${check} says what to mend`);
    return Object.fromEntries(differing.map(({ check, status }) => [check, status]));
  }

  /** A copy of the data of the stopped service. */
  async function copy(): Promise<string> {
    const to = join(await newFolder(), 'data');
    cpSync(folder, to, { recursive: true });
    chmodSync(to, 0o700);
    return to;
  }

  before(async () => {
    setDefaultCACertificates([...getCACertificates('default'), pem(authority)]);
    root = await newFolder();
    folder = join(root, 'data');
    await mail.open();
    [identityPort, walletPort] = [await freePort(), await freePort()];
    settings = {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_IDENTITY_PORT: String(identityPort),
      GATEHOUSE_WALLET_PORT: String(walletPort),
      GATEHOUSE_IDENTITY_URL: `http://localhost:${identityPort}`,
      GATEHOUSE_WALLET_URL: `http://localhost:${walletPort}`,
      ...smtpSettings(mail),
    };
    running = run(['start'], {
      ...settings,
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_IDENTITY_HOST: 'localhost',
      GATEHOUSE_WALLET_HOST: 'localhost',
    });
    await running.listening();
    await running.walletListening();
    // Makes the keys of the OpenID provider.
    assert.equal((await fetch(`http://localhost:${identityPort}/openid/jwks`)).status, 200);
    await backup(folder, join(root, 'one.tar'));
    baseline = statusesOf(await examine({ env: settings, machine }));
  });
  after(() => mail.close());

  describe('while the service runs', () => {
    it('finds a good deployment good, but for the administrator without a second factor', () => {
      const troubles = [...baseline.values()].filter(({ status }) => status !== 'ok');
      assert.deepEqual(
        troubles.map(({ check, status }) => [check, status]),
        [['administrators', 'warn']],
        JSON.stringify(troubles, null, 1),
      );
      assert.ok(baseline.size > 30, `${baseline.size} checks`);
      assert.equal(mail.received.length, 0);
    });

    it('prints a line for each check, JSON on demand, and exits with 1 for warnings', async () => {
      const text = run(['doctor'], { ...settings });
      assert.equal(await text.ended(), 1, text.stdout + text.stderr);
      const lines = text.stdout.trim().split('\n');
      assert.equal(lines.length, baseline.size);
      for (const line of lines) assert.match(line, /^(ok|warn|fail) +[\w.-]+ +\S/);
      const json = run(['doctor', '--json', '--service', 'wallet'], { ...settings });
      assert.equal(await json.ended(), 0, json.stdout);
      const { exit_status: exitStatus, findings } = JSON.parse(json.stdout) as { exit_status: number; findings: Finding[] };
      assert.equal(exitStatus, 0);
      assert.ok(!findings.some(({ check }) => check.endsWith('.identity')));
    });

    it('reports a setting that is misspelled or wrong, and exits with 2', async () => {
      const wrong = run(['doctor'], { ...settings, GATEHOUSE_IDENTITY_PROT: '1' });
      assert.equal(await wrong.ended(), 2);
      assert.match(
        wrong.stdout,
        /^fail {2}settings +GATEHOUSE_IDENTITY_PROT is not a setting; did you mean GATEHOUSE_IDENTITY_PORT/,
      );
      for (const env of [
        { GATEHOUSE_WORKERS: '2' },
        { GATEHOUSE_TLS_CERT_FILE: '/nowhere' },
        { GATEHOUSE_IDENTITY_WEBHOOK_URL: 'https://x.example' },
      ])
        assert.equal((await examine({ env: { ...settings, ...env }, machine }))[0]!.status, 'fail', JSON.stringify(env));
    });

    it('reports a public address that does not answer, is another service, is not https, or is not set', async () => {
      const nowhere = await freePort();
      assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_URL: `http://localhost:${nowhere}` }), {
        'public-address.identity': 'fail',
      });
      // The wallet node is a Gatehouse, too, but not this service.
      assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_URL: `http://localhost:${walletPort}` }), {
        'public-address.identity': 'fail',
      });
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_URL: `http://localhost:${identityPort}` }), {
        'public-address.wallet': 'fail',
      });
      assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_URL: 'http://id.example.org' }), { 'public-address.identity': 'fail' });
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_URL: undefined }), { 'public-address.wallet': 'warn' });
    });

    it('reports the certificate of the public address: expired, soon expired, for another name, not trusted', async () => {
      const cases: [TestCertificate, string][] = [
        [newCertificate(), 'ok'],
        [newCertificate({ until: new Date(Date.now() - DAY), from: new Date(Date.now() - 9 * DAY) }), 'fail'],
        [newCertificate({ until: new Date(Date.now() + 10 * DAY + 60_000) }), 'warn'],
        [newCertificate({ until: new Date(Date.now() + 2 * DAY) }), 'fail'],
        [newCertificate({ dns: ['elsewhere.example'] }), 'fail'],
        [certify({ name: 'CN=localhost', dns: ['localhost'], until: new Date(Date.now() + 90 * DAY) }), 'fail'],
      ];
      for (const [index, [certificate, expected]] of cases.entries()) {
        const proxy = createSecureServer({ key: keyPem(certificate), cert: pem(certificate) }, (incoming, answer) => {
          const call = request(
            { port: identityPort, host: 'localhost', path: incoming.url, headers: incoming.headers },
            (reply) => {
              answer.writeHead(reply.statusCode!, reply.headers);
              reply.pipe(answer);
            },
          );
          call.end();
        });
        await new Promise<void>((resolve) => void proxy.listen(0, 'localhost', resolve));
        const { port } = proxy.address() as { port: number };
        const env = { GATEHOUSE_IDENTITY_URL: `https://localhost:${port}`, GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' };
        try {
          assert.deepEqual(await changed(env), expected === 'ok' ? {} : { 'public-address.identity': expected }, `case ${index}`);
        } finally {
          proxy.closeAllConnections();
          proxy.close();
        }
      }
    });

    it('reports proxies: none where one must be, and too many', async () => {
      // Not asked: nothing is at that address. Only the other finding counts here.
      const { 'public-address.identity': _, ...found } = await changed({ GATEHOUSE_IDENTITY_URL: 'https://localhost:1' });
      assert.deepEqual(found, { 'trusted-proxies': 'fail' });
      assert.deepEqual(await changed({ GATEHOUSE_TRUSTED_PROXIES: '0.0.0.0/0' }), { 'trusted-proxies': 'fail' });
      assert.deepEqual(await changed({ GATEHOUSE_TRUSTED_PROXIES: 'proxy' }), { 'trusted-proxies': 'fail' });
    });

    it('reports a mail server that is away, does not know us, or has no TLS; and a folder instead of one', async () => {
      assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_SMTP_PORT: String(await freePort()) }), { mail: 'fail' });
      assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_SMTP_TLS: 'starttls' }), { mail: 'fail' });
      const strict = new MailServer({ credentials: { user: 'ann', password: 'right' } });
      await strict.open();
      const login = { ...smtpSettings(strict), GATEHOUSE_IDENTITY_SMTP_USER: 'ann' };
      assert.deepEqual(await changed({ ...login, GATEHOUSE_IDENTITY_SMTP_PASSWORD: 'wrong' }), { mail: 'fail' });
      assert.deepEqual(await changed({ ...login, GATEHOUSE_IDENTITY_SMTP_PASSWORD: 'right' }), {});
      await strict.close();
      const none = { GATEHOUSE_IDENTITY_SMTP_HOST: undefined, GATEHOUSE_IDENTITY_SMTP_PORT: undefined };
      assert.deepEqual(await changed(none), { mail: 'warn' });
    });

    itAtLength('reports the clock: no time server; set back', async () => {
      assert.deepEqual(await changed({}, { isClockSynchronized: async () => false }), { clock: 'warn' });
      assert.deepEqual(await changed({}, { isClockSynchronized: async () => undefined }), {});
      assert.deepEqual(await changed({}, { now: () => Date.now() - 3_600_000 }), { clock: 'fail', backup: 'warn' });
    });

    it('reports a full disk', async () => {
      assert.deepEqual(await changed({}, { freeBytes: async () => 500 * 1024 ** 2 }), { disk: 'warn' });
      assert.deepEqual(await changed({}, { freeBytes: async () => 50 * 1024 ** 2 }), { disk: 'fail' });
    });

    itAtLength('reports weak settings', async () => {
      const weak: [Record<string, string>, Record<string, string>][] = [
        [{ GATEHOUSE_RATE_LIMITS: 'off' }, { 'weak.rate-limits': 'fail' }],
        [{ GATEHOUSE_METRICS_HOST: '0.0.0.0' }, { 'weak.metrics': 'warn' }],
        [{ GATEHOUSE_OUTBOUND_ALLOW: 'localhost' }, { 'weak.outbound': 'warn' }],
        [{ GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '4' }, { 'weak.password-length': 'warn' }],
        [{ GATEHOUSE_IDENTITY_PASSWORD_COMMON: 'allow' }, { 'weak.password-common': 'warn' }],
        [{ GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64' }, { 'weak.password-hash': 'warn' }],
        [{ GATEHOUSE_IDENTITY_TOKEN_SECONDS: '900000' }, { 'weak.token-life': 'warn' }],
        [{ GATEHOUSE_ADMIN_PASSWORD: PASSWORD }, { 'weak.admin-password': 'warn' }],
        [{ GATEHOUSE_IDENTITY_HOST: '0.0.0.0' }, { 'weak.listen': 'fail' }],
      ];
      for (const [env, expected] of weak) assert.deepEqual(await changed(env), expected, JSON.stringify(env));
      const { mail: _, ...unencrypted } = await changed({
        GATEHOUSE_IDENTITY_SMTP_HOST: '192.0.2.1',
        GATEHOUSE_IDENTITY_SMTP_PORT: '1',
      });
      assert.deepEqual(unencrypted, { 'weak.mail': 'warn' });
    });

    it('reports the certificate of the service itself', async () => {
      const [certFile, keyFile] = [join(root, 'cert.pem'), join(root, 'key.pem')];
      const env = { GATEHOUSE_TLS_CERT_FILE: certFile, GATEHOUSE_TLS_KEY_FILE: keyFile };
      const middle = certify({ name: 'CN=Middle', by: authority, ca: true, until: new Date(Date.now() + 900 * DAY) });
      const byMiddle = newCertificate({ by: middle });
      const cases: [string, TestCertificate, string, string][] = [
        ['good', newCertificate(), '', 'ok'],
        ['with its chain', byMiddle, pem(middle), 'ok'],
        ['without its chain', byMiddle, '', 'warn'],
        ['with a wrong chain', byMiddle, pem(authority), 'warn'],
        ['expired', newCertificate({ until: new Date(Date.now() - 1000), from: new Date(Date.now() - DAY) }), '', 'fail'],
        ['soon expired', newCertificate({ until: new Date(Date.now() + 10 * DAY) }), '', 'warn'],
        ['not yet valid', newCertificate({ from: new Date(Date.now() + DAY) }), '', 'fail'],
      ];
      for (const [name, certificate, more, expected] of cases) {
        writeFileSync(certFile, pem(certificate) + more);
        writeFileSync(keyFile, keyPem(certificate), { mode: 0o600 });
        assert.deepEqual(await changed(env), expected === 'ok' ? {} : { 'tls-certificate': expected }, name);
      }
      writeFileSync(keyFile, keyPem(middle));
      assert.deepEqual(await changed(env), { 'tls-certificate': 'fail' }, 'another key');
      writeFileSync(certFile, 'nothing');
      assert.deepEqual(await changed(env), { 'tls-certificate': 'fail' }, 'no certificate');
      const good = newCertificate();
      writeFileSync(certFile, pem(good));
      writeFileSync(keyFile, keyPem(good));
      chmodSync(keyFile, 0o644);
      assert.deepEqual(await changed(env), { 'settings-files': 'fail' }, 'a key that everybody may read');
    });

    itAtLength('reports trust anchors that have expired or cannot be read', async () => {
      const file = join(root, 'anchors.pem');
      writeFileSync(file, pem(authority));
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_TRUST_ANCHORS: file }), {});
      writeFileSync(file, pem(authority) + pem(certify({ name: 'CN=Old', ca: true, from: new Date(0), until: new Date(1000) })));
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_TRUST_ANCHORS: file }), { 'trust-anchors': 'warn' });
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: join(root, 'none.pem') }), {
        'trust-anchors': 'fail',
      });
      assert.deepEqual(await changed({ GATEHOUSE_WALLET_ISSUER_TRUST: 'listed' }), { 'trust-anchors': 'fail' });
    });

    it('reports a provider of the wallet that does not answer', async () => {
      const issuer = `http://localhost:${await freePort()}`;
      const env = { GATEHOUSE_WALLET_OIDC_ISSUER: issuer, GATEHOUSE_WALLET_OIDC_CLIENT_ID: 'wallet' };
      assert.deepEqual(await changed(env), { 'openid-provider': 'fail' });
    });

    it('prints no secret, whatever is wrong', async () => {
      const secret = 'a-very-secret-thing';
      const findings = await examine({
        env: {
          ...settings,
          GATEHOUSE_IDENTITY_SMTP_USER: 'ann',
          GATEHOUSE_IDENTITY_SMTP_PASSWORD: secret,
          GATEHOUSE_ADMIN_PASSWORD: secret,
          GATEHOUSE_MASTER_KEY: Buffer.from(secret.padEnd(32)).toString('base64url'),
          GATEHOUSE_IDENTITY_DATABASE_URL: `postgres://ann:${secret}@127.0.0.1:${await freePort()}/x`,
        },
        machine,
      });
      const text = JSON.stringify(findings);
      assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('base64url').slice(0, 20)), text);
      assert.equal(exitStatusOf(findings), 2);
    });
  });

  describe('while the service is stopped', () => {
    let stopped: Map<string, Finding>;
    const hashesOf = (where: string) =>
      readdirSync(where).map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(where, name)))
          .digest('hex'),
      ]);

    before(async () => {
      assert.equal(await running.stop(), 0);
      stopped = statusesOf(await examine({ env: settings, machine }));
      baseline = stopped;
    });

    it('says so, checks the rest, and changes nothing', async () => {
      const troubles = [...stopped.values()].filter(({ status }) => status !== 'ok').map(({ check }) => check);
      assert.deepEqual(troubles, ['service.identity', 'service.wallet', 'administrators']);
      const data = await copy();
      const before = hashesOf(data);
      await examine({ env: { ...settings, GATEHOUSE_DATA_DIR: data }, machine });
      assert.deepEqual(hashesOf(data), before);
    });

    it('says that a missing folder is missing, and does not create it', async () => {
      const none = join(root, 'none');
      const findings = statusesOf(await examine({ env: { ...settings, GATEHOUSE_DATA_DIR: none }, machine }));
      assert.equal(findings.get('data-folder')?.status, 'warn');
      assert.ok(!readdirSync(root).includes('none'));
    });

    const breaks: [string, (data: string) => void, Record<string, string>][] = [
      ['others may enter the folder', (data) => chmodSync(data, 0o755), { 'data-folder': 'fail' }],
      ['others may read a database', (data) => chmodSync(join(data, 'identity.sqlite'), 0o640), { 'secret-files': 'fail' }],
      ['others may read the master key', (data) => chmodSync(join(data, 'master.key'), 0o604), { 'secret-files': 'fail' }],
      [
        'the first password is still there',
        (data) => writeFileSync(join(data, 'admin-password'), 'x', { mode: 0o600 }),
        { 'first-password': 'warn' },
      ],
      ['another master key', (data) => writeFileSync(join(data, 'master.key'), `${newMasterKey()}\n`), { 'master-key': 'fail' }],
      ['no master key', (data) => rmSync(join(data, 'master.key')), { 'master-key': 'fail' }],
      ['a master key that is none', (data) => writeFileSync(join(data, 'master.key'), 'short\n'), { 'master-key': 'fail' }],
      [
        'an old master key',
        (data) => utimesSync(join(data, 'master.key'), 1_600_000_000, 1_600_000_000),
        { 'master-key': 'warn' },
      ],
      [
        'a former master key in use',
        (data) => writeFileSync(join(data, 'master.key'), `${newMasterKey()}\n${readFileSync(join(data, 'master.key'), 'utf8')}`),
        { 'master-key': 'warn' },
      ],
      [
        'a damaged secret',
        (data) => change(data, 'identity', "update consumers set secret = substr(secret, 1, length(secret) - 8) || 'AAAAAAAA'"),
        { 'master-key': 'fail' },
      ],
      [
        'an old token key',
        (data) => change(data, 'identity', 'update token_keys set active_from = active_from - 100 * 86400'),
        { 'token-key': 'warn' },
      ],
      [
        'old keys of the provider',
        (data) => change(data, 'identity', 'update openid_keys set active_from = active_from - 400 * 86400'),
        { 'openid-keys': 'warn' },
      ],
      ['no backup', (data) => rmSync(join(data, 'last-backup.json')), { backup: 'warn' }],
      [
        'an old backup',
        (data) => writeFileSync(join(data, 'last-backup.json'), '{"madeAt":"2020-01-01T00:00:00Z","files":[]}'),
        { backup: 'warn' },
      ],
      [
        'a backup of a time to come',
        (data) => writeFileSync(join(data, 'last-backup.json'), '{"madeAt":"2999-01-01T00:00:00Z","files":[]}'),
        { backup: 'warn' },
      ],
    ];
    for (const [name, breakIt, expected] of aShareOf(breaks, 2))
      it(`reports: ${name}`, async () => {
        const data = await copy();
        breakIt(data);
        assert.deepEqual(await changed({ GATEHOUSE_DATA_DIR: data }), expected);
      });

    it('reports a database that is missing, damaged, of a newer or of an older version', async () => {
      const statuses = async (data: string) => {
        const { 'master-key': _, 'token-key': __, ...found } = await changed({ GATEHOUSE_DATA_DIR: data });
        return found;
      };
      const newer = await copy();
      change(newer, 'identity', "insert into kysely_migration values ('999-later', '2030')");
      assert.deepEqual(await statuses(newer), { 'migrations.identity': 'fail' });
      const older = await copy();
      change(older, 'wallet', 'delete from kysely_migration where name = (select max(name) from kysely_migration)');
      assert.deepEqual(await statuses(older), { 'migrations.wallet': 'warn' });
      const missing = await copy();
      rmSync(join(missing, 'identity.sqlite'));
      assert.deepEqual(await statuses(missing), { 'database.identity': 'warn' });
      const damaged = await copy();
      const path = join(damaged, 'identity.sqlite');
      const bytes = readFileSync(path);
      bytes.fill(0x41, 4096 * 3, 4096 * 12);
      writeFileSync(path, bytes, { mode: 0o600 });
      assert.deepEqual(await statuses(damaged), { 'database.identity': 'fail' });
    });

    it('reads a database beside a killed process, whose log is still there', async () => {
      const data = await copy();
      const writer = new DatabaseSync(join(data, 'identity.sqlite'));
      writer.exec('update token_keys set active_from = active_from - 100 * 86400');
      const killed = join(await newFolder(), 'data');
      mkdirSync(killed, { mode: 0o700 });
      for (const name of readdirSync(data)) copyFileSync(join(data, name), join(killed, name));
      writer.close();
      assert.deepEqual(await changed({ GATEHOUSE_DATA_DIR: killed }), { 'token-key': 'warn' });
    });

    it('reports a settings file that everybody may read', async () => {
      const file = join(root, 'gatehouse.env');
      writeFileSync(file, 'GATEHOUSE_LOG_LEVEL=info\n');
      chmodSync(file, 0o644);
      assert.deepEqual(await changed({ GATEHOUSE_CONFIG_FILE: file }), { 'settings-files': 'fail' });
      chmodSync(file, 0o640);
      assert.deepEqual(await changed({ GATEHOUSE_CONFIG_FILE: file }), {});
    });
  });

  function change(data: string, name: string, statement: string): void {
    const db = new DatabaseSync(join(data, `${name}.sqlite`));
    db.exec(statement);
    db.close();
  }
});
