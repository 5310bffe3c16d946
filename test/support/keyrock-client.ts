// An application built on Keyrock's client library: it asks for consent itself, with the user's own token, and redeems the code.
import assert from 'node:assert/strict';
import type { ApiAnswer, TestApi } from './api.ts';
import { makeApplication } from './applications.ts';

export const KEYROCK_CALLBACK = 'https://old.example.org/callback?from=us';
export const AUTHORIZE = '/v3/OS-OAUTH2/authorize';
export const ACCESS_TOKEN = '/v3/OS-OAUTH2/access_token';

export interface ClientCredentials {
  readonly id: string;
  readonly secret?: string;
}

/** The encoding of a token request: as the library does it, as JSON without an envelope, or as a form (the standard). */
export type BodyEncoding = 'envelope' | 'json' | 'form';

export const basic = ({ id, secret = '' }: ClientCredentials): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export interface KeyrockTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

export class KeyrockClient implements ClientCredentials {
  readonly #api: TestApi;
  readonly application: any;
  readonly id: string;
  readonly secret: string;

  constructor(api: TestApi, application: any) {
    this.#api = api;
    this.application = application;
    this.id = application.id;
    this.secret = application.secret;
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}): Promise<KeyrockClient> {
    const registered = { redirect_uris: [KEYROCK_CALLBACK], scopes: ['all_info'], ...values };
    return new KeyrockClient(api, await makeApplication(api, registered));
  }

  ask(token: string | null, more: Record<string, string> = {}): Promise<ApiAnswer> {
    const query = { response_type: 'code', client_id: this.id, redirect_uri: KEYROCK_CALLBACK, scope: 'all_info', ...more };
    return this.#api.get(`${AUTHORIZE}?${new URLSearchParams(query)}`, { token });
  }

  allow(token: string | null, more: Record<string, unknown> = {}): Promise<ApiAnswer> {
    return this.#api.post(AUTHORIZE, { user_auth: { client_id: this.id, scopes: ['all_info'], ...more } }, { token });
  }

  /** The authorization request and the user's consent. */
  async code(person: { token: string }, scopes: readonly string[] = ['all_info']): Promise<string> {
    const asked = await this.ask(person.token, { scope: scopes.join(' ') });
    assert.equal(asked.status, 200, asked.text);
    const allowed = await this.allow(person.token, { scopes });
    assert.equal(allowed.status, 302, allowed.text);
    return new URL(allowed.headers.get('location')!).searchParams.get('code')!;
  }

  request(
    parameters: Record<string, string>,
    written: BodyEncoding = 'envelope',
    as: ClientCredentials = this,
  ): Promise<ApiAnswer> {
    const headers = { Authorization: basic(as), ...(written === 'form' ? FORM : {}) };
    const body = {
      envelope: { token_request: parameters },
      json: parameters,
      form: new URLSearchParams(parameters).toString(),
    }[written];
    return this.#api.post(ACCESS_TOKEN, body, { token: null, headers });
  }

  redeem(code: string, written?: BodyEncoding, as?: ClientCredentials): Promise<ApiAnswer> {
    return this.request({ grant_type: 'authorization_code', code, redirect_uri: KEYROCK_CALLBACK }, written, as);
  }

  refresh(token: string, written?: BodyEncoding, as?: ClientCredentials): Promise<ApiAnswer> {
    return this.request({ grant_type: 'refresh_token', refresh_token: token }, written, as);
  }

  async tokens(person: { token: string }, scopes?: readonly string[]): Promise<KeyrockTokens> {
    const answer = await this.redeem(await this.code(person, scopes));
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  byPassword(person: { user: { name: string }; password: string }, more: Record<string, string> = {}): Promise<ApiAnswer> {
    const { user, password } = person;
    return this.request({ grant_type: 'password', username: user.name, password, scope: 'all_info', ...more });
  }

  introspect(token: string, as: ClientCredentials = this): Promise<ApiAnswer> {
    const headers = { Authorization: basic(as), ...FORM };
    return this.#api.post('/openid/introspect', new URLSearchParams({ token }).toString(), { token: null, headers });
  }
}

export const informationOf = (api: TestApi, token: string): Promise<ApiAnswer> => api.get(`/v3/access-tokens/${token}`);

/** A login with the auth method `oauth2`. Returns the answer, also if it fails. */
export function logInByAccessToken(api: TestApi, token: string, scope?: unknown): Promise<ApiAnswer> {
  const identity = { methods: ['oauth2'], oauth2: { access_token_id: token } };
  return api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
}

export const listPath = ({ id }: { id: string }): string => `/v3/users/${id}/OS-OAUTH2/access_tokens`;

/** The results of everything that accepts an access token: the proxy API, introspection, a login. */
export async function verdictsOn(api: TestApi, client: KeyrockClient, token: string): Promise<unknown[]> {
  return [
    (await informationOf(api, token)).status,
    (await client.introspect(token)).body.active,
    (await logInByAccessToken(api, token)).status,
  ];
}

export const GOOD = [200, true, 201];
export const BAD = [404, false, 401];
