// Tokens that are bound to a certificate (RFC 8705), wherever they are shown or exchanged: with the certificate, another one, or none.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { jwtPart, type MadeApi, makeApi } from '../../../../test/support/apis.ts';
import { certify, type TestCertificate } from '../../../../test/support/certificates.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { certificateThumbprint } from '../../applications/consumers/index.ts';

const HEADER = 'Client-Cert';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const BOUND = { tls_client_certificate_bound_access_tokens: true };

const certificate = certify({ name: 'CN=reports' });
const other = certify({ name: 'CN=reports' });
/** What is shown instead of the certificate of the token, by what it is. */
const WRONG: Readonly<Record<string, TestCertificate | string | undefined>> = {
  'no certificate': undefined,
  'another certificate of the same name': other,
  'another certificate of the same key': certify({ name: 'CN=reports', key: certificate.key }),
  'what is no certificate': 'x',
  'the certificate and another one': `${certificate.der}, ${other.der}`,
  'its thumbprint': certificateThumbprint(certificate.certificate),
};

/** Of the token endpoint: tokens, or why there are none. */
interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly error?: string;
}

onUsualDatabase(
  'A token that is bound to a certificate',
  (api) => {
    /** Its tokens are bound, and it is the application of no API. */
    let party: RelyingParty;
    /** Those of the API that is called, whose tokens are bound to nothing, and of the same API with bound ones. */
    let plainApp: RelyingParty;
    let boundApp: RelyingParty;
    let papers: MadeApi;
    let books: MadeApi;
    let archive: MadeApi;

    before(async () => {
      const rule = ({ application: { id } }: RelyingParty) => ({
        application_id: id,
        subject_scope: 'papers:read',
        scope: 'archive:read',
      });
      [party, plainApp, boundApp] = [
        await RelyingParty.make(api, BOUND),
        await RelyingParty.make(api),
        await RelyingParty.make(api, BOUND),
      ];
      papers = await makeApi(api, { application_id: plainApp.application.id });
      books = await makeApi(api, { application_id: boundApp.application.id });
      archive = await makeApi(api, {
        applications: [],
        scopes: [{ name: 'archive:read', description: 'to read the archive' }],
        exchanges: [rule(party), rule(plainApp), rule(boundApp)],
      });
    });

    const headerOf = (shown: TestCertificate | string | undefined): Record<string, string> =>
      shown === undefined ? {} : { [HEADER]: typeof shown === 'string' ? shown : shown.der };
    const thumbprint = ({ certificate: one }: TestCertificate) => ({ 'x5t#S256': certificateThumbprint(one) });

    async function post(
      as: RelyingParty,
      body: Record<string, string>,
      shown: TestCertificate | string | undefined,
      headers = {},
    ) {
      const { id, secret, client_type: type } = as.application as RelyingParty['application'] & { client_type?: string };
      const isPublic = type === 'public';
      const response = await fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: {
          ...(isPublic ? {} : { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }),
          ...headerOf(shown),
          ...headers,
        },
        body: new URLSearchParams({ ...body, ...(isPublic ? { client_id: id } : {}) }),
      });
      return { status: response.status, body: (await response.json()) as TokenAnswer };
    }

    /** What a person gives the application, by the certificate of its request. */
    async function tokensOf(as: RelyingParty, person: { name: string; password: string }, more: Record<string, string>) {
      const { url, checks } = await as.ask(more);
      const code = redirectTargetOf(await new TestBrowser(api).signIn(url, person)).searchParams.get('code')!;
      const grant = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: checks.expectedState ? url.searchParams.get('redirect_uri')! : '',
      };
      const { status, body } = await post(as, { ...grant, code_verifier: checks.pkceCodeVerifier! }, certificate);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    }
    const subject = async (resource: string): Promise<string> =>
      (await tokensOf(party, await makeUser(api), { scope: 'openid papers:read', resource })).access_token;

    const show = async (path: string, token: string, shown: TestCertificate | string | undefined): Promise<number> =>
      (await fetch(api.url + path, { headers: { Authorization: `Bearer ${token}`, ...headerOf(shown) } })).status;

    /** The token, and what is wrong with what is shown beside it. */
    async function isGoodWithItsCertificateOnly(path: string, token: string): Promise<void> {
      assert.equal(await show(path, token, certificate), 200, path);
      for (const [what, shown] of Object.entries(WRONG)) assert.equal(await show(path, token, shown), 401, `${what} at ${path}`);
      assert.equal(await show(path, token, certificate), 200, 'after all that');
    }

    it('tells who the person is with its certificate only', async () => {
      const { access_token: token } = await tokensOf(party, await makeUser(api), { scope: 'openid email' });
      await isGoodWithItsCertificateOnly('/openid/userinfo', token);
    });

    it('provisions accounts with its certificate only, however it was asked for', async () => {
      const { user, password } = await api.persona(['manager'], { domain: 'default' });
      for (const more of [{}, { resource: `${api.url}/scim/v2` }]) {
        const { access_token: token } = await tokensOf(party, { name: user.name, password }, { scope: 'openid scim', ...more });
        await isGoodWithItsCertificateOnly('/scim/v2/Users?count=1', token);
      }
    });

    it('is refreshed by its certificate only, if nothing else proves the application', async () => {
      const open = await RelyingParty.make(api, {
        ...BOUND,
        client_type: 'public',
        allowed_grant_types: ['authorization_code', 'refresh_token'],
      });
      const { refresh_token: token = '' } = await tokensOf(open, await makeUser(api), { scope: 'openid offline_access' });
      const refresh = (shown: TestCertificate | string | undefined) =>
        post(open, { grant_type: 'refresh_token', refresh_token: token }, shown);
      for (const [what, shown] of Object.entries(WRONG)) {
        const { status, body } = await refresh(shown);
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], what);
      }
      assert.equal((await refresh(certificate)).status, 200, 'none of these used it up');
    });

    const exchange = (as: RelyingParty, token: string, shown: TestCertificate | string | undefined, headers = {}) =>
      post(
        as,
        { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN, resource: archive.identifier },
        shown,
        headers,
      );

    it('is exchanged by its own application with its certificate only, for one that is bound to that', async () => {
      const token = await subject(papers.identifier);
      assert.deepEqual(jwtPart(token, 1).cnf, thumbprint(certificate));
      for (const [what, shown] of Object.entries(WRONG)) {
        const { status, body } = await exchange(party, token, shown);
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], what);
      }
      const { status, body } = await exchange(party, token, certificate);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(jwtPart(body.access_token, 1).cnf, thumbprint(certificate));
    });

    it('is not exchanged by its own application with a key instead, nor when its tokens are bound no more', async () => {
      const loose = await RelyingParty.make(api, BOUND);
      const { id } = loose.application;
      const exchanges = [{ application_id: id, subject_scope: 'papers:read', scope: 'archive:read' }];
      const more = await makeApi(api, { applications: [], scopes: [{ name: 'archive:read', description: 'x' }], exchanges });
      const { access_token: token } = await tokensOf(loose, await makeUser(api), {
        scope: 'openid papers:read',
        resource: papers.identifier,
      });
      assertOk(
        await api.patch(`/v3/OS-OAUTH2/consumers/${id}`, { consumer: { tls_client_certificate_bound_access_tokens: false } }),
      );
      const request = { subject_token: token, subject_token_type: ACCESS_TOKEN, resource: more.identifier };
      const DPoP = client.getDPoPHandle(loose.config, await client.randomDPoPKeyPair());
      await assert.rejects(
        client.genericGrantRequest(loose.config, EXCHANGE, request, { DPoP }),
        ({ error }: any) => error === 'invalid_grant',
      );
      const plain = { grant_type: EXCHANGE, ...request };
      assert.equal((await post(loose, plain, undefined)).body.error, 'invalid_grant');
      assert.equal((await post(loose, plain, other)).body.error, 'invalid_grant');
      const { body } = await post(loose, plain, certificate);
      assert.deepEqual(jwtPart(body.access_token, 1).cnf, thumbprint(certificate));
    });

    it('is exchanged by the API that was called with it for one that is bound as those of the API are', async () => {
      const [called, calledBound] = [await subject(papers.identifier), await subject(books.identifier)];
      const plain = await exchange(plainApp, called, undefined);
      assert.equal(jwtPart(plain.body.access_token, 1).cnf, undefined, 'it has no certificate, and proves itself by its secret');
      for (const shown of [undefined, 'x']) {
        const { status, body } = await exchange(boundApp, calledBound, shown);
        assert.deepEqual([status, body.error], [400, 'invalid_grant']);
      }
      const bound = await exchange(boundApp, calledBound, other);
      assert.deepEqual(jwtPart(bound.body.access_token, 1).cnf, thumbprint(other), 'its own, and not that of who called it');
    });

    it('says to which certificate when it is introspected, and is known by no other name', async () => {
      const opaque = await makeApi(api, {
        application_id: plainApp.application.id,
        token_format: 'opaque',
        name: uniqueName('api'),
      });
      for (const resource of [papers.identifier, opaque.identifier]) {
        const asked = await client.tokenIntrospection(plainApp.config, await subject(resource));
        assert.deepEqual([asked.active, asked.cnf, asked.token_type], [true, thumbprint(certificate), 'Bearer']);
      }
    });
  },
  { settings: { GATEHOUSE_IDENTITY_CLIENT_CERTIFICATE_HEADER: HEADER }, trustedProxies: ['127.0.0.1'] },
);
