// Consumers as clients of the OpenID provider: read anew whenever one is asked for, so that changes count at once.
import type { ClientMetadata } from 'oidc-provider';
import {
  type ConsumerWithSecret,
  isNative,
  openidFieldsOf,
  postLogoutUrisOf,
  redirectUriConflict,
} from '../../consumers/index.ts';
import { parseJson } from '../../resource/index.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

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

/** Whoever has a secret has to show it, whatever else is registered. */
function authMethodOf(isConfidential: boolean, registered: unknown): 'none' | 'client_secret_basic' | 'client_secret_post' {
  if (!isConfidential) return 'none';
  return registered === 'client_secret_post' ? registered : 'client_secret_basic';
}

export function clientOf(consumer: ConsumerWithSecret): ClientMetadata {
  const extra = parseJson(consumer.extra);
  const registered = JSON.parse(consumer.redirect_uris) as string[];
  const native = isNative(registered);
  // Addresses that do not go together are refused now; older rows may have some.
  const fitting = (uris: readonly string[]) => uris.filter((uri) => redirectUriConflict(uri, native) === undefined);
  const redirectUris = fitting(registered);
  const isConfidential = consumer.client_type === 'confidential';
  return {
    ...openidFieldsOf(extra),
    post_logout_redirect_uris: fitting(postLogoutUrisOf(extra)),
    client_id: consumer.id,
    client_name: consumer.name,
    token_endpoint_auth_method: authMethodOf(isConfidential, extra.token_endpoint_auth_method),
    ...(isConfidential ? { client_secret: consumer.plainSecret } : {}),
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    grant_types: grantTypesOf(consumer.grant_type, isConfidential),
  };
}
