// Applications that register themselves, and what they do then.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { assertOk } from './answers.ts';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { FORM } from './keyrock-client.ts';
import { type BrowserPage, redirectTargetOf, type SignInAnswers, TestBrowser } from './test-browser.ts';

export const CLIENTS = '/openid/clients';
export const TOKENS = '/v3/OS-OAUTH2/registration_tokens';
export const REGISTERED = '/v3/OS-OAUTH2/registered_applications';
export const STRANGER_CALLBACK = 'https://stranger.example.org/callback';

/** What a stranger says of itself, with a name of its own: good, unless the test says otherwise. */
export const METADATA = {
  client_name: 'Assistant of a stranger',
  redirect_uris: [STRANGER_CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  initiate_login_uri: 'https://stranger.example.org/login',
  scope: 'openid profile offline_access',
};

/** The policy of a domain, instead of the one that it has. */
export async function setPolicy(api: TestApi, values: Record<string, string>, domainId = 'default'): Promise<void> {
  const answer = await api.put(`/v3/domains/${domainId}/config`, { config: { application_registration: values } });
  assert.ok([200, 201].includes(answer.status), answer.text);
}

/** The policy of the service. */
export const setServicePolicy = async (api: TestApi, values: Record<string, string | null>): Promise<void> =>
  void assertOk(
    await api.patch('/v3/OS-SERVICE/settings', {
      settings: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`GATEHOUSE_IDENTITY_APPLICATION_REGISTRATION${name}`, value]),
      ),
    }),
  );

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` };

export function registerClient(
  api: TestApi,
  values: Record<string, unknown> = {},
  { token, query = '', headers = {} }: { token?: string; query?: string; headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const body = Object.fromEntries(
    Object.entries({ ...METADATA, client_name: uniqueName('Assistant'), ...values }).filter(([, value]) => value !== undefined),
  );
  return api.post(`${CLIENTS}${query}`, body, { token: null, headers: { ...bearer(token), ...headers } });
}

export async function makeToken(api: TestApi, values: Record<string, unknown> = {}, as?: string): Promise<any> {
  const answer = await api.post(
    TOKENS,
    { registration_token: { name: 'of a test', ...values } },
    as === undefined ? {} : { token: as },
  );
  assert.equal(answer.status, 201, answer.text);
  return answer.body.registration_token;
}

export class Stranger {
  readonly #api: TestApi;
  readonly client: any;

  constructor(api: TestApi, client: any) {
    this.#api = api;
    this.client = client;
  }

  static async register(api: TestApi, values: Record<string, unknown> = {}, options = {}): Promise<Stranger> {
    const answer = await registerClient(api, values, options);
    assert.equal(answer.status, 201, answer.text);
    return new Stranger(api, answer.body);
  }

  /** By its registration access token. */
  manage(method: string, body?: unknown, token: string | undefined = this.client.registration_access_token): Promise<ApiAnswer> {
    const path = new URL(this.client.registration_client_uri).pathname;
    return this.#api.request(method, path, { token: null, headers: bearer(token), ...(body === undefined ? {} : { body }) });
  }

  ask(more: Record<string, string> = {}): { url: string; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.client.client_id,
      redirect_uri: this.client.redirect_uris[0],
      scope: 'openid offline_access',
      prompt: 'consent',
      state: 'x',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    });
    return { url: `/openid/authorize?${query}`, verifier };
  }

  redeem(code: string, verifier: string, more: Record<string, string> = {}): Promise<ApiAnswer> {
    const redirect = this.client.redirect_uris[0];
    return this.token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirect, ...more });
  }

  token(parameters: Record<string, string>): Promise<ApiAnswer> {
    const { client_id: id, client_secret: secret } = this.client;
    const own = { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }), ...parameters };
    return this.#api.post('/openid/token', new URLSearchParams(own).toString(), { token: null, headers: FORM });
  }

  async signIn(person: SignInAnswers, more: Record<string, string> = {}, browser = new TestBrowser(this.#api)) {
    const { url, verifier } = this.ask(more);
    const page = await browser.signIn(url, person);
    return { page, verifier };
  }

  async tokensFor(person: SignInAnswers, more: Record<string, string> = {}, browser?: TestBrowser): Promise<any> {
    const { page, verifier } = await this.signIn(person, more, browser);
    const code = redirectTargetOf(page).searchParams.get('code');
    assert.ok(code, String(page.redirectTarget));
    const uri = more.redirect_uri === undefined ? {} : { redirect_uri: more.redirect_uri };
    return assertOk(await this.redeem(code, verifier, uri));
  }
}

/** What the application is told instead of a code. */
export const errorOf = (page: BrowserPage): string | null => redirectTargetOf(page).searchParams.get('error');
