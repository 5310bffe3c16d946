// Consumers as clients of the OpenID provider. Read for every request, so changes apply immediately.
import type { ClientMetadata } from 'oidc-provider';
import {
  attributesOf,
  type ConsumerWithSecret,
  grantsOf,
  isNative,
  openidFieldsOf,
  postLogoutUrisOf,
  redirectUriConflict,
  SKIP_CONSENT,
} from '../../applications/consumers/index.ts';

/** Our own: the secret before the current one, while it works. */
export const PREVIOUS_SECRET = 'previous_client_secret';

/** Our own attributes that the library has to keep. */
export const OWN_ATTRIBUTES = [
  'id_token_claims',
  'access_token_lifetime',
  'refresh_token_lifetime',
  SKIP_CONSENT,
  PREVIOUS_SECRET,
];

/** A client with a secret must always use it. */
function authMethodOf(isConfidential: boolean, registered: unknown): 'none' | 'client_secret_basic' | 'client_secret_post' {
  if (!isConfidential) return 'none';
  return registered === 'client_secret_post' ? registered : 'client_secret_basic';
}

export function clientOf(consumer: ConsumerWithSecret): ClientMetadata {
  const extra = attributesOf(consumer);
  const registered = JSON.parse(consumer.redirect_uris) as string[];
  const native = isNative(registered);
  // Invalid combinations of URIs are refused at registration; older rows may still have some.
  const fitting = (uris: readonly string[]) => uris.filter((uri) => redirectUriConflict(uri, native) === undefined);
  const redirectUris = fitting(registered);
  const isConfidential = consumer.client_type === 'confidential';
  // The library would refuse a client with a grant that it does not have; Keyrock's `implicit` is ours.
  const grantTypes = [...grantsOf(consumer)].filter((one) => one !== 'implicit');
  const { allowed_scopes: scopes, ...fields } = openidFieldsOf(extra);
  return {
    ...fields,
    ...(scopes === undefined ? {} : { scope: (scopes as string[]).join(' ') }),
    post_logout_redirect_uris: fitting(postLogoutUrisOf(extra)),
    client_id: consumer.id,
    client_name: consumer.name,
    token_endpoint_auth_method: authMethodOf(isConfidential, extra.token_endpoint_auth_method),
    ...(isConfidential ? { client_secret: consumer.plainSecret } : {}),
    ...(isConfidential && consumer.plainPreviousSecret ? { [PREVIOUS_SECRET]: consumer.plainPreviousSecret } : {}),
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 && grantTypes.includes('authorization_code') ? ['code'] : [],
    grant_types: grantTypes,
  };
}
