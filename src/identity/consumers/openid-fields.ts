// What a consumer may say of itself as a client of the OpenID provider, by the names of client registration (RFC 7591, OpenID
// Connect). They are kept with its other extra attributes; the provider refuses a client with a bad one altogether, so none gets in.
import { fail } from '../faults.ts';
import { checkRedirectUris, isRedirectUri, isWebAddress } from './redirect-uris.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Kind {
  takes(value: unknown): boolean;
  /** What completes "it must be ...". */
  readonly words: string;
}

/** Pages may have a place within them; an address that is called may not. */
const page: Kind = {
  takes: (value) => typeof value === 'string' && isWebAddress(value.split('#', 1)[0]!),
  words: 'an absolute http or https URL',
};
const called: Kind = {
  takes: (value) => typeof value === 'string' && isWebAddress(value),
  words: 'an absolute http or https URL without a fragment',
};
const secure: Kind = {
  takes: (value) => called.takes(value) && /^https:/i.test(String(value)),
  words: 'an absolute https URL',
};
const flag: Kind = { takes: (value) => typeof value === 'boolean', words: 'true or false' };
const seconds: Kind = {
  takes: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  words: 'a whole number of seconds',
};
const texts: Kind = {
  takes: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  words: 'a list of URLs',
};
const oneOf = (...words: readonly string[]): Kind => ({
  takes: (value) => typeof value === 'string' && words.includes(value),
  words: `one of ${words.join(', ')}`,
});

const AFTER_LOGOUT = 'post_logout_redirect_uris';
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

const KINDS: Readonly<Record<string, Kind>> = {
  [AFTER_LOGOUT]: texts,
  backchannel_logout_uri: called,
  backchannel_logout_session_required: flag,
  /** Ours: what the scopes bring is in the ID token as well, for libraries that look nowhere else. */
  id_token_claims: flag,
  id_token_signed_response_alg: oneOf(...ID_TOKEN_ALGORITHMS),
  token_endpoint_auth_method: oneOf('client_secret_basic', 'client_secret_post', 'none'),
  require_pushed_authorization_requests: flag,
  dpop_bound_access_tokens: flag,
  default_max_age: seconds,
  require_auth_time: flag,
  initiate_login_uri: secure,
  client_uri: page,
  policy_uri: page,
  tos_uri: page,
  logo_uri: page,
};

const kindOf = (field: string): Kind | undefined => (Object.hasOwn(KINDS, field) ? KINDS[field] : undefined);

/** What was sent, before it is kept. */
export function checkOpenidFields(sent: Fields): void {
  for (const [field, value] of Object.entries(sent)) {
    const kind = kindOf(field);
    if (!kind || value === null) continue;
    if (!kind.takes(value)) fail('request.bad_value', { field, why: `it must be ${kind.words}` });
    if (field === AFTER_LOGOUT) checkRedirectUris(value as string[], field);
  }
}

/** For these, null means that there is none. */
export const withoutNull = (extra: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => value !== null || !kindOf(field)));

/** What the provider gets to see: rows may be older than the checks. */
export const openidFieldsOf = (extra: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => kindOf(field)?.takes(value)));

export const namesAfterLogout = (sent: Fields): boolean => sent[AFTER_LOGOUT] !== undefined;

export function afterLogoutOf(extra: Fields): readonly string[] {
  const uris = extra[AFTER_LOGOUT];
  return texts.takes(uris) ? (uris as string[]).filter(isRedirectUri) : [];
}
