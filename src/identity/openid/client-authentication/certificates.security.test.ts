// Clients that prove themselves by a certificate, and tokens that are bound to one: with one thing wrong at a time.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { type CertificateOptions, certify, type TestCertificate, usages } from '../../../../test/support/certificates.ts';
import { informationOf, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { CALLBACK } from '../../../../test/support/relying-party.ts';
import { publicJwkOf } from '../../../verifiable/jose/index.ts';
import { certificateThumbprint } from '../../applications/consumers/index.ts';

const CONSUMERS = '/v3/OS-OAUTH2/consumers';
const HEADER = 'Client-Cert';
const CLIENT_AUTH = usages('1.3.6.1.5.5.7.3.2');
const SERVER_AUTH = usages('1.3.6.1.5.5.7.3.1');

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-ca-'));
after(() => rmSync(folder, { recursive: true }));
const caFile = join(folder, 'ca.pem');
const ca = certify({ name: 'CN=clients, O=Example', ca: true });
const otherCa = certify({ name: 'CN=clients, O=Example', ca: true });
writeFileSync(caFile, ca.certificate.toString());

const DN = 'CN=reports,O=Example';
const issue = (more: Partial<CertificateOptions> = {}): TestCertificate =>
  certify({ name: 'O=Example, CN=reports', by: ca, extensions: [CLIENT_AUTH], ...more });
const good = issue();

const settings = { GATEHOUSE_IDENTITY_CLIENT_CERTIFICATE_HEADER: HEADER, GATEHOUSE_IDENTITY_CLIENT_CA_FILE: caFile };

/** Where clients authenticate: what is sent there, and the status when they do. */
const ENDPOINTS: readonly (readonly [path: string, parameters: Record<string, string>, status: number])[] = [
  ['/openid/token', { grant_type: 'client_credentials' }, 200],
  ['/v3/OS-OAUTH2/access_token', { grant_type: 'client_credentials' }, 200],
  ['/openid/introspect', { token: 'unknown' }, 200],
  ['/openid/revoke', { token: 'unknown' }, 200],
  ['/openid/par', { response_type: 'code', scope: 'openid', redirect_uri: CALLBACK }, 201],
  ['/openid/device/authorize', { scope: 'openid' }, 200],
  // Known, and not registered for it.
  ['/openid/backchannel', { scope: 'openid', login_hint: 'nobody' }, 400],
];

function sender(api: TestApi) {
  return (
    path: string,
    parameters: Record<string, string>,
    certificate?: TestCertificate | string,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> =>
    api.post(path, new URLSearchParams(parameters).toString(), {
      token: null,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(certificate === undefined ? {} : { [HEADER]: typeof certificate === 'string' ? certificate : certificate.der }),
        ...headers,
      },
    });
}

const make = (api: TestApi, values: Record<string, unknown>): Promise<any> =>
  makeApplication(api, { redirect_uris: [CALLBACK], ...values });
const byName = { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: DN };
const keyOf = ({ key, der }: TestCertificate) => ({ ...publicJwkOf(key), x5c: [der] });

const assertNoClient = (answer: ApiAnswer, what: string): void =>
  assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], `${what}: ${answer.text}`);

function define(api: TestApi): void {
  const send = sender(api);

  it('prove a client, at every endpoint', async () => {
    const self = certify({ name: 'CN=self' });
    for (const [values, certificate] of [
      [byName, good],
      [{ token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: { keys: [keyOf(self)] } }, self],
    ] as const) {
      const { id } = await make(api, values);
      for (const [path, parameters, status] of ENDPOINTS) {
        const answer = await send(path, { ...parameters, client_id: id }, certificate);
        assert.equal(answer.status, status, `${path}: ${answer.text}`);
      }
    }
  });

  const NAMED: readonly (readonly [field: string, value: string, Partial<CertificateOptions>])[] = [
    ['tls_client_auth_subject_dn', 'CN=reports, O=Example', {}],
    ['tls_client_auth_subject_dn', 'cn=reports,2.5.4.10=Example', {}],
    ['tls_client_auth_subject_dn', 'CN=a\\2Cb\\+c,O=Example', { name: 'O=Example, CN=a,b+c' }],
    ['tls_client_auth_san_dns', 'Reports.example.org', { dns: ['reports.example.org'] }],
    ['tls_client_auth_san_uri', 'spiffe://example.org/reports', { uris: ['spiffe://example.org/reports'] }],
    ['tls_client_auth_san_email', 'reports@example.org', { names: [{ rfc822Name: 'reports@example.org' }] }],
    ['tls_client_auth_san_ip', '192.0.2.7', { names: [{ iPAddress: '192.0.2.7' }] }],
  ];
  for (const [field, value, options] of NAMED)
    it(`have the name that is registered: ${field} ${value}`, async () => {
      const { id } = await make(api, { token_endpoint_auth_method: 'tls_client_auth', [field]: value });
      const form = { grant_type: 'client_credentials', client_id: id };
      assertOk(await send('/openid/token', form, issue(options)));
      assertNoClient(await send('/openid/token', form, issue({ name: 'CN=other' })), 'another name');
    });

  /** What is wrong with a certificate, by its name. */
  const WRONG: Readonly<Record<string, () => TestCertificate | string | undefined>> = {
    'no certificate': () => undefined,
    'an empty header': () => '',
    'a header that is no certificate': () => 'CN=reports,O=Example',
    'two certificates': () => `${good.der}, ${good.der}`,
    'a certificate of nobody': () => certify({ name: 'O=Example, CN=reports', extensions: [CLIENT_AUTH] }),
    'an authority that only has the name': () => issue({ by: otherCa }),
    'a certificate that has expired': () =>
      issue({ from: new Date(Date.now() - 10 * 86_400_000), until: new Date(Date.now() - 1000) }),
    'a certificate of tomorrow': () => issue({ from: new Date(Date.now() + 86_400_000) }),
    'a certificate of a server': () => issue({ extensions: [SERVER_AUTH] }),
    'a signature by SHA-1': () => issue({ hash: 'sha1' }),
    'the certificate of the authority itself': () =>
      certify({ name: 'O=Example, CN=reports', by: ca, ca: true, extensions: [CLIENT_AUTH] }),
    'a certificate by another client': () => issue({ by: good }),
    'another subject': () => issue({ name: 'O=Example, CN=other' }),
    'the subject in another order': () => issue({ name: 'CN=reports, O=Example' }),
    'more in the subject': () => issue({ name: 'C=ES, O=Example, CN=reports' }),
    'less in the subject': () => issue({ name: 'CN=reports' }),
    'a subject with the whole name in one part': () => issue({ name: 'CN=reports\\,O=Example' }),
    'the name as an alternative only': () => issue({ name: 'CN=other', dns: ['reports'] }),
    'other letters': () => issue({ name: 'O=Example, CN=Reports' }),
  };
  for (const [what, wrong] of Object.entries(WRONG))
    it(`prove nobody: ${what}`, async () => {
      const { id } = await make(api, byName);
      for (const [path, parameters] of ENDPOINTS)
        assertNoClient(await send(path, { ...parameters, client_id: id }, wrong()), `${what} at ${path}`);
    });

  it('prove nobody if another one is registered, or the key is, without it', async () => {
    const [self, other] = [certify({ name: 'CN=self' }), certify({ name: 'CN=self' })];
    const again = certify({ name: 'CN=self', key: self.key });
    const method = { token_endpoint_auth_method: 'self_signed_tls_client_auth' };
    const [{ id }, { id: bare }] = [
      await make(api, { ...method, jwks: { keys: [keyOf(self)] } }),
      await make(api, { ...method, jwks: { keys: [publicJwkOf(self.key)] } }),
    ];
    for (const [path, parameters] of ENDPOINTS) {
      for (const [what, certificate] of Object.entries({ other, again, good }))
        assertNoClient(await send(path, { ...parameters, client_id: id }, certificate), `${what} at ${path}`);
      assertNoClient(await send(path, { ...parameters, client_id: bare }, self), `the key alone at ${path}`);
    }
    const mixed = { ...publicJwkOf(self.key), x5c: [other.der] };
    assertRefused(await api.post(CONSUMERS, { consumer: { name: 'mixed', ...method, jwks: { keys: [mixed] } } }), 400);
  });

  it('do not stand in for a secret, nor a secret for them', async () => {
    const [secret, certified] = [await make(api, {}), await make(api, byName)];
    const pair = await make(api, { tls_client_auth_subject_dn: DN });
    for (const [path, parameters] of ENDPOINTS) {
      assertNoClient(await send(path, { ...parameters, client_id: secret.id }, good), `no secret at ${path}`);
      assertNoClient(await send(path, { ...parameters, client_id: pair.id }, good), `the name without the method at ${path}`);
      const both = { ...parameters, client_id: certified.id, client_secret: certified.secret };
      assertNoClient(await send(path, both, good), `its secret at ${path}`);
      assertNoClient(await send(path, both), `its secret alone at ${path}`);
    }
  });

  it('are registered with exactly one name, and not by public applications', async () => {
    for (const values of [
      { token_endpoint_auth_method: 'tls_client_auth' },
      { ...byName, tls_client_auth_san_dns: 'reports.example.org' },
      { ...byName, tls_client_auth_subject_dn: '' },
      { ...byName, tls_client_auth_subject_dn: 'reports' },
      { ...byName, tls_client_auth_subject_dn: 'CN=reports+O=Example' },
      { ...byName, tls_client_auth_subject_dn: 'CN=#0c0161' },
      { ...byName, tls_client_auth_subject_dn: 'CN=reports,' },
      { ...byName, client_type: 'public' },
      { token_endpoint_auth_method: 'self_signed_tls_client_auth' },
      { dpop_bound_access_tokens: true, tls_client_certificate_bound_access_tokens: true },
    ])
      assertRefused(await api.post(CONSUMERS, { consumer: { name: 'refused', ...values } }), 400);
  });

  it('bind tokens: whoever has the token without the certificate has nothing', async () => {
    const bound = { tls_client_certificate_bound_access_tokens: true };
    const { id } = await make(api, { ...byName, ...bound });
    const form = { grant_type: 'client_credentials', client_id: id };
    const { access_token: token, token_type: type } = assertOk(await send('/openid/token', form, good));
    assert.equal(type, 'Bearer');
    const asked = assertOk(await send('/openid/introspect', { token, client_id: id }, good));
    assert.deepEqual(asked.cnf, { 'x5t#S256': certificateThumbprint(good.certificate) });
    assert.equal((await informationOf(api, token)).status, 404);
    assert.equal((await logInByAccessToken(api, token)).status, 401);
    const secret = await make(api, bound);
    const basic = { Authorization: `Basic ${Buffer.from(`${secret.id}:${secret.secret}`).toString('base64')}` };
    const plain = { grant_type: 'client_credentials' };
    assert.equal((await send('/openid/token', plain, undefined, basic)).status, 400, 'no certificate to bind to');
    assert.equal((await send('/openid/token', plain, 'x', basic)).status, 400, 'none that can be read');
    const { access_token: other } = assertOk(await send('/openid/token', plain, good, basic));
    assert.equal((await informationOf(api, other)).status, 404);
  });
}

onUsualDatabase('Certificates of clients, from a trusted proxy', define, { settings, trustedProxies: ['127.0.0.1'] });

onUsualDatabase(
  'Certificates of clients, from strangers',
  (api) => {
    const send = sender(api);
    it('prove nobody: only a trusted proxy may send the header', async () => {
      const { id } = await make(api, byName);
      for (const [path, parameters] of ENDPOINTS)
        for (const headers of [{}, { 'X-Forwarded-For': '192.0.2.7' }, { Forwarded: 'for=192.0.2.7' }])
          assertNoClient(await send(path, { ...parameters, client_id: id }, good, headers), path);
    });
  },
  { settings, trustedProxies: ['192.0.2.7'] },
);

onUsualDatabase('Certificates of clients, where nobody asks for them', (api) => {
  const send = sender(api);
  it('prove nobody, and the metadata says so', async () => {
    const { body } = await api.get('/.well-known/openid-configuration');
    assert.ok(!body.token_endpoint_auth_methods_supported.some((one: string) => one.includes('tls')));
    assert.equal(body.tls_client_certificate_bound_access_tokens, undefined);
    const { id } = await make(api, byName);
    for (const [path, parameters] of ENDPOINTS) {
      const answer = await send(path, { ...parameters, client_id: id }, good);
      assert.ok([400, 401].includes(answer.status), `${path}: ${answer.text}`);
    }
  });
});
