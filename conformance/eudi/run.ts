// The wallet library of the EU's reference implementation (eudi-lib-jvm-openid4vci-kt), with our issuer, HAIP on.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exportJWK } from 'jose';
import { TestApi } from '../../test/support/api.ts';
import { jwtPart } from '../../test/support/apis.ts';
import { certify } from '../../test/support/certificates.ts';
import { makeHolder, makeOffer, makeRoleWorld, newKey } from '../../test/support/role-credentials.ts';
import { TestWalletProvider } from '../../test/support/wallet-provider.ts';
import { startChecks } from '../support/checks.ts';
import { needCommand, stop } from '../support/debian.ts';
import { freePort } from '../support/service.ts';

needCommand('mvn', 'maven');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-eudi-'));
cpSync(import.meta.dirname, folder, { recursive: true });
const built = spawnSync('mvn', ['--quiet', '--batch-mode', 'package'], { cwd: folder, encoding: 'utf8' });
if (built.status !== 0) stop(`cannot build it: ${built.stdout}`);

// The library calls https only, and trusts what Java trusts.
const { certificate, key } = certify({ name: 'CN=localhost', dns: ['localhost'] });
writeFileSync(join(folder, 'service.pem'), certificate.toString());
const store = ['-keystore', join(folder, 'trust.p12'), '-storepass', 'changeit', '-storetype', 'PKCS12'];
const certified = ['-importcert', '-noprompt', '-alias', 'service', '-file', join(folder, 'service.pem')];
const imported = spawnSync('keytool', [...certified, ...store], { encoding: 'utf8' });
if (imported.status !== 0) stop(`cannot trust the service: ${imported.error?.message ?? imported.stdout}`);
const classpath = `${join(folder, 'target/classes')}:${readFileSync(join(folder, 'target/classpath'), 'utf8').trim()}`;
const java = promisify(execFile);
const wallet = async (...args: string[]): Promise<string[]> => {
  const options = [`-Djavax.net.ssl.trustStore=${join(folder, 'trust.p12')}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
  const { stdout } = await java('java', [...options, '-cp', classpath, 'MainKt', ...args]).catch(({ stderr }) => {
    throw new Error(/^.*(?:Exception|Error).*$/m.exec(stderr)?.[0] ?? stderr);
  });
  return stdout.trim().split('\n');
};

const port = await freePort();
const provider = new TestWalletProvider();
const api = new TestApi('SQLite', {
  settings: {
    GATEHOUSE_IDENTITY_HAIP: 'on',
    GATEHOUSE_IDENTITY_URL: `https://localhost:${port}`,
    GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
    ...provider.settings,
  },
});
const tls = createServer({ cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }) }, (from, to) => {
  const headers = { ...from.headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': from.headers.host };
  const onward = request(api.url + from.url, { method: from.method!, headers }, (answer) => {
    to.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(to);
  });
  // The wallet sees that its connection ends, and the check says so.
  onward.on('error', () => to.destroy());
  from.pipe(onward);
}).listen(port, '127.0.0.1');

const checks = startChecks();
try {
  await api.start();
  const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'], claims: ['name', 'email'] });
  const person = await makeHolder(api, world);
  const instance = await newKey();
  const receive = async (copies: number, how: 'alone' | 'helped'): Promise<string[]> => {
    const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
    const attestation = await provider.attestWallet(instance);
    return wallet(uri, attestation, JSON.stringify(await exportJWK(instance.privateKey)), txCode ?? '', String(copies), how);
  };
  // A later version that sends the challenge fails this check: then it needs no help.
  await checks.check('alone, reads offer and metadata, and is refused at the token endpoint: its proof has no challenge', () =>
    assert.rejects(receive(2, 'alone'), /AccessTokenRequestFailed\(error=use_attestation_challenge/),
  );
  await checks.check(
    'with an HTTP client that answers challenges, and without encryption, receives two copies, each for a key of its own',
    async () => {
      const received = await receive(2, 'helped');
      const said = received.map((one) => jwtPart(one.split('~')[0]!, 1));
      assert.equal(said.length, 2);
      assert.equal(new Set(said.map(({ cnf }) => JSON.stringify(cnf.jwk))).size, 2);
      for (const { vct } of said) assert.equal(vct, said[0].vct);
    },
  );
} finally {
  tls.close();
  await api.stop();
  provider.remove();
  rmSync(folder, { recursive: true });
}
process.exit(checks.failed === 0 ? 0 : 1);
