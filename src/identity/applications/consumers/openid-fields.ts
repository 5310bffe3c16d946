// Attributes of a consumer as a client of the OpenID provider, with the names of client registration (RFC 7591, OpenID Connect). They
// are stored with its other extra attributes. The provider rejects a client with an invalid one, so they are checked here.
import { fail } from '../../ground/faults.ts';
import { isWebAddress } from '../../ground/resource/index.ts';
import { checkRedirectUris, isRedirectUri, isWebUri } from './redirect-uris.ts';

type ConsumerFields = Readonly<Record<string, unknown>>;

interface FieldType {
  accepts(value: unknown): boolean;
  /** Completes the sentence "it must be ...". */
  readonly description: string;
}

/** URLs of pages may have a fragment; URLs that we call may not. */
const pageUrl: FieldType = {
  accepts: isWebAddress,
  description: 'an absolute http or https URL',
};
const calledUrl: FieldType = {
  accepts: (value) => typeof value === 'string' && isWebUri(value),
  description: 'an absolute http or https URL without a fragment',
};
const httpsUrl: FieldType = {
  accepts: (value) => calledUrl.accepts(value) && /^https:/i.test(String(value)),
  description: 'an absolute https URL',
};
const flag: FieldType = { accepts: (value) => typeof value === 'boolean', description: 'true or false' };
const seconds: FieldType = {
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  description: 'a whole number of seconds',
};
const texts: FieldType = {
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  description: 'a list of URLs',
};
const oneOf = (...words: readonly string[]): FieldType => ({
  accepts: (value) => typeof value === 'string' && words.includes(value),
  description: `one of ${words.join(', ')}`,
});

const POST_LOGOUT_URIS = 'post_logout_redirect_uris';
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

const FIELD_TYPES: Readonly<Record<string, FieldType>> = {
  [POST_LOGOUT_URIS]: texts,
  backchannel_logout_uri: calledUrl,
  backchannel_logout_session_required: flag,
  /** Our own: the claims of the scopes are also in the ID token, for libraries that read only that. */
  id_token_claims: flag,
  id_token_signed_response_alg: oneOf(...ID_TOKEN_ALGORITHMS),
  token_endpoint_auth_method: oneOf('client_secret_basic', 'client_secret_post', 'none'),
  require_pushed_authorization_requests: flag,
  dpop_bound_access_tokens: flag,
  default_max_age: seconds,
  require_auth_time: flag,
  initiate_login_uri: httpsUrl,
  client_uri: pageUrl,
  policy_uri: pageUrl,
  tos_uri: pageUrl,
  logo_uri: pageUrl,
};

const fieldTypeOf = (field: string): FieldType | undefined =>
  Object.hasOwn(FIELD_TYPES, field) ? FIELD_TYPES[field] : undefined;

export function checkOpenidFields(body: ConsumerFields): void {
  for (const [field, value] of Object.entries(body)) {
    const type = fieldTypeOf(field);
    if (!type || value === null) continue;
    if (!type.accepts(value)) fail('request.bad_value', { field, why: `it must be ${type.description}` });
    if (field === POST_LOGOUT_URIS) checkRedirectUris(value as string[], field);
  }
}

/** Removes fields of the provider that are null: null means not set. */
export const withoutNull = (extra: ConsumerFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => value !== null || !fieldTypeOf(field)));

/** The valid fields for the provider. Old rows may have invalid ones. */
export const openidFieldsOf = (extra: ConsumerFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => fieldTypeOf(field)?.accepts(value)));

export const setsPostLogoutUris = (body: ConsumerFields): boolean => body[POST_LOGOUT_URIS] !== undefined;

export function postLogoutUrisOf(extra: ConsumerFields): readonly string[] {
  const uris = extra[POST_LOGOUT_URIS];
  return texts.accepts(uris) ? (uris as string[]).filter(isRedirectUri) : [];
}
