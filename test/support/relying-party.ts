// An external application, built on openid-client. It checks everything it receives by the standards.
import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { type TestApi, uniqueName } from './api.ts';
import { makeApplication } from './applications.ts';
import { type BrowserPage, redirectTargetOf, type SignInAnswers, TestBrowser } from './test-browser.ts';

export const CALLBACK = 'https://app.example.org/callback';

export interface AuthorizationRequest {
  readonly url: URL;
  readonly checks: client.AuthorizationCodeGrantChecks;
}

export type TokenSet = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

export class RelyingParty {
  readonly #api: TestApi;
  readonly application: { readonly id: string; readonly secret: string; readonly name: string };
  readonly config: client.Configuration;

  constructor(api: TestApi, application: RelyingParty['application'], config: client.Configuration) {
    this.#api = api;
    this.application = application;
    this.config = config;
  }

  /** Parameters of an authorization request, and the checks of its answer. */
  async parameters(more: Record<string, string> = {}) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const expectedNonce = client.randomNonce();
    return {
      checks: { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true },
      parameters: {
        redirect_uri: CALLBACK,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
        // A request for offline access must ask for consent (OpenID Connect Core, section 11).
        ...(more.scope?.includes('offline_access') ? { prompt: 'consent' } : {}),
        ...more,
      },
    };
  }

  async ask(more: Record<string, string> = {}): Promise<AuthorizationRequest> {
    const { parameters, checks } = await this.parameters(more);
    return { url: client.buildAuthorizationUrl(this.config, parameters), checks };
  }

  /** Everything from the first redirect to the tokens. */
  async tokensFor(person: SignInAnswers, more: Record<string, string> = {}, browser?: TestBrowser): Promise<TokenSet> {
    const { url, checks } = await this.ask(more);
    return this.redeem(await (browser ?? new TestBrowser(this.#api)).signIn(url, person), checks);
  }

  redeem(
    page: BrowserPage,
    checks: client.AuthorizationCodeGrantChecks,
    options?: client.AuthorizationCodeGrantOptions,
  ): Promise<TokenSet> {
    return client.authorizationCodeGrant(this.config, redirectTargetOf(page), checks, undefined, options);
  }

  userInfo(tokens: TokenSet) {
    return client.fetchUserInfo(this.config, tokens.access_token, tokens.claims()!.sub);
  }

  async isActive(token: string): Promise<boolean> {
    return (await client.tokenIntrospection(this.config, token)).active;
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}, auth?: client.ClientAuth): Promise<RelyingParty> {
    const application = await makeApplication(api, { redirect_uris: [CALLBACK], ...values });
    const isPublic = application.client_type === 'public';
    const { id_token_signed_response_alg: alg } = values as { id_token_signed_response_alg?: string };
    const config = await client.discovery(
      new URL(api.url),
      application.id,
      { ...(alg ? { id_token_signed_response_alg: alg } : {}), ...(isPublic ? {} : { client_secret: application.secret }) },
      auth ?? (isPublic ? client.None() : client.ClientSecretBasic(application.secret)),
      // Verifies signatures, although openid-client would trust tokens from the token endpoint.
      { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
    );
    return new RelyingParty(api, application, config);
  }
}

export async function makeUser(api: TestApi, values: Record<string, unknown> = {}) {
  const name = uniqueName('person');
  const password = 'a password of a person';
  const user = await api.make('user', { name, password, email: `${name}@example.org`, ...values });
  return { name: user.name as string, password: (values.password as string) ?? password, id: user.id as string, user };
}

/** The error of a refused request to the token endpoint. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError) return error.error;
    if (error instanceof client.WWWAuthenticateChallengeError) return String(error.cause[0]?.parameters.error ?? error.status);
    throw error;
  }
  return assert.fail('it was not refused');
}
