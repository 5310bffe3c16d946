// The certificates that the service uses, as administrators see them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { certify, newEcKey, type TestCertificate } from '../../../../test/support/certificates.ts';
import { CredentialIssuer, connectIssuer } from '../../../../test/support/credential-issuer.ts';
import { ldapOptions } from '../../../../test/support/directory.ts';
import { RestartableApi } from '../../../../test/support/restartable-api.ts';

const DAY_MS = 86_400_000;
const PATH = '/v3/OS-SERVICE/certificates';
const authority = (name: string, days: number): TestCertificate =>
  certify({
    name: `CN=${name}`,
    ca: true,
    from: new Date(Date.now() - 900 * DAY_MS),
    until: new Date(Date.now() + days * DAY_MS),
  });
const pem = (...all: TestCertificate[]): string => all.map(({ certificate }) => certificate.toString()).join('');

interface Shown {
  readonly use: string;
  readonly of: { readonly id: string; readonly name: string } | null;
  readonly subject: string;
  readonly state: string;
  readonly renews: boolean;
  readonly expires_at: string;
}

onEachDatabase(PATH, (api) => {
  const list = async (): Promise<Shown[]> => assertOk(await api.get(PATH)).certificates;

  it('names the authorities of providers, those that end first at the beginning, with the state of each', async () => {
    const issuer = new CredentialIssuer(() => api.clock.now());
    const roots = [
      authority('Far', 400),
      authority('Gone', -1),
      authority('Near', 20),
      certify({ name: 'CN=Soon', ca: true, from: new Date(Date.now() + 5 * DAY_MS), until: new Date(Date.now() + 50 * DAY_MS) }),
    ];
    const { id } = await connectIssuer(api, issuer, {
      settings: { issuers: ['https://issuer.example'], root_certificates: roots.map((root) => pem(root)) },
    });
    const shown = (await list()).filter(({ of }) => of?.id === id);
    assert.deepEqual(
      shown.map(({ subject, state }) => [subject, state]),
      [
        ['CN=Gone', 'expired'],
        ['CN=Near', 'expiring'],
        ['CN=Soon', 'not_yet_valid'],
        ['CN=Far', 'valid'],
      ],
    );
    assert.ok(shown.every(({ use, of, renews }) => use === 'identity_provider' && of!.name === id && !renews));
    assert.equal(Date.parse(shown[1]!.expires_at), roots[2]!.certificate.validToDate.getTime());
  });

  it('names the authorities of directories, and the domain', async () => {
    const { id, name } = await api.make('domain', { name: uniqueName('Staff') });
    const options = ldapOptions('ldaps://127.0.0.1:1', { tls_cacert: pem(authority('Directory', 3), authority('Other', 90)) });
    const settings = Object.fromEntries(Object.entries(options).map(([key, value]) => [`ldap.${key}`, value]));
    assertOk(await api.patch(`/v3/OS-SERVICE/domains/${id}/settings`, { settings: { ...settings, 'identity.driver': 'ldap' } }));
    assert.deepEqual(
      (await list()).filter(({ of }) => of?.id === id).map(({ use, of, subject, state }) => [use, of!.name, subject, state]),
      [
        ['directory', name, 'CN=Directory', 'expiring'],
        ['directory', name, 'CN=Other', 'valid'],
      ],
    );
  });

  it('shows that the service renews its own issuer, and makes nothing to show it', async () => {
    const own = async () => (await list()).filter(({ use }) => use === 'issuer');
    assert.deepEqual(await own(), []);
    assertOk(await api.get('/.well-known/jwt-vc-issuer', { token: null }));
    assert.ok((await own()).every(({ renews, state }) => renews && state === 'valid'));
    assert.equal((await own()).length, 2);
    const { attention } = assertOk(await api.get('/v3/OS-SERVICE/overview')).overview;
    assert.ok(!attention.some(({ kind }: { kind: string }) => kind.includes('certificate')));
  });
});

/** A request to a service whose certificate nobody knows. */
const ask = (url: string, method: string, token?: string, body?: object) =>
  new Promise<{ headers: Record<string, unknown>; body: Record<string, never> }>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token } : {}) };
    const sent = request(url, { method, headers, rejectUnauthorized: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ headers: answer.headers, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });

it('warns of the certificates of files, as they were read at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificates-'));
  const api = new RestartableApi('SQLite');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const keyFile = (name: string, { key }: TestCertificate): string =>
    file(name, key.export({ type: 'pkcs8', format: 'pem' }).toString());
  try {
    const until = new Date(Date.now() + 5.5 * DAY_MS);
    const tls = certify({ name: 'CN=localhost', dns: ['localhost'], until });
    const root = authority('Root', 400);
    const leaf = certify({ name: 'CN=Issuer', by: root, key: newEcKey(), until: new Date(Date.now() + 20.5 * DAY_MS) });
    api.tls = { certFile: file('tls.pem', pem(tls)), keyFile: keyFile('tls.key', tls) };
    const password = await api.begin({
      GATEHOUSE_IDENTITY_ISSUER_CERT_FILE: file('issuer.pem', pem(leaf, root)),
      GATEHOUSE_IDENTITY_ISSUER_KEY_FILE: keyFile('issuer.key', leaf),
      GATEHOUSE_IDENTITY_AUDIT_SYSLOG: 'tls://127.0.0.1:1',
      GATEHOUSE_IDENTITY_AUDIT_SYSLOG_CA_FILE: file('syslog.pem', pem(authority('Syslog', 100))),
    });
    file('tls.pem', pem(authority('New', 400)));
    const user = { name: 'admin', domain: { id: 'default' }, password };
    const auth = { identity: { methods: ['password'], password: { user } }, scope: { system: { all: true } } };
    const token = String((await ask(`${api.url}/v3/auth/tokens`, 'POST', undefined, { auth })).headers['x-subject-token']);
    const { certificates } = (await ask(api.url + PATH, 'GET', token)).body as unknown as { certificates: Shown[] };
    assert.deepEqual(
      certificates.map(({ use, subject, state }) => [use, subject, state]),
      [
        ['tls', 'CN=localhost', 'expiring'],
        ['issuer', 'CN=Issuer', 'expiring'],
        ['audit_syslog', 'CN=Syslog', 'valid'],
      ],
    );
    const { overview } = (await ask(`${api.url}/v3/OS-SERVICE/overview`, 'GET', token)).body as never as {
      overview: { attention: { kind: string; severity: string; count: number }[] };
    };
    assert.deepEqual(
      overview.attention
        .filter(({ kind }) => kind.includes('certificate'))
        .map(({ kind, severity, count }) => [kind, severity, count]),
      [
        ['certificate_expires', 'critical', 5],
        ['issuer_certificate_expires', 'warning', 20],
      ],
    );
  } finally {
    await api.remove();
    rmSync(folder, { recursive: true });
  }
});
