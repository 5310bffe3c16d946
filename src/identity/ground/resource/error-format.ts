// Keystone's error format, and the headers of every response of the identity service.
import { type ErrorFormat, t } from '../../../platform/http/index.ts';
import { STATUS_CODES } from '../../../platform/node-http.ts';

export const keystoneErrors: ErrorFormat = ({ status, message, detail }, base) => ({
  body: { error: { code: status, title: STATUS_CODES[status] ?? 'Error', message, ...detail } },
  ...(status === 401 ? { headers: { 'WWW-Authenticate': `Keystone uri="${base}"` } } : {}),
});

/** OAuth's error format (RFC 6749, 5.2). */
export const oauthErrors: ErrorFormat = ({ status, code, message }) => ({
  body: { error: OAUTH_CODES[code] ?? (status >= 500 ? 'server_error' : 'invalid_request'), error_description: message },
});
const OAUTH_CODES: Readonly<Record<string, string>> = {
  'oauth.invalid_client': 'invalid_client',
  'oauth.unsupported_grant_type': 'unsupported_grant_type',
  // RFC 7591, 3.2.2; RFC 6750, 3.1
  'oauth.invalid_token': 'invalid_token',
  'oauth.invalid_redirect_uri': 'invalid_redirect_uri',
  'oauth.invalid_client_metadata': 'invalid_client_metadata',
  'oauth.registration_off': 'access_denied',
  'oauth.registration_full': 'temporarily_unavailable',
  // OID4VCI, 8.3.1 and 11.3; RFC 6750, 3.1; RFC 9449, 7.1
  'role_credential.invalid_token': 'invalid_token',
  'role_credential.invalid_dpop_proof': 'invalid_dpop_proof',
  'role_credential.invalid_request': 'invalid_credential_request',
  'role_credential.unknown_configuration': 'unknown_credential_configuration',
  'role_credential.unknown_identifier': 'unknown_credential_identifier',
  'role_credential.invalid_proof': 'invalid_proof',
  'role_credential.invalid_nonce': 'invalid_nonce',
  'role_credential.invalid_encryption': 'invalid_encryption_parameters',
  'role_credential.denied': 'credential_request_denied',
  'role_credential.invalid_notification': 'invalid_notification_request',
  'role_credential.unknown_notification': 'invalid_notification_id',
  'role_credential.no_role': 'credential_request_denied',
  'role_credential.type_unavailable': 'credential_request_denied',
};

/** `error` as in RFC 6749, 5.2. */
export const OAuthError = t.object({ error: t.string() }, { error_description: t.string() });

export const KeystoneError = t.object({
  error: t.open({ code: t.integer(), title: t.string(), message: t.string() }),
});

export const REQUEST_ID_HEADER = 'X-Openstack-Request-Id';

export const commonHeaders = {
  Vary: 'X-Auth-Token',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

t.name({ KeystoneError, OAuthError });
