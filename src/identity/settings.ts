// Settings of the identity service. Account rules carry Keystone's names and defaults.
import { setting, type Values } from '../platform/config/index.ts';

const days = { min: 1, max: 36_500, unit: 'days' };

export const identitySettings = {
  host: setting.text('GATEHOUSE_IDENTITY_HOST', '127.0.0.1', 'Address the identity service listens on.'),
  port: setting.number(
    'GATEHOUSE_IDENTITY_PORT',
    5000,
    { min: 0, max: 65_535, unit: 'port' },
    'Port the identity service listens on.',
  ),
  url: setting.address(
    'GATEHOUSE_IDENTITY_URL',
    'Public address of the identity service, used in links and in the catalog; else taken from each request.',
  ),
  databaseUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_DATABASE_URL',
    'PostgreSQL database of the identity service; SQLite in the data folder when unset.',
  ),
  poolSize: setting.number(
    'GATEHOUSE_IDENTITY_POOL_SIZE',
    10,
    { min: 2, max: 500, unit: 'connections' },
    'PostgreSQL connections of each process, one more for the feed of changes.',
  ),
  namedStatements: setting.flag(
    'GATEHOUSE_IDENTITY_NAMED_STATEMENTS',
    true,
    'Prepared statements by name; off behind a pgbouncer that cannot keep them in transaction mode.',
  ),
  adminPassword: setting.secret(
    'GATEHOUSE_ADMIN_PASSWORD',
    'Password of the first administrator, used on the first start and by `gatehouse admin-password` only; random and printed once when unset.',
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
    'Life of a token.',
  ),
  allowExpiredSeconds: setting.number(
    'GATEHOUSE_IDENTITY_ALLOW_EXPIRED_SECONDS',
    172_800,
    { min: 0, max: 31_536_000, unit: 'seconds' },
    'How long after its end a token can still be validated with allow_expired.',
  ),
  tokenKeyDays: setting.number(
    'GATEHOUSE_IDENTITY_TOKEN_KEY_DAYS',
    7,
    days,
    'Age at which the key that seals tokens is replaced; older keys keep opening what they sealed.',
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
    'Logins that may wait for a free core; beyond it the answer is 503.',
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
    'How many of the last passwords, the current one included, a new one must differ from.',
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
    'Fewest characters of a new password.',
  ),
  passwordCommon: setting.choice(
    'GATEHOUSE_IDENTITY_PASSWORD_COMMON',
    'refuse',
    ['refuse', 'allow'],
    'What becomes of a new password that is on the list of common ones; allow is for suites and old clients.',
  ),
  passwordRegex: setting.pattern('GATEHOUSE_IDENTITY_PASSWORD_REGEX', 'Pattern a new password must match.'),
  passwordRegexDescription: setting.text(
    'GATEHOUSE_IDENTITY_PASSWORD_REGEX_DESCRIPTION',
    '',
    'What the pattern asks for, in words for a person.',
  ),
  changePasswordUponFirstUse: setting.flag(
    'GATEHOUSE_IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE',
    false,
    'A password set by an administrator must be changed before it gives a token.',
  ),
  disableUserAccountDaysInactive: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE',
    days,
    'Days without a login after which a user counts as disabled; never when unset.',
  ),
  twoFactorIssuer: setting.text(
    'GATEHOUSE_IDENTITY_TWO_FACTOR_ISSUER',
    'Gatehouse',
    'Name that authenticator apps show beside the account.',
  ),
  deviceDays: setting.number(
    'GATEHOUSE_IDENTITY_DEVICE_DAYS',
    90,
    days,
    'How long a remembered device stands in for a code; then people are asked for one again.',
  ),
  sessionIdleSeconds: setting.number(
    'GATEHOUSE_IDENTITY_SESSION_IDLE_SECONDS',
    28_800,
    { min: 60, max: 2_592_000, unit: 'seconds' },
    'How long a signed-in session lasts when nobody uses it.',
  ),
  sessionSeconds: setting.number(
    'GATEHOUSE_IDENTITY_SESSION_SECONDS',
    604_800,
    { min: 60, max: 31_536_000, unit: 'seconds' },
    'How long a session lasts at most; then people sign in again.',
  ),
  freshLoginSeconds: setting.number(
    'GATEHOUSE_IDENTITY_FRESH_LOGIN_SECONDS',
    900,
    { min: 60, max: 86_400, unit: 'seconds' },
    'How old a login may be when people change how they sign in (second factor, recovery codes, devices, credentials; where they may change accounts, their own password, name, e-mail address and options) or read the key of their app; else they log in again.',
  ),
  accessTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_ACCESS_TOKEN_SECONDS',
    3600,
    { min: 60, max: 86_400, unit: 'seconds' },
    'Life of an OAuth2 access token.',
  ),
  refreshTokenSeconds: setting.number(
    'GATEHOUSE_IDENTITY_REFRESH_TOKEN_SECONDS',
    2_592_000,
    { min: 60, max: 31_536_000, unit: 'seconds' },
    'Life of an OAuth2 refresh token that is not used, and of what a person allowed an application.',
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
    'Where notifications about the safety of accounts are sent; nowhere when unset.',
  ),
  webhookSecret: setting.secret(
    'GATEHOUSE_IDENTITY_WEBHOOK_SECRET',
    'Secret that signs those notifications; needed with the address.',
  ),
  domainConfigDir: setting.optionalText(
    'GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR',
    'Folder of files keystone.<domain name>.conf with settings of domains, read at the start; without it every domain has the defaults.',
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
  passkeyPolicy: setting.choice(
    'GATEHOUSE_IDENTITY_PASSKEYS',
    'allowed',
    ['off', 'allowed', 'required_for_administrators'],
    'Whether people can sign in with passkeys, and whether administrators must.',
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
    'Days until the deletion of an account is done; until then its owner can take it back.',
  ),
  maxProjectTreeDepth: setting.number(
    'GATEHOUSE_IDENTITY_MAX_PROJECT_TREE_DEPTH',
    5,
    { min: 1, max: 50, unit: 'levels' },
    'Levels of projects below a domain.',
  ),
} as const;

export type IdentityConfig = Values<typeof identitySettings>;
