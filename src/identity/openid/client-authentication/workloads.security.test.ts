// Workloads without a secret: the JWT of a platform proves an application that names it, and nobody else. One thing wrong at a time.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { ASSERTION_TYPE, type ClientKeyPair, makeKey } from '../../../../test/support/keyed-client.ts';
import { basic } from '../../../../test/support/keyrock-client.ts';
import { CALLBACK } from '../../../../test/support/relying-party.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const CONSUMERS = '/v3/OS-OAUTH2/consumers';
const SUBJECT = 'system:serviceaccount:shop:reports';

/** A cluster: its discovery document and its keys, as Kubernetes publishes them. */
class Cluster {
  url = '';
  key!: ClientKeyPair;
  document: unknown;
  keys: JWK[] = [];
  readonly asked: string[] = [];
  readonly #server = createServer((request, response) => {
    this.asked.push(request.url!);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.url === '/openid/v1/jwks' ? { keys: this.keys } : this.document));
  });

  async start(): Promise<void> {
    this.key = await makeKey('RS256');
    this.keys = [this.key.jwk];
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.document = { issuer: this.url, jwks_uri: `${this.url}/openid/v1/jwks` };
  }
  stop(): void {
    this.#server.close();
  }

  /** What a pod gets in a projected volume. */
  token(api: TestApi, claims: Record<string, unknown> = {}, { header = {}, key = this.key }: Signed = {}): Promise<string> {
    const usual = { iss: this.url, sub: SUBJECT, aud: [api.url], iat: now(), nbf: now(), exp: now() + 3600 };
    return new SignJWT({ ...usual, 'kubernetes.io': { namespace: 'shop' }, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, ...header } as never)
      .sign(key.privateKey);
  }
}

interface Signed {
  readonly header?: Record<string, unknown>;
  readonly key?: ClientKeyPair;
}

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

const assertNoClient = (answer: ApiAnswer, what: string): void =>
  assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], `${what}: ${answer.text}`);

onUsualDatabase('Workloads without a secret', (api) => {
  const [cluster, other] = [new Cluster(), new Cluster()];
  before(() => Promise.all([cluster.start(), other.start()]));
  after(() => {
    cluster.stop();
    other.stop();
  });

  const make = (identity: Record<string, unknown> = {}, values: Record<string, unknown> = {}): Promise<any> =>
    makeApplication(api, {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'workload_jwt',
      workload_identities: [{ issuer: cluster.url, subject: SUBJECT, ...identity }],
      ...values,
    });
  const send = (path: string, parameters: Record<string, string>, assertion: string | undefined, headers = {}) =>
    api.post(
      path,
      new URLSearchParams({
        ...parameters,
        ...(assertion === undefined ? {} : { client_assertion: assertion, client_assertion_type: ASSERTION_TYPE }),
      }).toString(),
      { token: null, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } },
    );

  it('are recognized at every endpoint, as often as their token is good', async () => {
    const { id } = await make();
    const token = await cluster.token(api);
    for (const [path, parameters, status] of [...ENDPOINTS, ...ENDPOINTS]) {
      const answer = await send(path, { ...parameters, client_id: id }, token);
      assert.equal(answer.status, status, `${path}: ${answer.text}`);
    }
    assert.equal(cluster.asked.filter((url) => url === '/openid/v1/jwks').length, 1);
  });

  it('are recognized by keys by value, for another audience, and as SPIFFE names them', async () => {
    const key = await makeKey('ES256');
    const spiffe = { issuer: 'https://example.org', subject: 'spiffe://example.org/reports', jwks: { keys: [key.jwk] } };
    const { id } = await make({ ...spiffe, audience: 'gatehouse' });
    const claims = { iss: 'https://example.org', sub: 'spiffe://example.org/reports', aud: 'gatehouse' };
    const form = { grant_type: 'client_credentials', client_id: id };
    for (const typ of [undefined, 'JWT', 'JOSE'])
      assertOk(await send('/openid/token', form, await cluster.token(api, claims, { key, header: typ ? { typ } : {} })));
    const usual = await cluster.token(api, { ...claims, aud: api.url }, { key });
    assertNoClient(await send('/openid/token', form, usual), 'the usual audience');
  });

  const WRONG: Readonly<Record<string, () => Promise<string>>> = {
    'another issuer': () => other.token(api),
    'another issuer under the name of the cluster': () => other.token(api, { iss: cluster.url }),
    'another issuer with the name of the key, too': () =>
      other.token(api, { iss: cluster.url }, { header: { kid: cluster.key.jwk.kid } }),
    'no issuer': () => cluster.token(api, { iss: undefined }),
    'an issuer with a slash': () => cluster.token(api, { iss: `${cluster.url}/` }),
    'another service account': () => cluster.token(api, { sub: 'system:serviceaccount:shop:cart' }),
    'another namespace': () => cluster.token(api, { sub: 'system:serviceaccount:dev:reports' }),
    'a subject that begins like it': () => cluster.token(api, { sub: `${SUBJECT}2` }),
    'a subject in other letters': () => cluster.token(api, { sub: SUBJECT.toUpperCase() }),
    'no subject': () => cluster.token(api, { sub: undefined }),
    'the audience of the cluster itself': () => cluster.token(api, { aud: ['https://kubernetes.default.svc'] }),
    'another audience beside ours': () => cluster.token(api, { aud: [api.url, 'https://kubernetes.default.svc'] }),
    'no audience': () => cluster.token(api, { aud: undefined }),
    'the token endpoint as audience': () => cluster.token(api, { aud: `${api.url}/openid/token` }),
    'an end in the past': () => cluster.token(api, { exp: now() - 60 }),
    'no end': () => cluster.token(api, { exp: undefined }),
    'an end in a year': () => cluster.token(api, { exp: now() + 365 * 86_400 }),
    'a beginning in the future': () => cluster.token(api, { nbf: now() + 90 }),
    'the type of an access token': () => cluster.token(api, {}, { header: { typ: 'at+jwt' } }),
    'the name of another key': () => cluster.token(api, {}, { header: { kid: uniqueName('key') } }),
    'no signature': async () => new UnsecuredJWT({ iss: cluster.url, sub: SUBJECT, aud: api.url, exp: now() + 60 }).encode(),
  };
  for (const [what, wrong] of Object.entries(WRONG))
    it(`prove nothing with ${what}`, async () => {
      const { id } = await make();
      for (const [path, parameters] of ENDPOINTS)
        assertNoClient(await send(path, { ...parameters, client_id: id }, await wrong()), `${what} at ${path}`);
    });

  it('prove the application that names them, and no other', async () => {
    const [named, stranger] = [await make(), await make({ subject: 'system:serviceaccount:shop:cart' })];
    const { jwk } = await makeKey();
    const keyed = await makeApplication(api, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } });
    const secret = await makeApplication(api, { workload_identities: [{ issuer: cluster.url, subject: SUBJECT }] });
    for (const [path, parameters] of ENDPOINTS) {
      const token = await cluster.token(api);
      for (const { id } of [stranger, keyed, secret, { id: 'nobody' }, { id: SUBJECT }])
        assertNoClient(await send(path, { ...parameters, client_id: id }, token), `${id} at ${path}`);
      assertNoClient(await send(path, parameters, token), `nobody is named at ${path}`);
      const both = { ...parameters, client_id: named.id, client_secret: named.secret };
      assertNoClient(await send(path, both, undefined), `its secret at ${path}`);
      assertNoClient(await send(path, parameters, undefined, { Authorization: basic(named) }), `its secret at ${path}`);
    }
  });

  it('are not believed when the issuer calls itself something else, or has keys where the service may not call', async () => {
    const lying = new Cluster();
    await lying.start();
    try {
      const { id } = await make({ issuer: lying.url });
      const form = { grant_type: 'client_credentials', client_id: id };
      for (const document of [
        { issuer: cluster.url, jwks_uri: `${lying.url}/openid/v1/jwks` },
        { issuer: lying.url },
        { issuer: lying.url, jwks_uri: 'http://169.254.169.254/keys' },
        { issuer: lying.url, jwks_uri: 'file:///etc/passwd' },
        null,
        [],
      ]) {
        lying.document = document;
        assertNoClient(await send('/openid/token', form, await lying.token(api)), JSON.stringify(document));
        // It is asked again.
        api.clock.advance(61);
      }
      assert.ok(!lying.asked.includes('/openid/v1/jwks'));
    } finally {
      lying.stop();
    }
  });

  it('are registered with all that they are bound to', async () => {
    const method = { token_endpoint_auth_method: 'workload_jwt' };
    const identity = { issuer: cluster.url, subject: SUBJECT };
    const refused: Record<string, unknown>[] = [
      method,
      { ...method, workload_identities: [] },
      { ...method, workload_identities: identity },
      { ...method, workload_identities: [{ issuer: cluster.url }] },
      { ...method, workload_identities: [{ subject: SUBJECT }] },
      { ...method, workload_identities: [{ ...identity, subject: '' }] },
      { ...method, workload_identities: [{ ...identity, issuer: 'cluster' }] },
      { ...method, workload_identities: [{ ...identity, issuer: 'file:///etc' }] },
      { ...method, workload_identities: [{ ...identity, issuer: `${cluster.url}?a=b` }] },
      { ...method, workload_identities: [{ ...identity, audience: 7 }] },
      { ...method, workload_identities: [{ ...identity, jwks: { keys: [] } }] },
      { ...method, workload_identities: [{ ...identity, secret: 'x' }] },
      { ...method, workload_identities: Array.from({ length: 11 }, () => identity) },
      { ...method, workload_identities: [identity], client_type: 'public' },
      { ...method, workload_identities: [identity], security_profile: 'fapi2', dpop_bound_access_tokens: true },
    ];
    for (const values of refused) assertRefused(await api.post(CONSUMERS, { consumer: { name: 'refused', ...values } }), 400);
    const { id } = await make();
    const form = { grant_type: 'client_credentials', client_id: id };
    assertOk(await send('/openid/token', form, await cluster.token(api)));
    const moved = { workload_identities: [{ ...identity, subject: 'system:serviceaccount:shop:cart' }] };
    assertOk(await api.patch(`${CONSUMERS}/${id}`, { consumer: moved }));
    assertNoClient(await send('/openid/token', form, await cluster.token(api)), 'it was moved');
  });
});
