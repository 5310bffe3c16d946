// Attributes of a consumer as a client of the OpenID provider, with the names of client registration (RFC 7591, OpenID Connect). They
// are stored with its other extra attributes. The provider rejects a client with an invalid one, so they are checked here.
import { type Schema, t } from '../../../platform/http/index.ts';
import { isDistinguishedName } from '../../../verifiable/trust/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, hashOf, isWebAddress, parseJson } from '../../ground/resource/index.ts';
import { CLIENT_AUTHENTICATION_METHODS } from './client-authentications.ts';
import { CLIENT_KEY_ALGORITHMS, isClientKeySet, KEY_SET_DESCRIPTION } from './client-keys.ts';
import { checkRedirectUris, isRedirectUri, isWebUri } from './redirect-uris.ts';
import { SECURITY_PROFILE, SECURITY_PROFILE_NAMES } from './security-profiles.ts';
import { isWorkloadIdentities, WORKLOADS_DESCRIPTION } from './workload-identities.ts';

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
const MINUTE = 60;
const YEAR = 365 * 24 * 60 * MINUTE;
const certificateName: FieldType = {
  accepts: (value) => typeof value === 'string' && value.trim() === value && value.length > 0 && value.length <= 1024,
  description: 'a text of at most 1024 characters',
};
const lifetime: FieldType = {
  accepts: (value) => seconds.accepts(value) && Number(value) >= MINUTE && Number(value) <= YEAR,
  description: `a whole number of seconds, from ${MINUTE} to ${YEAR}`,
};
const texts: FieldType = {
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  description: 'a list of URLs',
};
const oneOf = (...words: readonly string[]): FieldType => ({
  accepts: (value) => typeof value === 'string' && words.includes(value),
  description: `one of ${words.join(', ')}`,
});

/** An empty list would say that nothing is allowed; the library takes it for no limit. */
const someOf = (...words: readonly string[]): FieldType => ({
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => typeof one === 'string' && words.includes(one)),
  description: `a list of some of ${words.join(', ')}, each once`,
});

const POST_LOGOUT_URIS = 'post_logout_redirect_uris';
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
export const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
/** Of a credential offer (OID4VCI, 6.1). */
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
/** Of people who are asked to sign in somewhere else (CIBA). */
export const CIBA = 'urn:openid:params:grant-type:ciba';
/** Of tokens for other tokens (RFC 8693). Whether an application may is said at each API. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  DEVICE,
  'password',
  'implicit',
  PRE_AUTHORIZED,
  TOKEN_EXCHANGE,
  CIBA,
] as const;
/** Those that applications can ask for. */
export const OPENID_SCOPES = [
  'openid',
  'profile',
  'email',
  'roles',
  'organizations',
  'all_info',
  'offline_access',
  'scim',
] as const;
/** How strong a sign-in was (`acr`), from weak to strong. The last is phishing-resistant: a passkey was used. */
export const SIGN_IN_STRENGTHS = ['https://refeds.org/profile/sfa', 'https://refeds.org/profile/mfa', 'phr'] as const;

/** Our own: the people of the application are not asked for consent. */
export const SKIP_CONSENT = 'skip_consent';

/** By its name: what it may be, and what it does. */
const FIELD_TYPES: Readonly<Record<string, FieldType & { readonly about: string }>> = {
  [POST_LOGOUT_URIS]: { ...texts, about: 'Where people may return to after they signed out.' },
  backchannel_logout_uri: { ...calledUrl, about: 'Is called when the session of a person ends.' },
  backchannel_logout_session_required: { ...flag, about: 'The call names the session (`sid`).' },
  frontchannel_logout_uri: {
    ...calledUrl,
    about:
      'Is opened in a frame of the page when a person signs out in a browser. Scheme, host and port are those of one of the `redirect_uris`.',
  },
  frontchannel_logout_session_required: { ...flag, about: 'Its address then names issuer and session (`iss`, `sid`).' },
  id_token_claims: {
    ...flag,
    about: 'The claims of the scopes are also in the ID token, for libraries that read only that.',
  },
  id_token_signed_response_alg: { ...oneOf(...ID_TOKEN_ALGORITHMS), about: 'Signs its ID tokens. Not set: RS256.' },
  token_endpoint_auth_method: {
    ...oneOf(...CLIENT_AUTHENTICATION_METHODS),
    about:
      'How a confidential client proves itself: by its secret, by a key whose public part is registered (`private_key_jwt`, RFC 7523), by the certificate of its connection (RFC 8705), or by the JWT of the platform that runs it (`workload_jwt`). Not set: `client_secret_basic`. Public clients have nothing.',
  },
  token_endpoint_auth_signing_alg: {
    ...oneOf(...CLIENT_KEY_ALGORITHMS),
    about: 'The only algorithm that its assertions may have. Not set: any of them that fits the key.',
  },
  jwks: { accepts: isClientKeySet, description: KEY_SET_DESCRIPTION, about: 'Its public keys (RFC 7517).' },
  jwks_uri: {
    ...calledUrl,
    about: 'Where its public keys are, instead of `jwks`. They are read again after 5 minutes, or earlier for a key that is new.',
  },
  workload_identities: {
    accepts: isWorkloadIdentities,
    description: WORKLOADS_DESCRIPTION,
    about:
      'With `workload_jwt`: the workloads that are the application, by the issuer of their JWT, its `sub` and its `aud` (not set: the address of this service).',
  },
  [SECURITY_PROFILE]: {
    ...oneOf(...SECURITY_PROFILE_NAMES),
    about:
      'FAPI 2.0 (final): nothing weaker works for the application then. Sign-ins are pushed, with PKCE; it proves itself by a key or a certificate, its tokens are bound to one, and everything is signed with PS256, ES256 or EdDSA. `fapi2-message-signing`: requests, answers and introspection are signed, too. `fapi-ciba`: for an application that asks people to sign in somewhere else; its requests are signed and have a `binding_message`.',
  },
  require_signed_request_object: { ...flag, about: 'Its requests are signed with its key (JAR, RFC 9101).' },
  request_object_signing_alg: {
    ...oneOf(...CLIENT_KEY_ALGORITHMS),
    about: 'The only algorithm that its signed requests may have. Not set: any of them that fits the key.',
  },
  authorization_signed_response_alg: {
    ...oneOf(...ID_TOKEN_ALGORITHMS),
    about: 'Signs the answers to its requests that ask for a signed one (`response_mode` `jwt`, JARM). Not set: RS256.',
  },
  introspection_signed_response_alg: {
    ...oneOf(...ID_TOKEN_ALGORITHMS),
    about: 'Signs the answers of introspection if it asks for `application/token-introspection+jwt` (RFC 9701). Not set: RS256.',
  },
  tls_client_auth_subject_dn: {
    accepts: (value) => certificateName.accepts(value) && isDistinguishedName(String(value)),
    description: 'a distinguished name with one value in each part',
    about: 'With `tls_client_auth`: the subject of its certificates (RFC 4514), such as `CN=reports,O=Example`.',
  },
  tls_client_auth_san_dns: { ...certificateName, about: 'Or the DNS name in its certificates.' },
  tls_client_auth_san_uri: {
    ...certificateName,
    about: 'Or the URI in its certificates, such as `spiffe://example.org/reports`.',
  },
  tls_client_auth_san_ip: { ...certificateName, about: 'Or the IP address in its certificates.' },
  tls_client_auth_san_email: { ...certificateName, about: 'Or the e-mail address in its certificates.' },
  tls_client_certificate_bound_access_tokens: {
    ...flag,
    about: 'Tokens are bound to the certificate of the connection on which the application asks for them (RFC 8705).',
  },
  require_pushed_authorization_requests: { ...flag, about: 'Sign-ins begin with a pushed request (RFC 9126).' },
  dpop_bound_access_tokens: { ...flag, about: 'Tokens are bound to a key of the application (DPoP, RFC 9449).' },
  default_max_age: { ...seconds, about: 'People sign in again if they did so longer ago.' },
  require_auth_time: { ...flag, about: 'The ID token says when the person signed in (`auth_time`).' },
  default_acr_values: {
    ...someOf(...SIGN_IN_STRENGTHS),
    about: 'How strong sign-ins should be, unless a request says so itself with `acr_values`.',
  },
  backchannel_token_delivery_mode: {
    ...oneOf('poll', 'ping'),
    about: 'With CIBA: `ping` tells the application when the person has answered. Not set: `poll`, it asks.',
  },
  backchannel_client_notification_endpoint: { ...calledUrl, about: 'With `ping`: where it is told.' },
  backchannel_authentication_request_signing_alg: {
    ...oneOf(...CLIENT_KEY_ALGORITHMS),
    about: 'Its CIBA requests are signed with this algorithm, by a key of `jwks` or `jwks_uri`. Not set: they may be signed.',
  },
  backchannel_user_code_parameter: {
    ...flag,
    about: 'With CIBA: the application asks people for the code that they may demand of who asks them.',
  },
  initiate_login_uri: { ...httpsUrl, about: 'Where others can send a person to sign in to the application.' },
  allowed_grant_types: {
    ...someOf(...GRANTS),
    about: 'The ways to get tokens that the application may use. Not set: all that `client_type` and `grant_type` allow.',
  },
  allowed_scopes: { ...someOf(...OPENID_SCOPES), about: 'The scopes that the application may ask for. Not set: all.' },
  access_token_lifetime: {
    ...lifetime,
    about: 'For how long its access tokens are good. Never longer than the service allows.',
  },
  refresh_token_lifetime: {
    ...lifetime,
    about: 'For how long a refresh token is good that is not used. Never longer than the service allows.',
  },
  [SKIP_CONSENT]: {
    ...flag,
    about:
      'People are not asked whether the application may have what it asks for, except when they connect a device. Only administrators set it, and while it is set only they change `redirect_uris`, `allowed_scopes`, `client_type` and the grant types.',
  },
  client_uri: { ...pageUrl, about: 'The home page.' },
  policy_uri: { ...pageUrl, about: 'What the application does with data of people.' },
  tos_uri: { ...pageUrl, about: 'The terms of use.' },
  logo_uri: { ...pageUrl, about: 'An image. The logo of the application itself is uploaded.' },
};

/** For the API document. They are checked by `checkOpenidFields`, also inside of `extra`. */
export const OPENID_DOCUMENTATION: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(FIELD_TYPES).map(([name, { about, description }]) => [
    name,
    t.unknown({ description: `${about} It is ${description}, or null.` }),
  ]),
);

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

type OwnColumns = Pick<ConsumerRow, 'extra' | 'skips_consent' | 'skips_consent_for'>;

/** What an administrator knows of the application beside its attributes. */
type Registered = Pick<ConsumerRow, 'redirect_uris' | 'client_type' | 'grant_type'>;

/**
 * Where people are sent, what the application may ask for, and how it proves itself and gets tokens: what an administrator knows who lets it
 * skip their consent.
 */
function skippedFor(
  { redirect_uris: uris, client_type: type, grant_type: registered }: Registered,
  attributes: ConsumerFields,
): string {
  const { allowed_scopes: scopes = OPENID_SCOPES, allowed_grant_types: grants = [] } = openidFieldsOf(attributes);
  const known = [JSON.parse(uris), scopes, grants, [type], [registered]] as string[][];
  return hashOf('skipped consent', JSON.stringify(known.map((all) => [...new Set(all)].sort())));
}

/** The attributes of a consumer beyond the fields that every consumer has. */
export function attributesOf(row: OwnColumns & Registered): ConsumerFields {
  const { skips_consent: skips, skips_consent_for: skipsFor } = row;
  const { [SKIP_CONSENT]: _unchecked, ...rest } = parseJson(row.extra);
  if (skips === null) return rest;
  // A replica of a version that does not know it lets whoever manages the application change them.
  const isChanged = skipsFor !== null && skipsFor !== skippedFor(row, rest);
  return { ...rest, [SKIP_CONSENT]: skips === 1 && !isChanged };
}

/** The columns for such attributes. */
export function columnsOf(attributes: ConsumerFields, registered: Registered): OwnColumns {
  const { [SKIP_CONSENT]: skips, ...rest } = withoutNull(attributes);
  return {
    extra: JSON.stringify(rest),
    skips_consent: typeof skips === 'boolean' ? bit(skips) : null,
    skips_consent_for: skips === true ? skippedFor(registered, rest) : null,
  };
}

/** Removes fields of the provider that are null: null means not set. */
const withoutNull = (extra: ConsumerFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => value !== null || !fieldTypeOf(field)));

/** The valid fields for the provider. Old rows may have invalid ones. */
export const openidFieldsOf = (extra: ConsumerFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => fieldTypeOf(field)?.accepts(value)));

export const setsFrontChannelUri = (body: ConsumerFields): boolean => body.frontchannel_logout_uri !== undefined;

export const frontChannelUriOf = ({ frontchannel_logout_uri: uri }: ConsumerFields): string | undefined =>
  calledUrl.accepts(uri) ? (uri as string) : undefined;

export const setsPostLogoutUris = (body: ConsumerFields): boolean => body[POST_LOGOUT_URIS] !== undefined;

export function postLogoutUrisOf(extra: ConsumerFields): readonly string[] {
  const uris = extra[POST_LOGOUT_URIS];
  return texts.accepts(uris) ? (uris as string[]).filter(isRedirectUri) : [];
}
