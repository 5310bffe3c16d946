// What an application is told about its registration (RFC 7591, 3.2.1; RFC 7592, 3).
import { attributesOf, type ConsumerWithSecret, isLoopback } from '../consumers/index.ts';
import { AS_SAID } from './metadata.ts';

export const CLIENTS_PATH = '/openid/clients';

export function clientInformation(row: ConsumerWithSecret, base: string, accessToken: string): Record<string, unknown> {
  const attributes = attributesOf(row);
  const uris = JSON.parse(row.redirect_uris) as string[];
  const grantTypes = (attributes.allowed_grant_types ?? []) as string[];
  const afterLogout = (attributes.post_logout_redirect_uris ?? []) as string[];
  const method = row.client_type === 'confidential' ? attributes.token_endpoint_auth_method : 'none';
  const hasSecret = method === 'client_secret_basic' || method === 'client_secret_post';
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([field]) => Object.hasOwn(AS_SAID, field))),
    client_id: row.id,
    client_id_issued_at: row.created_at,
    ...(hasSecret ? { client_secret: row.plainSecret, client_secret_expires_at: 0 } : {}),
    registration_access_token: accessToken,
    registration_client_uri: `${base}${CLIENTS_PATH}/${row.id}`,
    client_name: row.name,
    application_type: uris.some(isLoopback) ? 'native' : 'web',
    redirect_uris: uris,
    ...(afterLogout.length > 0 ? { post_logout_redirect_uris: afterLogout } : {}),
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    scope: ((attributes.allowed_scopes ?? []) as string[]).join(' '),
    token_endpoint_auth_method: method,
    ...(method === 'private_key_jwt' ? { jwks: attributes.jwks } : {}),
    subject_type: 'public',
  };
}
