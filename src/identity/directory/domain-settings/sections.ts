// The sections of a domain's file. The defaults of [registration], [passkeys], [wallet] and [account] are the settings of the service.
import { type SectionValues, setting } from '../../../platform/config/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { ldapSection } from './ldap.section.ts';

/** The settings of the service that are the defaults of domains. */
export const SECTION_DEFAULTS = [
  'registrationMode',
  'registrationEmailDomains',
  'passkeyPolicy',
  'walletSignIn',
  'accountDeletion',
  'accountDeletionGraceDays',
] as const satisfies readonly (keyof IdentityConfig)[];
export type SectionDefaults = Pick<IdentityConfig, (typeof SECTION_DEFAULTS)[number]>;

export const sectionsWith = (defaults: SectionDefaults) => ({
  identity: {
    driver: setting.choice(
      'driver',
      'sql',
      ['sql', 'ldap'],
      'Where users and groups are stored: in this service, or in an LDAP directory. When unset, ldap if there is an [ldap] section.',
    ),
    listLimit: setting.optionalNumber(
      'list_limit',
      { min: 1, max: 100_000, unit: 'entries' },
      'Accepted but ignored: lists are paged.',
    ),
  },
  ldap: ldapSection,
  registration: {
    mode: setting.choice(
      'mode',
      defaults.registrationMode,
      ['off', 'open', 'invitation'],
      'Whether people can register themselves; `GATEHOUSE_IDENTITY_REGISTRATION` when unset.',
    ),
    allowedEmailDomains: {
      ...setting.list(
        'allowed_email_domains',
        'Domains of e-mail addresses that may register; `GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS` when unset.',
      ),
      fallback: defaults.registrationEmailDomains,
    },
  },
  passkeys: {
    policy: setting.choice(
      'policy',
      defaults.passkeyPolicy,
      ['off', 'allowed', 'required_for_administrators'],
      'Whether people can sign in with passkeys; `GATEHOUSE_IDENTITY_PASSKEYS` when unset.',
    ),
  },
  wallet: {
    signIn: setting.choice(
      'sign_in',
      defaults.walletSignIn,
      ['off', 'first', 'second', 'both'],
      'Whether people can sign in with a wallet; `GATEHOUSE_IDENTITY_WALLET_SIGN_IN` when unset.',
    ),
  },
  account: {
    deletion: setting.choice(
      'deletion',
      defaults.accountDeletion,
      ['off', 'allowed'],
      'Whether people may delete their own account; `GATEHOUSE_IDENTITY_ACCOUNT_DELETION` when unset.',
    ),
    deletionGraceDays: setting.number(
      'deletion_grace_days',
      defaults.accountDeletionGraceDays,
      { min: 0, max: 365, unit: 'days' },
      'Days between such a request and the deletion; `GATEHOUSE_IDENTITY_ACCOUNT_DELETION_GRACE_DAYS` when unset.',
    ),
  },
});

export type DomainSections = ReturnType<typeof sectionsWith>;
export type DomainSettings = SectionValues<DomainSections>;
export type LdapSettings = DomainSettings['ldap'];
