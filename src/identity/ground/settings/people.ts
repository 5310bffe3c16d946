// Settings about what people see, what they may do without an administrator, and what is sent to them.
import { setting } from '../../../platform/config/index.ts';
import { DEFAULT_LANGUAGE, LANGUAGE_TAGS } from '../../../platform/languages/index.ts';
import { mailboxOf, TLS_MODES } from '../../../platform/mail/index.ts';

/** A page that people open from ours, in another window. */
const linkTo = (name: string, what: string) =>
  setting.address(`GATEHOUSE_IDENTITY_${name}_URL`, `Address of ${what}: a link at the foot of these pages.`);

export const lookSettings = {
  brandName: setting.text(
    'GATEHOUSE_IDENTITY_BRAND_NAME',
    'Gatehouse',
    'Name at the top of the pages that people see, such as the name of the organization.',
  ),
  brandColor: setting.custom<string | undefined>(
    'GATEHOUSE_IDENTITY_BRAND_COLOR',
    undefined,
    '#rrggbb',
    'Colour of buttons and links on these pages. It is made darker or lighter where text could not be read.',
    (value) => {
      if (value === '') return undefined;
      if (!/^#[\da-f]{6}$/i.test(value)) throw new Error(`must be as in #1d4ed8, not "${value}"`);
      return value;
    },
  ),
  pageLanguage: setting.choice(
    'GATEHOUSE_IDENTITY_PAGE_LANGUAGE',
    DEFAULT_LANGUAGE,
    LANGUAGE_TAGS,
    'Language of these pages for readers whose browser asks for none that there is.',
  ),
  helpUrl: linkTo('HELP', 'the help for people'),
  termsUrl: linkTo('TERMS', 'the terms of use'),
  privacyUrl: linkTo('PRIVACY', 'what is done with personal data'),
} as const;

const FIELD_USES = ['off', 'optional', 'required'] as const;
const asksFor = (name: string, what: string) =>
  setting.choice(
    `GATEHOUSE_IDENTITY_REGISTRATION_${name}`,
    'off',
    FIELD_USES,
    `Whether people who make an account are asked for ${what}.`,
  );

/** What concerns the directories of all domains. Each of them has its own settings of the rest (directory/domain-settings). */
export const directoriesSettings = {
  directorySyncSeconds: setting.number(
    'GATEHOUSE_IDENTITY_DIRECTORY_SYNC_SECONDS',
    300,
    { min: 5, max: 86_400, unit: 'seconds' },
    'How often the service reads LDAP directories for new, removed and disabled users. Each login asks the directory as well.',
  ),
} as const;

export const registrationSettings = {
  registrationMode: setting.choice(
    'GATEHOUSE_IDENTITY_REGISTRATION',
    'invitation',
    ['off', 'open', 'invitation'],
    'Whether people can register themselves: not at all, everybody, or those who were invited.',
  ),
  registrationEmailDomains: setting.list(
    'GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS',
    'Domains of e-mail addresses that may register; all when unset.',
  ),
  registrationConfirmedBy: setting.choice(
    'GATEHOUSE_IDENTITY_REGISTRATION_CONFIRMED_BY',
    'person',
    ['person', 'administrator'],
    'Who confirms a registration: the person alone, by the link in the mail; or after that an administrator or a manager of the domain as well.',
  ),
  registrationGivenName: asksFor('GIVEN_NAME', 'their given name'),
  registrationFamilyName: asksFor('FAMILY_NAME', 'their family name'),
  registrationLanguage: asksFor('LANGUAGE', 'their language; otherwise it is that of the page'),
  registrationKeySeconds: setting.number(
    'GATEHOUSE_IDENTITY_REGISTRATION_KEY_SECONDS',
    28_800,
    { min: 60, max: 2_592_000, unit: 'seconds' },
    'Lifetime of the activation keys and reset tokens of /v3/OS-REGISTRATION.',
  ),
  termsVersion: setting.optionalText(
    'GATEHOUSE_IDENTITY_TERMS_VERSION',
    'Version of the terms of use, such as 2026-01. When set, whoever registers must accept the terms, and the service stores which version they accepted.',
  ),
  termsAtSignIn: setting.flag(
    'GATEHOUSE_IDENTITY_TERMS_AT_SIGN_IN',
    false,
    'Whether people who have an account already must accept this version of the terms of use at their next sign-in in a browser.',
  ),
  invitationSeconds: setting.number(
    'GATEHOUSE_IDENTITY_INVITATION_SECONDS',
    604_800,
    { min: 300, max: 2_592_000, unit: 'seconds' },
    'Lifetime of an invitation and of the link in its mail.',
  ),
  accountDeletion: setting.choice(
    'GATEHOUSE_IDENTITY_ACCOUNT_DELETION',
    'off',
    ['off', 'allowed'],
    'Whether people may delete their own account.',
  ),
  accountDeletionGraceDays: setting.number(
    'GATEHOUSE_IDENTITY_ACCOUNT_DELETION_GRACE_DAYS',
    14,
    { min: 0, max: 365, unit: 'days' },
    'Days between the request to delete an account and its deletion; until then its owner can cancel.',
  ),
} as const;

export const mailSettings = {
  smtpHost: setting.optionalText(
    'GATEHOUSE_IDENTITY_SMTP_HOST',
    'SMTP server that sends the mails of the service. Without it, mails are written to a folder.',
  ),
  smtpPort: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_SMTP_PORT',
    { min: 1, max: 65_535, unit: 'port' },
    'Port of that server. The default depends on TLS: 587 with starttls, 465 with tls, 25 with off.',
  ),
  smtpTls: setting.choice(
    'GATEHOUSE_IDENTITY_SMTP_TLS',
    'starttls',
    TLS_MODES,
    'starttls requires STARTTLS; tls uses TLS from the start; off uses none, for a relay on the same machine.',
  ),
  smtpUser: setting.optionalText(
    'GATEHOUSE_IDENTITY_SMTP_USER',
    'User name at that server. Without it, the service does not log in.',
  ),
  smtpPassword: setting.secret('GATEHOUSE_IDENTITY_SMTP_PASSWORD', 'Password of that user.'),
  mailFrom: setting.custom<string | undefined>(
    'GATEHOUSE_IDENTITY_MAIL_FROM',
    undefined,
    'Name <address>',
    'Sender of mails. Its name is the name of the service in mails; without one it is that of the pages. Required with an SMTP server.',
    (value) => {
      if (value === '') return undefined;
      if (!mailboxOf(value)) throw new Error(`must be an address, or as in Example <id@example.org>, not "${value}"`);
      return value;
    },
  ),
  mailLanguage: setting.custom<string>(
    'GATEHOUSE_IDENTITY_MAIL_LANGUAGE',
    DEFAULT_LANGUAGE,
    'language',
    `Language of mails if the language of a person is unknown or has no templates: ${LANGUAGE_TAGS.join(', ')}, or a language with your own templates.`,
    (value) => {
      if (!/^[a-z]{2,3}$/.test(value)) throw new Error(`must be a language of two or three letters, not "${value}"`);
      return value;
    },
  ),
  linkSeconds: setting.number(
    'GATEHOUSE_IDENTITY_LINK_SECONDS',
    28_800,
    { min: 300, max: 2_592_000, unit: 'seconds' },
    'Life of a link in a mail. The service stops trying to send the mail after the same time.',
  ),
} as const;

export const notificationsSettings = {
  webhookUrl: setting.address(
    'GATEHOUSE_IDENTITY_WEBHOOK_URL',
    'Address for notifications about the security of accounts. None are sent when unset.',
  ),
  webhookSecret: setting.secret(
    'GATEHOUSE_IDENTITY_WEBHOOK_SECRET',
    'Secret that signs these notifications. Required with the address.',
  ),
} as const;
