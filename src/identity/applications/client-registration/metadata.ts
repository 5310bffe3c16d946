// What an application says of itself (RFC 7591, 2; OpenID Connect Dynamic Client Registration, 2), as far as the policy goes. What is not known
// is left out, as RFC 7591 says; nothing is fetched or called that a stranger names.
import { fail } from '../../ground/faults.ts';
import { isWebAddress } from '../../ground/resource/index.ts';
import {
  CLIENT_KEY_ALGORITHMS,
  ID_TOKEN_ALGORITHMS,
  isClientKeySet,
  isLoopback,
  isRedirectUri,
  type NewConsumer,
  OPENID_SCOPES,
  SIGN_IN_STRENGTHS,
} from '../consumers/index.ts';
import { grantTypesOf, type Policy, redirectProblem } from './policy.ts';

export type Metadata = Readonly<Record<string, unknown>>;

const MAX_URIS = 20;
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;

const refuse = (field: string, why: string): never => fail('oauth.invalid_client_metadata', { field, why });

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

function textsIn(metadata: Metadata, field: string, fallback: readonly string[]): readonly string[] {
  const value = metadata[field] ?? fallback;
  return isTexts(value) ? value : refuse(field, 'it is not a list of texts');
}

function textIn(metadata: Metadata, field: string): string | undefined {
  const value = metadata[field] ?? undefined;
  return value === undefined || typeof value === 'string' ? value : refuse(field, 'it is not a text');
}

function urisIn(metadata: Metadata, field: string, policy: Policy): string[] {
  const uris = textsIn(metadata, field, []);
  if (uris.length > MAX_URIS) refuse(field, `there are more than ${MAX_URIS}`);
  for (const uri of uris) {
    const why = isRedirectUri(uri) ? redirectProblem(uri, policy) : 'it is not an absolute URL without a fragment';
    if (why !== undefined) fail('oauth.invalid_redirect_uri', { uri: uri.slice(0, 200), why });
  }
  return [...new Set(uris)];
}

/** Those that the policy allows, of those that are asked for. */
function grantTypesIn(metadata: Metadata, policy: Policy): string[] {
  const asked = textsIn(metadata, 'grant_types', ['authorization_code']);
  const granted = grantTypesOf(policy).filter((one) => asked.includes(one));
  if (granted.every((one) => one === 'refresh_token')) refuse('grant_types', 'the policy allows none of them');
  return granted;
}

function checkResponseTypes(metadata: Metadata, grantTypes: readonly string[]): void {
  const asked = textsIn(metadata, 'response_types', ['code']);
  if (grantTypes.includes('authorization_code') && !asked.includes('code')) refuse('response_types', 'code is all that there is');
}

/** Never an empty list: that would be no limit. */
function scopesIn(metadata: Metadata, { scopes }: Policy): string[] {
  const asked = textIn(metadata, 'scope')?.split(' ').filter(Boolean);
  const granted = asked === undefined ? scopes : scopes.filter((scope) => asked.includes(scope));
  // Scopes of an API are not registered here: the API says who may ask for those.
  const isForApi = asked?.some((word) => !OPENID_SCOPES.some((scope) => scope === word)) === true;
  const registered = granted.length === 0 && isForApi ? scopes.slice(0, 1) : [...granted];
  return registered.length > 0 ? registered : refuse('scope', 'the policy allows none of them');
}

function methodIn(metadata: Metadata): (typeof AUTH_METHODS)[number] {
  const asked = textIn(metadata, 'token_endpoint_auth_method') ?? 'client_secret_basic';
  const found = AUTH_METHODS.find((method) => method === asked);
  return found ?? refuse('token_endpoint_auth_method', `it must be one of ${AUTH_METHODS.join(', ')}`);
}

/** By value only: nothing is fetched that a stranger names. */
function keysIn(metadata: Metadata): Record<string, unknown> {
  const { jwks, token_endpoint_auth_signing_alg: algorithm } = metadata;
  if (!isClientKeySet(jwks)) refuse('jwks', 'private_key_jwt needs public keys by value');
  if (algorithm !== undefined && !CLIENT_KEY_ALGORITHMS.some((one) => one === algorithm))
    refuse('token_endpoint_auth_signing_alg', `it must be one of ${CLIENT_KEY_ALGORITHMS.join(', ')}`);
  return { jwks, ...(algorithm === undefined ? {} : { token_endpoint_auth_signing_alg: algorithm }) };
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isPage = (value: unknown): boolean => isWebAddress(value) && /^https:/i.test(String(value));
const isOf =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string);

/** What is registered as it is said. Whoever registers themselves may ask for a stricter treatment, and for nothing else. */
const AS_SAID: Readonly<Record<string, (value: unknown) => boolean>> = {
  client_uri: isPage,
  policy_uri: isPage,
  tos_uri: isPage,
  initiate_login_uri: isPage,
  id_token_signed_response_alg: isOf(...ID_TOKEN_ALGORITHMS),
  require_pushed_authorization_requests: isFlag,
  dpop_bound_access_tokens: isFlag,
  require_auth_time: isFlag,
  default_max_age: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  default_acr_values: (value) =>
    isTexts(value) &&
    value.length > 0 &&
    value.every((one) => isOf(...SIGN_IN_STRENGTHS)(one)) &&
    new Set(value).size === value.length,
};

/** What is checked and not kept: it must not be something that is not done here. */
const CHECKED: Readonly<Record<string, (value: unknown) => boolean>> = {
  subject_type: isOf('public'),
  application_type: isOf('web', 'native'),
};

function asSaid(metadata: Metadata): Record<string, unknown> {
  const said = { ...AS_SAID, ...CHECKED };
  for (const [field, accepts] of Object.entries(said)) {
    const value = metadata[field] ?? undefined;
    if (value !== undefined && !accepts(value)) refuse(field, 'this value is not accepted');
  }
  return Object.fromEntries(Object.entries(metadata).filter(([field, value]) => Object.hasOwn(AS_SAID, field) && value !== null));
}

/** Of an application without a name: where it sends people. */
function nameIn(metadata: Metadata, uris: readonly string[]): string {
  const named = textIn(metadata, 'client_name');
  if (named !== undefined) return named;
  const first = uris[0];
  return first === undefined || isLoopback(first) ? 'An application without a name' : new URL(first).hostname;
}

/** The consumer that it becomes. Its name is not compared with others here. */
export function readMetadata(metadata: Metadata, policy: Policy): NewConsumer {
  const grantTypes = grantTypesIn(metadata, policy);
  checkResponseTypes(metadata, grantTypes);
  const uris = urisIn(metadata, 'redirect_uris', policy);
  if (grantTypes.includes('authorization_code') && uris.length === 0)
    fail('oauth.invalid_redirect_uri', { uri: '(none)', why: 'at least one is needed' });
  const method = methodIn(metadata);
  return {
    name: nameIn(metadata, uris),
    client_type: method === 'none' ? 'public' : 'confidential',
    grant_type: 'authorization_code',
    redirect_uris: uris,
    ...asSaid(metadata),
    ...(method === 'private_key_jwt' ? keysIn(metadata) : {}),
    token_endpoint_auth_method: method,
    allowed_grant_types: grantTypes,
    allowed_scopes: scopesIn(metadata, policy),
    post_logout_redirect_uris: urisIn(metadata, 'post_logout_redirect_uris', policy),
  };
}

export { AS_SAID };
