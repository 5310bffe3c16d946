// Settings of the identity service. Account rules carry Keystone's names and defaults.
import { auditSettings } from '../../../platform/audit-export/index.ts';
import { setting, type Values } from '../../../platform/config/index.ts';
import { mailboxOf, TLS_MODES } from '../../../platform/mail/index.ts';
import { delegationSettings } from './delegation.ts';
import { issuerSettings } from './issuer.ts';
import { keystoneSettings } from './keystone.ts';
import { roleCredentialSettings } from './role-credentials.ts';

const days = { min: 1, max: 36_500, unit: 'days' };

export const identitySettings = {
  host: setting.text(
    'GATEHOUSE_IDENTITY_HOST',
    'localhost',
    'Address the identity service listens on. `localhost` is 127.0.0.1 and ::1.',
  ),
  port: setting.number(
    'GATEHOUSE_IDENTITY_PORT',
    5000,
    { min: 0, max: 65_535, unit: 'port' },
    'Port the identity service listens on.',
  ),
  url: setting.address(
    'GATEHOUSE_IDENTITY_URL',
    'Public address of the identity service, for its pages and in tokens, links and the catalog. When unset, it is http://localhost with the port, and links in API responses use the address of each request.',
  ),
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
  brandLogo: setting.optionalText(
    'GATEHOUSE_IDENTITY_BRAND_LOGO',
    'File with the logo at the top of these pages: PNG, JPEG, WebP or SVG, at most 256 KiB. It is also the icon in the browser.',
  ),
  databaseUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_DATABASE_URL',
    'PostgreSQL database of the identity service; SQLite in the data folder when unset.',
  ),
  feedDatabaseUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_FEED_DATABASE_URL',
    'Address of the same database that bypasses a pooler in transaction mode. The service receives change notifications (LISTEN) there, which such a pooler does not deliver.',
  ),
  poolSize: setting.number(
    'GATEHOUSE_IDENTITY_POOL_SIZE',
    10,
    { min: 2, max: 500, unit: 'connections' },
    'PostgreSQL connections of each process. One more is used for change notifications.',
  ),
  namedStatements: setting.flag(
    'GATEHOUSE_IDENTITY_NAMED_STATEMENTS',
    true,
    'Use named prepared statements. Turn it off for a pooler in transaction mode that does not keep them, such as pgbouncer before 1.21.',
  ),
  adminPassword: setting.secret(
    'GATEHOUSE_ADMIN_PASSWORD',
    'Password of the first administrator, used only on the first start and by `gatehouse admin-password`. When unset, a random one is generated and printed once.',
  ),
  bodyLimit: setting.number(
    'GATEHOUSE_IDENTITY_BODY_LIMIT',
    114_688,
    { min: 1024, max: 64 * 1024 * 1024, unit: 'bytes' },
    'Largest request body.',
  ),

  tokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_TOKEN_SECONDS',
    3600,
    { min: 30, max: 31_536_000, unit: 'seconds' },
    'Lifetime of a token.',
  ),
  allowExpiredSeconds: setting.number(
    'GATEHOUSE_IDENTITY_ALLOW_EXPIRED_SECONDS',
    172_800,
    { min: 0, max: 31_536_000, unit: 'seconds' },
    'How long after its expiry a token can still be validated with allow_expired.',
  ),
  ...delegationSettings,
  ...roleCredentialSettings,
  tokenKeyDays: setting.number(
    'GATEHOUSE_IDENTITY_TOKEN_KEY_DAYS',
    7,
    days,
    'Age at which the key that encrypts tokens is replaced. Tokens of older keys stay valid.',
  ),

  argon2Memory: setting.number(
    'GATEHOUSE_IDENTITY_ARGON2_MEMORY',
    19_456,
    { min: 8, max: 4_194_304, unit: 'KiB' },
    'Memory of one password hash (argon2id).',
  ),
  argon2Passes: setting.number(
    'GATEHOUSE_IDENTITY_ARGON2_PASSES',
    2,
    { min: 1, max: 100, unit: 'passes' },
    'Passes of one password hash (argon2id).',
  ),
  hashQueue: setting.number(
    'GATEHOUSE_IDENTITY_HASH_QUEUE',
    500,
    { min: 1, max: 100_000, unit: 'logins' },
    'Logins that may wait for a free core. Further ones get 503.',
  ),

  lockoutFailureAttempts: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS',
    { min: 1, max: 1_000_000, unit: 'attempts' },
    'Failed logins after which a user is locked out; off when unset.',
  ),
  lockoutDuration: setting.number(
    'GATEHOUSE_IDENTITY_LOCKOUT_DURATION',
    1800,
    { min: 1, max: 31_536_000, unit: 'seconds' },
    'How long a lock-out lasts.',
  ),
  uniqueLastPasswordCount: setting.number(
    'GATEHOUSE_IDENTITY_UNIQUE_LAST_PASSWORD_COUNT',
    0,
    { min: 0, max: 1000, unit: 'passwords' },
    'Number of last passwords, including the current one, that a new password must differ from.',
  ),
  minimumPasswordAge: setting.number(
    'GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE',
    0,
    { min: 0, max: 36_500, unit: 'days' },
    'Days before a user may change a password again.',
  ),
  passwordExpiresDays: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS',
    days,
    'Days after which a password must be changed; never when unset.',
  ),
  passwordMinLength: setting.number(
    'GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH',
    8,
    { min: 1, max: 128, unit: 'characters' },
    'Minimum length of a new password.',
  ),
  passwordCommon: setting.choice(
    'GATEHOUSE_IDENTITY_PASSWORD_COMMON',
    'refuse',
    ['refuse', 'allow'],
    'Whether a new password on the list of common ones is refused. Use allow only for test suites and Keyrock clients.',
  ),
  passwordRegex: setting.pattern('GATEHOUSE_IDENTITY_PASSWORD_REGEX', 'Pattern a new password must match.'),
  passwordRegexDescription: setting.text(
    'GATEHOUSE_IDENTITY_PASSWORD_REGEX_DESCRIPTION',
    '',
    'Description of the pattern, shown to users as it is: write it in their language.',
  ),
  changePasswordUponFirstUse: setting.flag(
    'GATEHOUSE_IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE',
    false,
    'A password set by an administrator must be changed before the user can get a token.',
  ),
  disableUserAccountDaysInactive: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE',
    days,
    'Days without a login after which a user is disabled; never when unset.',
  ),
  twoFactorIssuer: setting.text(
    'GATEHOUSE_IDENTITY_TWO_FACTOR_ISSUER',
    'Gatehouse',
    'Name that authenticator apps show next to the account.',
  ),
  securityQuestion: setting.choice(
    'GATEHOUSE_IDENTITY_SECURITY_QUESTION',
    'off',
    ['off', 'asked'],
    "Whether `/account` asks for a security question with two-factor authentication. Only clients of Keyrock's back-end use it.",
  ),
  deviceDays: setting.number(
    'GATEHOUSE_IDENTITY_DEVICE_DAYS',
    90,
    days,
    'How long a remembered device replaces the code. After that, a code is required again.',
  ),
  sessionIdleSeconds: setting.number(
    'GATEHOUSE_IDENTITY_SESSION_IDLE_SECONDS',
    28_800,
    { min: 60, max: 2_592_000, unit: 'seconds' },
    'How long an unused session lasts.',
  ),
  sessionSeconds: setting.number(
    'GATEHOUSE_IDENTITY_SESSION_SECONDS',
    604_800,
    { min: 60, max: 31_536_000, unit: 'seconds' },
    'How long a session lasts at most. After that, users must sign in again.',
  ),
  freshLoginSeconds: setting.number(
    'GATEHOUSE_IDENTITY_FRESH_LOGIN_SECONDS',
    900,
    { min: 60, max: 86_400, unit: 'seconds' },
    'Maximum age of the login of a user who changes their ways to sign in (second factor, recovery codes, devices, credentials; for users who may change accounts, also their own password, name, e-mail address and options), reads the key of an authenticator app, or replaces the master key. With an older login, users must log in again.',
  ),
  accessTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_ACCESS_TOKEN_SECONDS',
    3600,
    { min: 60, max: 86_400, unit: 'seconds' },
    'Lifetime of an OAuth2 access token.',
  ),
  refreshTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_REFRESH_TOKEN_SECONDS',
    2_592_000,
    { min: 60, max: 31_536_000, unit: 'seconds' },
    'Lifetime of an unused OAuth2 refresh token, and of the consent of a user.',
  ),
  scimExtension: setting.text(
    'GATEHOUSE_IDENTITY_SCIM_EXTENSION',
    'urn:scim:schemas:extension:idbackend',
    'Name of the extension in answers of /v3/OS-SCIM, without its version.',
  ),
  scimTokenType: setting.text(
    'GATEHOUSE_IDENTITY_SCIM_TOKEN_TYPE',
    'backendtoken',
    'Type of the primary authentication scheme that /v3/OS-SCIM reports.',
  ),
  webhookUrl: setting.address(
    'GATEHOUSE_IDENTITY_WEBHOOK_URL',
    'Address for notifications about the security of accounts. None are sent when unset.',
  ),
  webhookSecret: setting.secret(
    'GATEHOUSE_IDENTITY_WEBHOOK_SECRET',
    'Secret that signs these notifications. Required with the address.',
  ),
  ...auditSettings('GATEHOUSE_IDENTITY'),
  domainConfigDir: setting.optionalText(
    'GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR',
    'Folder of files keystone.<domain name>.conf with settings of domains, read at the start; without it every domain has the defaults.',
  ),
  directorySyncSeconds: setting.number(
    'GATEHOUSE_IDENTITY_DIRECTORY_SYNC_SECONDS',
    300,
    { min: 5, max: 86_400, unit: 'seconds' },
    'How often the service reads LDAP directories for new, removed and disabled users. Each login asks the directory as well.',
  ),
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
  registrationKeySeconds: setting.number(
    'GATEHOUSE_IDENTITY_REGISTRATION_KEY_SECONDS',
    28_800,
    { min: 60, max: 2_592_000, unit: 'seconds' },
    'Lifetime of the activation keys and reset tokens of /v3/OS-REGISTRATION.',
  ),
  invitationSeconds: setting.number(
    'GATEHOUSE_IDENTITY_INVITATION_SECONDS',
    604_800,
    { min: 300, max: 2_592_000, unit: 'seconds' },
    'Lifetime of an invitation and of the link in its mail.',
  ),
  passkeyPolicy: setting.choice(
    'GATEHOUSE_IDENTITY_PASSKEYS',
    'allowed',
    ['off', 'allowed', 'required_for_administrators'],
    'Whether people can sign in with passkeys, and whether administrators must.',
  ),
  walletSignIn: setting.choice(
    'GATEHOUSE_IDENTITY_WALLET_SIGN_IN',
    'off',
    ['off', 'first', 'second', 'both'],
    'Whether people can sign in with a credential of this service from their wallet: `first` instead of the password, `second` after it, `both` either way. One wallet is never two factors.',
  ),
  walletClientId: setting.choice(
    'GATEHOUSE_IDENTITY_WALLET_CLIENT_ID',
    'x509_hash',
    ['x509_hash', 'x509_san_dns', 'did'],
    'How this service names itself to wallets: by the hash of its certificate, by its host name in the certificate, or by its did:web.',
  ),
  walletLink: setting.text(
    'GATEHOUSE_IDENTITY_WALLET_LINK',
    'openid4vp://',
    'What the links and QR codes for wallets begin with: a scheme that wallets register, or the address of a wallet, such as `https://wallet.example/open`.',
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
    'Sender of mails. Its name is the name of the service in mails. Required with an SMTP server.',
    (value) => {
      if (value === '') return undefined;
      if (!mailboxOf(value)) throw new Error(`must be an address, or as in Example <id@example.org>, not "${value}"`);
      return value;
    },
  ),
  mailFolder: setting.optionalText(
    'GATEHOUSE_IDENTITY_MAIL_FOLDER',
    'Folder for mails (.eml files) if there is no SMTP server. The default is mail in the data folder. It keeps the newest 1000.',
  ),
  mailTemplates: setting.optionalText(
    'GATEHOUSE_IDENTITY_MAIL_TEMPLATES',
    'Folder of templates that replace the built-in ones. `gatehouse mail templates` copies those to a folder.',
  ),
  mailLanguage: setting.custom<string>(
    'GATEHOUSE_IDENTITY_MAIL_LANGUAGE',
    'en',
    'language',
    'Language of mails if the language of a person is unknown or has no templates: en, es, or a language with your own templates.',
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
  ...issuerSettings,
  ...keystoneSettings,
} as const;

export { madeFrom } from './made-from.ts';

export type IdentityConfig = Values<typeof identitySettings>;
