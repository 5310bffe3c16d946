// Profiles of security that an application is registered with (FAPI 2.0, final): then nothing weaker works for it, at whichever endpoint. What
// the profile leaves no choice about is so without being registered; where there is a choice, a weaker one cannot be registered.
import { CLIENT_AUTHENTICATIONS, type ClientAuthenticationMethod } from './client-authentications.ts';

export type SecurityProfile = 'fapi2' | 'fapi2-message-signing' | 'fapi-ciba';

interface ProfileRules {
  /** Requests, answers and introspection are signed (FAPI 2.0 Message Signing). */
  readonly signsMessages: boolean;
  /** Requests that people sign in somewhere else are signed, and say something that the person compares (FAPI-CIBA, 5.2.2). */
  readonly signsSignInRequests: boolean;
  /** By which it proves itself names the issuer and nothing else (FAPI 2.0, 5.3.2.1). CIBA Core 1.0, 7.1, wants the addresses of endpoints taken, too. */
  readonly provesToIssuerAlone: boolean;
  /** The ways to get tokens. No passwords, no tokens in addresses, nothing that begins without an authenticated request (5.3.2.1). */
  readonly grants: readonly string[];
}

const CODE_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];
const CIBA_GRANTS = ['urn:openid:params:grant-type:ciba', 'refresh_token', 'client_credentials'];

export const SECURITY_PROFILES: Readonly<Record<SecurityProfile, ProfileRules>> = {
  fapi2: { signsMessages: false, signsSignInRequests: false, provesToIssuerAlone: true, grants: CODE_GRANTS },
  'fapi2-message-signing': { signsMessages: true, signsSignInRequests: false, provesToIssuerAlone: true, grants: CODE_GRANTS },
  'fapi-ciba': { signsMessages: false, signsSignInRequests: true, provesToIssuerAlone: false, grants: CIBA_GRANTS },
};

export const SECURITY_PROFILE_NAMES = Object.keys(SECURITY_PROFILES) as readonly SecurityProfile[];
/** The attribute. */
export const SECURITY_PROFILE = 'security_profile';

/** FAPI 2.0, 5.4. */
export const PROFILE_ALGORITHMS: readonly string[] = ['PS256', 'ES256', 'EdDSA'];
/** Signs what we issue, unless another one of them is registered. */
const PROFILE_DEFAULT = 'ES256';
/** What the application may ask for answers in. */
export const SIGNED_RESPONSE_MODES = ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'] as const;

type Fields = Readonly<Record<string, unknown>>;

export const profileOf = ({ [SECURITY_PROFILE]: profile }: Fields): SecurityProfile | undefined =>
  SECURITY_PROFILE_NAMES.find((one) => one === profile);

/** What is signed. */
const signsOf = (profile: SecurityProfile): readonly boolean[] => [
  SECURITY_PROFILES[profile].signsMessages,
  SECURITY_PROFILES[profile].signsSignInRequests,
];

const SIGNING_FIELDS = [
  'id_token_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
  'backchannel_authentication_request_signing_alg',
] as const;
const ISSUED_FIELDS = SIGNING_FIELDS.slice(0, 3);

/** What the profile says for itself. `signs`: by default it is another algorithm than that of other applications. */
export function impliedBy(profile: SecurityProfile | undefined, fields: Fields): Fields {
  if (profile === undefined) return {};
  const { signsMessages } = SECURITY_PROFILES[profile];
  return {
    require_pushed_authorization_requests: true,
    ...Object.fromEntries(ISSUED_FIELDS.map((name) => [name, fields[name] ?? PROFILE_DEFAULT])),
    ...(signsMessages ? { require_signed_request_object: true, response_modes: [...SIGNED_RESPONSE_MODES] } : {}),
  };
}

/** What is registered beside the attributes. */
interface Registered {
  readonly client_type: string;
  readonly grant_type: string;
  readonly redirect_uris: readonly string[];
}

interface Rule {
  readonly field: string;
  /** Or what it says for a profile. */
  readonly why: string | ((profile: SecurityProfile) => string);
  isBroken(fields: Fields, registered: Registered, profile: SecurityProfile): boolean;
}

const provenByKey = (method: unknown): boolean =>
  typeof method === 'string' &&
  Object.hasOwn(CLIENT_AUTHENTICATIONS, method) &&
  ['key', 'certificate'].includes(CLIENT_AUTHENTICATIONS[method as ClientAuthenticationMethod].proof);

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d+)?\//;

const waysOf = (profile: SecurityProfile): string => `the ways to get tokens are ${SECURITY_PROFILES[profile].grants.join(', ')}`;

const RULES: readonly Rule[] = [
  {
    field: 'client_type',
    why: 'the application proves itself, so it is confidential',
    isBroken: (_fields, { client_type: type }) => type !== 'confidential',
  },
  {
    field: 'token_endpoint_auth_method',
    why: 'the application proves itself by private_key_jwt, tls_client_auth or self_signed_tls_client_auth',
    isBroken: ({ token_endpoint_auth_method: method }) => !provenByKey(method),
  },
  {
    field: 'dpop_bound_access_tokens',
    why: 'tokens are bound: dpop_bound_access_tokens or tls_client_certificate_bound_access_tokens is true',
    isBroken: ({ dpop_bound_access_tokens: key, tls_client_certificate_bound_access_tokens: certificate }) =>
      !(key || certificate),
  },
  ...SIGNING_FIELDS.map((field) => ({
    field,
    why: `it is signed with ${PROFILE_ALGORITHMS.join(', ')}`,
    isBroken: ({ [field]: alg }: Fields) => alg !== undefined && !PROFILE_ALGORITHMS.includes(String(alg)),
  })),
  {
    field: 'allowed_grant_types',
    why: waysOf,
    isBroken: ({ allowed_grant_types: grants = [] }, _registered, profile) =>
      (grants as string[]).some((one) => !SECURITY_PROFILES[profile].grants.includes(one)),
  },
  {
    field: 'grant_type',
    why: waysOf,
    // It is a column that knows neither CIBA nor nothing: with a list of its own, an application has what is in the list.
    isBroken: ({ allowed_grant_types: grants }, { grant_type: type }, profile) =>
      grants === undefined && !SECURITY_PROFILES[profile].grants.includes(type),
  },
  {
    field: 'redirect_uris',
    why: 'they begin with https, or lead to 127.0.0.1 or [::1]',
    isBroken: (_fields, { redirect_uris: uris }) => uris.some((uri) => !/^https:/i.test(uri) && !LOOPBACK.test(uri)),
  },
  {
    field: 'jwks',
    why: 'signed requests need jwks or jwks_uri',
    isBroken: ({ jwks, jwks_uri: uri }, _registered, profile) =>
      signsOf(profile).some(Boolean) && jwks === undefined && uri === undefined,
  },
];

/** The first rule of its profile that a registration breaks. */
export function brokenRule(fields: Fields, registered: Registered): { readonly field: string; readonly why: string } | undefined {
  const profile = profileOf(fields);
  const broken = profile && RULES.find(({ isBroken }) => isBroken(fields, registered, profile));
  return broken && { field: broken.field, why: typeof broken.why === 'string' ? broken.why : broken.why(profile!) };
}

/** Whether what was allowed before could have been got in a weaker way than from now on. */
export const isStricter = (before: SecurityProfile | undefined, after: SecurityProfile | undefined): boolean =>
  after !== undefined && (before === undefined || signsOf(after).some((signs, at) => signs && !signsOf(before)[at]));
