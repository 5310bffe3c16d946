// The errors of sign-ins through other providers. Part of the table in faults.ts.
import { missing } from './missing-fault.ts';

export const federationFaults = {
  'identity_provider.not_found': missing('identity provider'),
  'identity_provider.unavailable': { status: 503, text: 'The identity provider does not answer. Please try again later.' },
  'identity_provider.no_metadata': { status: 400, text: 'The metadata of the identity provider cannot be used: {why}.' },
  'identity_provider.not_registered': { status: 400, text: 'The identity provider did not register this service: {why}.' },
  'provider_registration.not_found': { status: 404, text: 'The service did not register itself at the identity provider {id}.' },
  'provider_attempt.not_found': missing('attempt to sign in'),
  'identity_provider.refused': { status: 403, text: 'The sign-in through the identity provider was refused: {why}.' },
  'identity_provider.no_entry': {
    status: 403,
    text: 'The identity provider accepted the sign-in, but this service does not: {why}.',
  },
  'identity_provider.invalid_logout': { status: 400, text: 'The logout token is not valid: {why}.' },
  'mapping.not_found': missing('mapping'),
  'mapping.invalid': { status: 400, text: 'The mapping is not valid: {why}.' },
  'protocol.not_found': missing('federation protocol'),
  'websso.untrusted_dashboard': { status: 401, text: 'The address in origin is not that of a trusted dashboard.' },
  'service_provider.limit': { status: 403, text: 'There may be at most {limit} service providers: every token names them.' },
  'wallet_provider.not_found': { status: 404, text: 'The identity provider {id} has no settings for credentials from wallets.' },
  'openid_provider.not_found': { status: 404, text: 'The identity provider {id} has no OpenID settings.' },
  'provider_link.not_found': missing('linked account'),
  'provider_link.last_way_in': {
    status: 403,
    text: 'This is the only way to sign in to this account. Set a password, or add a passkey or another account first.',
  },
} as const;
