// The description of the provider, beside what the library says of itself (OpenID Connect Discovery 1.0, 3; RFC 8414, 2). What is silent
// there has a default that clients rely on, so it is said. described.test.ts tries every line.
import type { Configuration } from 'oidc-provider';
import { LANGUAGE_TAGS } from '../../../../platform/languages/index.ts';

export interface Described {
  readonly issuer: string;
  /** Requests for credentials must be as HAIP asks. */
  readonly isHaip: boolean;
  /** How applications authenticate. */
  readonly methods: readonly string[];
  /** What they sign with, if they do so by a key. */
  readonly keyAlgorithms: readonly string[];
  /** How wallets do, where the library authenticates: introspection is our own (introspection.ts). */
  readonly walletMethods: readonly string[];
}

/** The library keeps its own value where it has one. */
export const metadataOf = ({
  issuer,
  isHaip,
  methods,
  keyAlgorithms,
  walletMethods,
}: Described): NonNullable<Configuration['discovery']> => ({
  claim_types_supported: ['normal'],
  // The library has no front channel (front-channel.ts).
  frontchannel_logout_session_supported: true,
  frontchannel_logout_supported: true,
  introspection_endpoint_auth_methods_supported: [...methods],
  introspection_endpoint_auth_signing_alg_values_supported: [...keyAlgorithms],
  // Whether wallets need a client id for the code of an offer (OID4VCI, 12.3).
  'pre-authorized_grant_anonymous_access_supported': !isHaip,
  revocation_endpoint_auth_methods_supported: [...methods, ...walletMethods],
  revocation_endpoint_auth_signing_alg_values_supported: [...keyAlgorithms],
  service_documentation: `${issuer}/guide`,
  ui_locales_supported: [...LANGUAGE_TAGS],
});
