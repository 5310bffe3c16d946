// `npm run test:release`: builds the release twice, installs it in every way that can be run here, and logs in with each.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { manifest } from '../../scripts/release/build.ts';
import { blocksOf } from '../../test/support/guides.ts';
import { useInstalled } from '../../test/support/installed.ts';
import { GatehouseProcess } from '../../test/support/process.ts';
import { bareDebian, canBoot, DebianMachine } from './debian-machine.ts';
import { TestNetwork } from './network.ts';

const { version } = manifest();
const PASSWORD = 'the administrator of an installation';
const MB = 1e6;
const machine = process.arch === 'arm64' ? { node: 'arm64', debian: 'arm64' } : { node: 'x64', debian: 'amd64' };
const ARCHIVE = `gatehouse-${version}-linux-${machine.node}`;
/** In the guide; apt takes them from its cache. */
const PACKAGES = ['nginx-light', 'openssl', 'curl', 'ca-certificates', 'postgresql'];

/** The blocks of the guide that say so, as one script. */
function guide(where: string): string[] {
  const blocks = blocksOf(resolve('docs/guide/operating.md')).filter(
    ({ notRun }) => notRun === `npm run test:release runs ${where}`,
  );
  assert.ok(blocks.length > 0, where);
  return blocks.map(({ text, line }) => `echo '::: ${line}'\n${text.replace('MACHINE=x64', `MACHINE=${machine.node}`)}`);
}
const READY = 'for i in $(seq 600); do [ -s /var/lib/gatehouse/admin-password ] && break; sleep 0.2; done';

/** Logs in on the machine itself, which has no curl: with the runtime of the package. */
const loginThere = (program: string): string => `
cat > /tmp/login.mjs <<'END'
import { readFileSync } from 'node:fs';
const password = readFileSync('/var/lib/gatehouse/admin-password', 'utf8').trim();
const user = { name: 'admin', domain: { id: 'default' }, password };
const auth = { identity: { methods: ['password'], password: { user } }, scope: { project: { name: 'admin', domain: { id: 'default' } } } };
for (let tries = 0; ; tries++) {
  try {
    const answer = await fetch('http://127.0.0.1:5000/v3/auth/tokens', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ auth }) });
    console.log('login', answer.status);
    process.exit(answer.status === 201 ? 0 : 1);
  } catch (error) {
    if (tries > 300) throw error;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
END
${program}/runtime/node /tmp/login.mjs`;

describe('The release', () => {
  let folder: string;
  let dist: string;
  const release = (name: string): string => {
    const out = join(folder, name);
    execFileSync(process.execPath, ['bin/run.js', 'scripts/release/release.ts', '--out', out], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return out;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-release-'));
    // TEST_RELEASE names a release that is there; then only the second build is made.
    dist = process.env.TEST_RELEASE ?? release('dist');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const settings = (name: string) => ({ GATEHOUSE_DATA_DIR: join(folder, name), GATEHOUSE_ADMIN_PASSWORD: PASSWORD });

  it('has the same bytes when it is built again', () => {
    const again = release('again');
    const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8');
    assert.equal(readFileSync(join(again, 'SHA256SUMS'), 'utf8'), sums);
    assert.equal(sums.trim().split('\n').length, readdirSync(dist).length - 1);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: dist });
  });

  it('is small', () => {
    for (const name of readdirSync(dist)) assert.ok(statSync(join(dist, name)).size < 80 * MB, name);
    assert.ok(statSync(join(dist, `gatehouse-${version}.tgz`)).size < 5 * MB);
  });

  it('has the program of each kind of machine', () => {
    for (const [node, code] of [
      ['x64', 62],
      ['arm64', 183],
    ] as const) {
      const name = `gatehouse-${version}-linux-${node}`;
      const args = ['-xzOf', join(dist, `${name}.tar.gz`), `${name}/runtime/node`];
      const elf = execFileSync('tar', args, { maxBuffer: 256 * MB });
      assert.equal(elf.readUInt16LE(18), code, node);
    }
  });

  it('installs with npm, and starts with npx', async () => {
    const place = join(folder, 'npm');
    execFileSync('mkdir', [place]);
    const args = ['install', '--prefix', place, '--no-audit', '--no-fund', join(dist, `gatehouse-${version}.tgz`)];
    const { status, stderr } = spawnSync('npm', args, { cwd: place, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /install.scripts/i);
    assert.equal(execFileSync('find', [place, '-type', 'd', '-name', 'typescript*'], { encoding: 'utf8' }), '');
    // npm passes the signal on, and ends with its number.
    const service = new GatehouseProcess(['start'], settings('npm-data'), place, process.execPath, ['npx', 'gatehouse']);
    await useInstalled(service, PASSWORD, [0, 143, null]);
  });

  it('runs from the archive', async () => {
    execFileSync('tar', ['-xzf', join(dist, `${ARCHIVE}.tar.gz`), '-C', folder]);
    const program = join(folder, ARCHIVE, 'gatehouse');
    await useInstalled(new GatehouseProcess(['start'], settings('archive-data'), folder, process.execPath, [program]), PASSWORD);
  });

  describe('on a bare Debian', { skip: canBoot() }, () => {
    let base: string;
    let debian: DebianMachine | undefined;
    before(() => {
      base = bareDebian(folder, PACKAGES);
    });
    after(() => debian?.powerOff());
    const fresh = async (name: string): Promise<DebianMachine> => {
      await debian?.powerOff();
      debian = await DebianMachine.boot(base, join(folder, name));
      return debian;
    };

    it('is installed, upgraded, removed and purged by dpkg', async () => {
      const there = await fresh('deb');
      const deb = `gatehouse_${version}_${machine.debian}.deb`;
      there.give(join(dist, deb));
      there.does(`dpkg -i ${deb}`);
      there.does(READY);
      assert.match(there.does(loginThere('/usr/lib/gatehouse')), /login 201/);
      assert.equal(there.does('systemctl is-enabled gatehouse; systemctl is-active gatehouse'), 'enabled\nactive\n');
      const rights = there.does(
        'stat -c "%a %U:%G %n" /var/lib/gatehouse /var/backups/gatehouse /etc/gatehouse /etc/gatehouse/gatehouse.env',
      );
      assert.equal(
        rights,
        '700 gatehouse:gatehouse /var/lib/gatehouse\n700 gatehouse:gatehouse /var/backups/gatehouse\n750 root:gatehouse /etc/gatehouse\n640 root:gatehouse /etc/gatehouse/gatehouse.env\n',
      );
      assert.equal(there.does('find /var/lib/gatehouse -perm /077 | wc -l'), '0\n');

      // A crash is mended, a stop ends with success, and in time.
      there.does('kill -KILL "$(systemctl show -p MainPID --value gatehouse)"');
      there.does('for i in $(seq 300); do [ "$(systemctl is-active gatehouse)" = active ] && break; sleep 0.2; done');
      assert.match(there.does(loginThere('/usr/lib/gatehouse')), /login 201/);
      assert.match(
        there.does('systemctl stop gatehouse; systemctl show -p Result -p ExecMainStatus gatehouse'),
        /Result=success\nExecMainStatus=0/,
      );
      there.does('systemctl start gatehouse');

      // Commands of the operator leave nothing of root in the data folder.
      there.does('gatehouse backup /var/backups/gatehouse/first.tar && gatehouse config > /dev/null');
      assert.equal(there.does('find /var/lib/gatehouse ! -user gatehouse | wc -l'), '0\n');

      // Bad settings: one line, and no endless restarts.
      there.does('echo GATEHOUSE_LOG_LEVLE=warn >> /etc/gatehouse/gatehouse.env; systemctl restart gatehouse || true');
      there.does('for i in $(seq 300); do systemctl is-failed --quiet gatehouse && break; sleep 0.2; done');
      assert.match(
        there.does('systemctl show -p ExecMainStatus -p NRestarts gatehouse; journalctl -u gatehouse -n 20 --no-pager'),
        /ExecMainStatus=2[\s\S]*GATEHOUSE_LOG_LEVLE is not a setting/,
      );
      there.does('sed -i /LEVLE/d /etc/gatehouse/gatehouse.env; echo "# mine" >> /etc/gatehouse/gatehouse.env');

      // The same package again is an upgrade: data and settings stay, scripts that run twice change nothing.
      there.does(`dpkg -i ${deb}`);
      assert.match(there.does(loginThere('/usr/lib/gatehouse')), /login 201/);
      assert.match(there.does('tail -n 1 /etc/gatehouse/gatehouse.env'), /# mine/);
      there.does('dpkg -r gatehouse');
      assert.match(
        there.does('ls /var/lib/gatehouse; id gatehouse; systemctl is-active gatehouse || true'),
        /identity\.sqlite[\s\S]*inactive/,
      );
      there.does(`dpkg -i ${deb}`);
      assert.match(there.does(loginThere('/usr/lib/gatehouse')), /login 201/);
      there.does('dpkg -P gatehouse');
      assert.equal(
        there.does(
          'ls -d /var/lib/gatehouse /etc/gatehouse /usr/lib/gatehouse 2>/dev/null || true; getent passwd gatehouse || true; ls /var/backups/gatehouse',
        ),
        'first.tar\n',
      );
    });

    it('becomes a service behind TLS by the guide', async (context) => {
      const there = await fresh('guide');
      there.give(join(dist, `${ARCHIVE}.tar.gz`), join(dist, 'SHA256SUMS'));
      const blocks = guide('it on a bare Debian');
      assert.ok(blocks.length >= 8);
      const began = Date.now();
      const said = there.does(blocks.join('\n'));
      context.diagnostic(`${((Date.now() - began) / 1000).toFixed(0)} s from the archive to a token over TLS`);
      assert.match(said, /HTTP\/2 201/);
      const level = /exposure level for gatehouse\.service: ([\d.]+)/.exec(there.does('systemd-analyze security gatehouse'))![1];
      assert.ok(Number(level) < 2, level);
      assert.equal(there.does('ls /var/lib/gatehouse/admin-password 2>/dev/null || echo gone'), 'gone\n');
    });

    it('becomes two replicas behind TLS by the guide', async (context) => {
      await debian?.powerOff();
      debian = undefined;
      const names = ['db', 'node1', 'node2'] as const;
      const network = new TestNetwork(names);
      const machines: DebianMachine[] = [];
      try {
        for (const name of names) machines.push(await DebianMachine.boot(base, join(folder, name), network.path(name)));
        const [db, ...nodes] = machines as [DebianMachine, DebianMachine, DebianMachine];
        const hosts = names.map((name) => `${network.address(name)} ${name}.internal`).join('\n');
        for (const there of machines)
          there.does(`cat >> /etc/hosts <<'END'\n${hosts}\n${network.address('db')} id.example.org wallet.example.org\nEND`);

        const began = Date.now();
        db.does(guide('it on db.internal').join('\n'));
        for (const node of nodes) {
          node.give(join(dist, `${ARCHIVE}.tar.gz`), join(dist, 'SHA256SUMS'));
          db.send('root/replicas.env', node);
          db.send('etc/ssl/gatehouse/trial.pem', node);
          // Unpack; user and folders; public names.
          node.does([...guide('it on a bare Debian').slice(0, 3), ...guide('it on both nodes')].join('\n'));
        }
        nodes[0]!.send('opt/gatehouse/share/proxies/nginx.conf', db);
        db.does(guide('the proxy on db.internal').join('\n'));
        context.diagnostic(`${((Date.now() - began) / 1000).toFixed(0)} s from the archive to two replicas over TLS`);

        const password = nodes
          .map((node) => node.does('cat /var/lib/gatehouse/admin-password 2>/dev/null || true').trim())
          .filter(Boolean);
        assert.equal(password.length, 1, 'one node made the first administrator');
        db.does(`cat > login.json <<'END'
{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "admin", "domain": {"id": "default"}, "password": "${password[0]}"}}},
          "scope": {"project": {"name": "admin", "domain": {"id": "default"}}}}}
END`);
        const ask = `export CURL_CA_BUNDLE=/etc/ssl/gatehouse/trial.pem
curl -sSf -o /dev/null -D - https://id.example.org/v3/auth/tokens -H 'Content-Type: application/json' -d @login.json > answer
TOKEN=$(sed -n 's/^x-subject-token: //p' answer | tr -d '\r')
for node in node1 node2; do curl -sS -o /dev/null -w "$node %{http_code}\n" http://$node.internal:5000/v3/auth/tokens -H "X-Auth-Token: $TOKEN" -H "X-Subject-Token: $TOKEN"; done`;
        assert.equal(db.does(ask), 'node1 200\nnode2 200\n', 'a token of one replica counts at both');
        assert.match(nodes[1]!.does('gatehouse doctor || true'), /ok +database\.identity/);
        for (const [index, node] of nodes.entries()) {
          node.does('systemctl stop gatehouse');
          assert.match(db.does(`${ask} || true`), new RegExp(`node${2 - index} 200`), 'the other one serves');
          node.does('systemctl start gatehouse');
          db.does(`until curl -sf http://node${index + 1}.internal:5000/readyz; do sleep 0.2; done`);
        }
      } finally {
        for (const there of machines) await there.powerOff();
        network.remove();
      }
    });
  });
});
