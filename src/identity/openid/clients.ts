// Consumers as clients of the OpenID provider: read anew whenever one is asked for, so that changes count at once.
import type { ClientMetadata } from 'oidc-provider';
import { parsed } from '../attributes.ts';
import type { ConsumerWithSecret } from '../consumers/index.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** What else a consumer may say of itself, by the names of client registration (RFC 7591, OpenID Connect). */
const OPTIONAL = [
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'id_token_signed_response_alg',
  'require_pushed_authorization_requests',
  'dpop_bound_access_tokens',
  'default_max_age',
  'require_auth_time',
  'initiate_login_uri',
  'client_uri',
  'policy_uri',
  'tos_uri',
  'logo_uri',
] as const;

/** Logging in by code is for everyone; what is more than that is for those registered with it. */
function grantTypesOf(registered: string, isConfidential: boolean): string[] {
  const common = ['authorization_code', 'refresh_token', DEVICE];
  return [
    ...common,
    ...(registered === 'password' ? ['password'] : []),
    // Whoever has no secret cannot act for itself, whatever it is registered with (RFC 6749, 4.4).
    ...(isConfidential ? ['client_credentials'] : []),
  ];
}

/** An address with a scheme of its own belongs to an application on the person's machine. */
const isNative = (uri: string): boolean => !/^https?:/i.test(uri);

/** Whoever has a secret has to show it, whatever else is registered. */
function authMethodOf(isConfidential: boolean, registered: unknown): 'none' | 'client_secret_basic' | 'client_secret_post' {
  if (!isConfidential) return 'none';
  return registered === 'client_secret_post' ? registered : 'client_secret_basic';
}

export function clientOf(consumer: ConsumerWithSecret): ClientMetadata {
  const extra = parsed(consumer.extra);
  const redirectUris = JSON.parse(consumer.redirect_uris) as string[];
  const isConfidential = consumer.client_type === 'confidential';
  const optional = Object.fromEntries(OPTIONAL.filter((name) => extra[name] !== undefined).map((name) => [name, extra[name]]));
  return {
    ...optional,
    client_id: consumer.id,
    client_name: consumer.name,
    token_endpoint_auth_method: authMethodOf(isConfidential, extra.token_endpoint_auth_method),
    ...(isConfidential ? { client_secret: consumer.plainSecret } : {}),
    application_type: redirectUris.some(isNative) ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    grant_types: grantTypesOf(consumer.grant_type, isConfidential),
  };
}
