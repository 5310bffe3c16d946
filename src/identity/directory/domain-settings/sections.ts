// What a domain can have for itself: the sections of its file, and the groups of its configuration in the API. The defaults of those in
// OF_SERVICE are the settings of the service.
import { type SectionValues, type Setting, setting } from '../../../platform/config/index.ts';
import { type IdentityConfig, identitySettings } from '../../ground/settings/index.ts';
import { ldapSection } from './ldap.section.ts';

/** The settings of the service that are in force where neither the operator nor the domain says something, by sections. */
export const OF_SERVICE = {
  passwords: {
    minLength: 'passwordMinLength',
    common: 'passwordCommon',
    regex: 'passwordRegex',
    regexDescription: 'passwordRegexDescription',
    uniqueLastCount: 'uniqueLastPasswordCount',
    minimumAge: 'minimumPasswordAge',
    expiresDays: 'passwordExpiresDays',
    changeUponFirstUse: 'changePasswordUponFirstUse',
  },
  lock_out: { attempts: 'lockoutFailureAttempts', duration: 'lockoutDuration' },
  two_factor: { policy: 'twoFactorPolicy', deviceDays: 'deviceDays' },
  sessions: {
    sessionIdleSeconds: 'sessionIdleSeconds',
    sessionSeconds: 'sessionSeconds',
    tokenSeconds: 'tokenSeconds',
    accessTokenSeconds: 'accessTokenSeconds',
    refreshTokenSeconds: 'refreshTokenSeconds',
  },
  registration: {
    mode: 'registrationMode',
    allowedEmailDomains: 'registrationEmailDomains',
    confirmedBy: 'registrationConfirmedBy',
    givenName: 'registrationGivenName',
    familyName: 'registrationFamilyName',
    language: 'registrationLanguage',
  },
  application_registration: {
    mode: 'applicationRegistration',
    documents: 'applicationDocuments',
    redirects: 'applicationRedirects',
    grants: 'applicationGrants',
    scopes: 'applicationScopes',
    limit: 'applicationLimit',
    days: 'applicationDays',
  },
  passkeys: { policy: 'passkeyPolicy' },
  wallet: { signIn: 'walletSignIn' },
  account: { deletion: 'accountDeletion', deletionGraceDays: 'accountDeletionGraceDays' },
  look: {
    name: 'brandName',
    color: 'brandColor',
    language: 'pageLanguage',
    helpUrl: 'helpUrl',
    termsUrl: 'termsUrl',
    privacyUrl: 'privacyUrl',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof IdentityConfig>>>>;

/** The same setting as the service has, in a section of a domain. */
const ofService = <T>(key: string, one: Setting<T>): Setting<T> => ({
  ...one,
  key,
  about: `${one.about} \`${one.key}\` when unset.`,
});

/** The same, never looser than the service has it. */
const asStrictAs = <T>(key: string, one: Setting<T>): Setting<T> => ({
  ...ofService(key, one),
  about: `${one.about} Never looser than \`${one.key}\`, which it is when unset.`,
});

/** The same, never longer than the service has it: what others keep beside it lives as long as the service says. */
const atMost = (key: string, one: Setting<number>): Setting<number> => ({
  ...ofService(key, one),
  about: `${one.about} Never longer than \`${one.key}\`, which it is when unset.`,
});

/** On every page, and managers may be free to choose it. */
const upTo = <T>(most: number, one: Setting<T>): Setting<T> => ({
  ...one,
  read(text) {
    if (text.length > most) throw new Error(`must have at most ${most} characters`);
    return one.read(text);
  },
});

export const domainSections = {
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
  passwords: {
    minLength: ofService('min_length', identitySettings.passwordMinLength),
    common: ofService('common', identitySettings.passwordCommon),
    regex: ofService('regex', identitySettings.passwordRegex),
    regexDescription: ofService('regex_description', identitySettings.passwordRegexDescription),
    uniqueLastCount: ofService('unique_last_count', identitySettings.uniqueLastPasswordCount),
    minimumAge: ofService('minimum_age', identitySettings.minimumPasswordAge),
    expiresDays: ofService('expires_days', identitySettings.passwordExpiresDays),
    changeUponFirstUse: ofService('change_upon_first_use', identitySettings.changePasswordUponFirstUse),
  },
  lock_out: {
    attempts: ofService('attempts', identitySettings.lockoutFailureAttempts),
    duration: ofService('duration', identitySettings.lockoutDuration),
  },
  two_factor: {
    policy: asStrictAs('policy', identitySettings.twoFactorPolicy),
    deviceDays: atMost('device_days', identitySettings.deviceDays),
  },
  sessions: {
    sessionIdleSeconds: atMost('idle_seconds', identitySettings.sessionIdleSeconds),
    sessionSeconds: atMost('seconds', identitySettings.sessionSeconds),
    tokenSeconds: atMost('token_seconds', identitySettings.tokenSeconds),
    accessTokenSeconds: atMost('access_token_seconds', identitySettings.accessTokenSeconds),
    refreshTokenSeconds: atMost('refresh_token_seconds', identitySettings.refreshTokenSeconds),
  },
  registration: {
    mode: ofService('mode', identitySettings.registrationMode),
    allowedEmailDomains: ofService('allowed_email_domains', identitySettings.registrationEmailDomains),
    confirmedBy: ofService('confirmed_by', identitySettings.registrationConfirmedBy),
    givenName: ofService('given_name', identitySettings.registrationGivenName),
    familyName: ofService('family_name', identitySettings.registrationFamilyName),
    language: ofService('language', identitySettings.registrationLanguage),
  },
  application_registration: {
    mode: ofService('mode', identitySettings.applicationRegistration),
    documents: ofService('documents', identitySettings.applicationDocuments),
    redirects: ofService('redirects', identitySettings.applicationRedirects),
    grants: ofService('grants', identitySettings.applicationGrants),
    scopes: ofService('scopes', identitySettings.applicationScopes),
    limit: ofService('limit', identitySettings.applicationLimit),
    days: ofService('days', identitySettings.applicationDays),
  },
  passkeys: { policy: ofService('policy', identitySettings.passkeyPolicy) },
  wallet: { signIn: ofService('sign_in', identitySettings.walletSignIn) },
  account: {
    deletion: ofService('deletion', identitySettings.accountDeletion),
    deletionGraceDays: ofService('deletion_grace_days', identitySettings.accountDeletionGraceDays),
  },
  look: {
    name: upTo(255, ofService('name', identitySettings.brandName)),
    color: ofService('color', identitySettings.brandColor),
    language: ofService('language', identitySettings.pageLanguage),
    helpUrl: upTo(2000, ofService('help_url', identitySettings.helpUrl)),
    termsUrl: upTo(2000, ofService('terms_url', identitySettings.termsUrl)),
    privacyUrl: upTo(2000, ofService('privacy_url', identitySettings.privacyUrl)),
  },
} as const;

export type DomainSections = typeof domainSections;
export type DomainSettings = SectionValues<DomainSections>;
export type LdapSettings = DomainSettings['ldap'];
