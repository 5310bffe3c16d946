// How an application asks people to sign in who are somewhere else (CIBA Core 1.0, 4), as it is registered.
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { grantsOf } from './grants.ts';
import { attributesOf, CIBA, OPENID_SCOPES, openidFieldsOf } from './openid-fields.ts';

type Row = Pick<ConsumerRow, 'redirect_uris' | 'client_type' | 'grant_type' | 'extra' | 'skips_consent' | 'skips_consent_for'>;

interface Fields {
  readonly allowed_scopes?: readonly string[];
  readonly allowed_grant_types?: readonly string[];
  readonly backchannel_token_delivery_mode?: 'poll' | 'ping';
  readonly backchannel_client_notification_endpoint?: string;
  readonly backchannel_authentication_request_signing_alg?: string;
  readonly jwks?: unknown;
  readonly jwks_uri?: string;
}
const fieldsOf = (row: Row): Fields => openidFieldsOf(attributesOf(row)) as Fields;

/** Where it is told that somebody has answered. Undefined: it asks. */
export function pingEndpointOf(row: Row): string | undefined {
  const { backchannel_token_delivery_mode: mode, backchannel_client_notification_endpoint: endpoint } = fieldsOf(row);
  return mode === 'ping' ? endpoint : undefined;
}

/** Whether it may ask people for these scopes. */
export function mayAskPeople(row: Row, scopes: readonly string[]): boolean {
  const { allowed_scopes: allowed = OPENID_SCOPES } = fieldsOf(row);
  return grantsOf(row).has(CIBA) && scopes.every((scope) => allowed.includes(scope));
}

/** What these fields have to be together, as they are going to be stored. */
export function checkSignInRequests(row: Row): void {
  const fields = fieldsOf(row);
  const refuse = (field: keyof Fields, why: string): never => fail('request.bad_value', { field, why });
  if (fields.allowed_grant_types?.includes(CIBA) && row.client_type !== 'confidential')
    refuse('allowed_grant_types', 'an application that asks people to sign in somewhere else is confidential');
  const endpoint = fields.backchannel_client_notification_endpoint;
  if (fields.backchannel_token_delivery_mode === 'ping' && endpoint === undefined)
    refuse('backchannel_client_notification_endpoint', 'with ping it says where the application is told');
  const isSigned = fields.backchannel_authentication_request_signing_alg !== undefined;
  if (isSigned && fields.jwks === undefined && fields.jwks_uri === undefined)
    refuse('backchannel_authentication_request_signing_alg', 'signed requests need jwks or jwks_uri');
}
