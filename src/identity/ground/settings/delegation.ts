// Settings about credentials that users store, and about what they pass on.
import { setting } from '../../../platform/config/index.ts';

/** What administrators can leave to the managers of a domain: groups of settings. Never where the people are. */
const LEAVABLE = [
  'passwords',
  'lock_out',
  'two_factor',
  'sessions',
  'registration',
  'application_registration',
  'passkeys',
  'wallet',
  'account',
  'look',
] as const;

export const delegationSettings = {
  domainManagerSettings: setting.custom<readonly string[]>(
    'GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS',
    [],
    `of ${LEAVABLE.join(', ')}`,
    'Groups of settings that managers of a domain may change for their domain: the look as they like, the others only to make them stricter than the service has them. None when unset: administrators only.',
    (text) =>
      text
        .split(',')
        .map((group) => group.trim())
        .filter(Boolean)
        .map((group) => {
          if ((LEAVABLE as readonly string[]).includes(group)) return group;
          throw new Error(`must be some of ${LEAVABLE.join(', ')}, separated by commas, not "${group}"`);
        }),
  ),
  applicationCredentialLimit: setting.number(
    'GATEHOUSE_IDENTITY_APPLICATION_CREDENTIAL_LIMIT',
    1000,
    { min: 0, max: 1_000_000, unit: 'credentials' },
    'How many application credentials a user may have. The API lists all of them in one response.',
  ),
  trustLimit: setting.number(
    'GATEHOUSE_IDENTITY_TRUST_LIMIT',
    10_000,
    { min: 0, max: 1_000_000, unit: 'trusts' },
    'How many trusts a trustor may have, including those that expired within the last week.',
  ),
  maxRedelegationCount: setting.number(
    'GATEHOUSE_IDENTITY_MAX_REDELEGATION_COUNT',
    3,
    { min: 0, max: 10, unit: 'times' },
    'How many times a trust may be passed on, from one trustee to the next.',
  ),
  credentialLimit: setting.number(
    'GATEHOUSE_IDENTITY_CREDENTIAL_LIMIT',
    1000,
    { min: 0, max: 1_000_000, unit: 'credentials' },
    'How many credentials a user may store (Keystone: user_limit).',
  ),
  signatureSeconds: setting.number(
    'GATEHOUSE_IDENTITY_SIGNATURE_SECONDS',
    900,
    { min: 1, max: 86_400, unit: 'seconds' },
    'How far the timestamp of a request that is signed with an EC2 key may differ from the current time (Keystone: auth_ttl, in minutes).',
  ),
  signaturesWithoutTime: setting.flag(
    'GATEHOUSE_IDENTITY_SIGNATURES_WITHOUT_TIME',
    true,
    'Whether the service accepts requests without a timestamp that are signed with an EC2 key (signature version 2), as Keystone does: OpenStack Heat signs alarm URLs this way. Such a signature is valid until the key is deleted.',
  ),
  oauth1RequestTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_OAUTH1_REQUEST_TOKEN_SECONDS',
    28_800,
    { min: 1, max: 31_536_000, unit: 'seconds' },
    'How long an OAuth1 request token is valid. Unused ones count towards the limit until they expire.',
  ),
  oauth1RequestTokenLimit: setting.number(
    'GATEHOUSE_IDENTITY_OAUTH1_REQUEST_TOKEN_LIMIT',
    1000,
    { min: 1, max: 1_000_000, unit: 'tokens' },
    'How many request tokens of OAuth1 a consumer may have at a time, not counting those that have expired or were exchanged for access tokens.',
  ),
  oauth1AccessTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_OAUTH1_ACCESS_TOKEN_SECONDS',
    86_400,
    { min: 0, max: 315_360_000, unit: 'seconds' },
    'How long an OAuth1 access token is valid; 0: it never expires.',
  ),
} as const;
