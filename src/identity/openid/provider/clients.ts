// Consumers as clients of the OpenID provider. Read for every request, so changes apply immediately.
import type { ClientMetadata } from 'oidc-provider';
import {
  type ConsumerWithSecret,
  isNative,
  openidFieldsOf,
  postLogoutUrisOf,
  redirectUriConflict,
} from '../../applications/consumers/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { PRE_AUTHORIZED } from '../paths/index.ts';

/** Our own: the secret before the current one, while it works. */
export const PREVIOUS_SECRET = 'previous_client_secret';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** Every client may use the authorization code grant; `password` must be registered. */
function grantTypesOf(registered: string, isConfidential: boolean): string[] {
  const common = ['authorization_code', 'refresh_token', DEVICE, PRE_AUTHORIZED];
  return [
    ...common,
    ...(registered === 'password' ? ['password'] : []),
    // Client credentials require a secret (RFC 6749, 4.4).
    ...(isConfidential ? ['client_credentials'] : []),
  ];
}

/** A client with a secret must always use it. */
function authMethodOf(isConfidential: boolean, registered: unknown): 'none' | 'client_secret_basic' | 'client_secret_post' {
  if (!isConfidential) return 'none';
  return registered === 'client_secret_post' ? registered : 'client_secret_basic';
}

export function clientOf(consumer: ConsumerWithSecret): ClientMetadata {
  const extra = parseJson(consumer.extra);
  const registered = JSON.parse(consumer.redirect_uris) as string[];
  const native = isNative(registered);
  // Invalid combinations of URIs are refused at registration; older rows may still have some.
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
    ...(isConfidential && consumer.plainPreviousSecret ? { [PREVIOUS_SECRET]: consumer.plainPreviousSecret } : {}),
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    grant_types: grantTypesOf(consumer.grant_type, isConfidential),
  };
}
