// Registers us at a provider (RFC 7591, OpenID Connect Dynamic Client Registration 1.0), and removes the registration (RFC 7592). What the provider answers
// is its own word about us: it is kept only as far as it fits to what was asked for.
import type { ClientMetadata, CustomFetch } from 'openid-client';
import { guardedFetch, type Outbound } from '../outbound/index.ts';
import { PROVIDER_ALGORITHMS } from './algorithms.ts';
import { RegistrationRefused } from './errors.ts';
import { CLIENT_AUTHENTICATIONS, type ClientWay, registeredMetadata } from './ways.ts';

const TIMEOUT_SECONDS = 5;
const MAX_BYTES = 64 * 1024;
const MAX_TOKEN = 4096;

export interface RegistrationRequest {
  readonly issuer: string;
  readonly way: ClientWay;
  readonly initialAccessToken: string | undefined;
  readonly redirectUri: string;
  /** More about us: name, addresses. */
  readonly metadata: Partial<ClientMetadata>;
}

/** By what it can be removed. */
export interface RegistrationHandle {
  readonly uri: string;
  readonly accessToken: string;
}

export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Seconds; undefined: never. */
  readonly secretExpiresAt: number | undefined;
  readonly clientAuthentication: ClientWay['client_authentication'];
  readonly metadata: Partial<ClientMetadata>;
  readonly handle: RegistrationHandle | undefined;
}

const refuse = (why: string): never => {
  throw new RegistrationRefused(why);
};
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most && !/[\p{Cc}]/u.test(value);

/** Who manages it is who registered it: a token of the provider is not carried to anybody else. */
function handleOf(answer: ClientMetadata, endpoint: string): RegistrationHandle | undefined {
  const { registration_client_uri: uri, registration_access_token: accessToken } = answer;
  const isTheirs = isText(uri, 2048) && URL.parse(uri)?.origin === new URL(endpoint).origin;
  return isTheirs && isText(accessToken, MAX_TOKEN) ? { uri, accessToken } : undefined;
}

function authenticationOf(answer: ClientMetadata, { way }: RegistrationRequest): ClientWay['client_authentication'] {
  const { token_endpoint_auth_method: method = way.client_authentication } = answer;
  if (method === way.client_authentication) return method;
  // A provider may have only one of the two ways to send a secret.
  const bySecret = ['client_secret_basic', 'client_secret_post'];
  if (bySecret.includes(way.client_authentication) && bySecret.includes(String(method)))
    return method as keyof typeof CLIENT_AUTHENTICATIONS;
  return refuse('it registered another way to prove who we are');
}

function checkAnswer(answer: ClientMetadata, request: RegistrationRequest, endpoint: string): RegisteredClient {
  const {
    client_id: clientId,
    client_secret: secret,
    client_secret_expires_at: ends,
    redirect_uris: uris,
    response_types: types,
  } = answer;
  if (!isText(clientId, 255)) refuse('its answer has no usable client_id');
  if (uris !== undefined && !(Array.isArray(uris) && uris.includes(request.redirectUri)))
    refuse('it registered another redirect address');
  if (types !== undefined && !(Array.isArray(types) && types.includes('code'))) refuse('it did not register the code flow');
  const clientAuthentication = authenticationOf(answer, request);
  const needsSecret = !('signs' in CLIENT_AUTHENTICATIONS[clientAuthentication]);
  if (needsSecret && !isText(secret, 1024)) refuse('its answer has no usable client_secret');
  const agreed = ['userinfo_signed_response_alg', 'id_token_signed_response_alg']
    .map((name) => [name, answer[name]] as const)
    .filter(([, alg]) => (PROVIDER_ALGORITHMS as readonly unknown[]).includes(alg));
  return {
    clientId,
    clientSecret: needsSecret ? (secret as string) : undefined,
    secretExpiresAt: needsSecret && typeof ends === 'number' && ends > 0 ? Math.floor(ends) : undefined,
    clientAuthentication,
    metadata: Object.fromEntries(agreed),
    handle: handleOf(answer, endpoint),
  };
}

/** Fails with RegistrationRefused if the provider cannot register us as we want, and with other errors while it does not answer. */
export async function registerClient(request: RegistrationRequest, outbound: Outbound): Promise<RegisteredClient> {
  const { issuer, way, initialAccessToken, redirectUri, metadata } = request;
  const oidc = await import('openid-client');
  const guarded = guardedFetch(outbound, { kind: 'identity-provider', timeoutMs: TIMEOUT_SECONDS * 1000, maxBytes: MAX_BYTES });
  const wanted = {
    ...metadata,
    redirect_uris: [redirectUri],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'web',
    ...registeredMetadata(way),
  };
  const at = (from: string) =>
    oidc.dynamicClientRegistration(new URL(from), wanted, oidc.None(), {
      [oidc.customFetch]: guarded as CustomFetch,
      timeout: TIMEOUT_SECONDS,
      ...(initialAccessToken === undefined ? {} : { initialAccessToken }),
      execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    });
  const config = await at(issuer).catch((error: { code?: string }) => {
    // Only a slash at the end may differ.
    if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    return at(`${issuer}/`);
  });
  const { issuer: named, registration_endpoint: endpoint } = config.serverMetadata();
  const bare = (text: string): string => text.replace(/\/+$/, '');
  if (bare(named) !== bare(issuer)) refuse('the provider calls itself something else');
  return checkAnswer(config.clientMetadata(), request, endpoint!);
}

/** RFC 7592, 2.3. False when the provider did not confirm it. */
export async function removeClient({ uri, accessToken }: RegistrationHandle, outbound: Outbound): Promise<boolean> {
  const answer = await outbound({
    method: 'DELETE',
    url: uri,
    headers: { Authorization: `Bearer ${accessToken}` },
    timeoutMs: TIMEOUT_SECONDS * 1000,
    maxBytes: MAX_BYTES,
    kind: 'identity-provider',
  }).catch(() => undefined);
  return answer !== undefined && [204, 401, 404].includes(answer.status);
}
