// The description of the provider, beside what the library says of itself (OpenID Connect Discovery 1.0, 3; RFC 8414, 2). What is silent
// there has a default that clients rely on, so it is said. metadata.test.ts tries every line.
import type { Configuration } from 'oidc-provider';
import { LANGUAGE_TAGS } from '../../../../platform/languages/index.ts';

/** Introspection is our own (introspection.ts): public applications ask about their own tokens. */
const INTROSPECTION_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

export interface Described {
  readonly issuer: string;
  /** Requests for credentials must be as HAIP asks. */
  readonly isHaip: boolean;
  /** How clients authenticate where the library does it. */
  readonly authMethods: readonly string[];
}

/** The library keeps its own value where it has one. */
export const metadataOf = ({ issuer, isHaip, authMethods }: Described): NonNullable<Configuration['discovery']> => ({
  claim_types_supported: ['normal'],
  // The library has no front channel (front-channel.ts).
  frontchannel_logout_session_supported: true,
  frontchannel_logout_supported: true,
  introspection_endpoint_auth_methods_supported: INTROSPECTION_METHODS,
  // Whether wallets need a client id for the code of an offer (OID4VCI, 12.3).
  'pre-authorized_grant_anonymous_access_supported': !isHaip,
  // The library says true where request objects are on.
  request_parameter_supported: false,
  revocation_endpoint_auth_methods_supported: [...authMethods],
  service_documentation: `${issuer}/guide`,
  ui_locales_supported: [...LANGUAGE_TAGS],
});
