// People who log in at the API with tokens of another provider.
import { assertOk } from './answers.ts';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { ROOT } from './federation.ts';
import type { PlainProvider } from './plain-provider.ts';

type Claims = Readonly<Record<string, unknown>>;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds, as the provider's tokens have them. */
export const now = (): number => Math.floor(Date.now() / 1000);

export class ProviderTokens {
  readonly #api: TestApi;
  readonly #provider: PlainProvider;
  readonly path: string;

  constructor(api: TestApi, provider: PlainProvider, id: string) {
    this.#api = api;
    this.#provider = provider;
    this.path = `${ROOT}/identity_providers/${id}`;
  }

  /** A token as the provider issues it to this person. */
  issue(sub: string, more: Claims = {}): Promise<string> {
    const { issuer: iss, clientId: aud } = this.#provider;
    const own = { iss, aud, sub, iat: now(), exp: now() + 300, auth_time: now(), preferred_username: sub };
    return this.#provider.mint({}, { ...own, ...more });
  }

  send(bearer: string): Promise<ApiAnswer> {
    const options = { token: null, headers: { Authorization: `Bearer ${bearer}` } };
    return this.#api.post(`${this.path}/protocols/openid/auth`, undefined, options);
  }

  logIn = async (sub: string, more: Claims = {}): Promise<ApiAnswer> => this.send(await this.issue(sub, more));

  /** Our token. */
  async enter(sub: string, more: Claims = {}): Promise<string> {
    const answer = await this.logIn(sub, more);
    assertOk(answer, 201);
    return answer.headers.get('x-subject-token')!;
  }

  validate = (token: string, at = this.#api): Promise<ApiAnswer> =>
    at.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });

  rescope(token: string, scope: object): Promise<ApiAnswer> {
    const identity = { methods: ['token'], token: { id: token } };
    return this.#api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
  }

  /** The provider signs somebody out, or ends one of their sessions: `sub`, `sid`, or both. */
  async signOut(claims: Claims): Promise<Response> {
    const { issuer: iss, clientId: aud } = this.#provider;
    const token = await this.#provider.mint(
      { typ: 'logout+jwt' },
      { iss, aud, iat: now(), jti: uniqueName('jti'), events: { [EVENT]: {} }, ...claims },
    );
    const body = new URLSearchParams({ logout_token: token });
    return fetch(`${this.#api.url}/openid/providers/${this.path.split('/').at(-1)}/logout`, { method: 'POST', body });
  }
}
