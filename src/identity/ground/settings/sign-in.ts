// Settings about signing in. Account rules carry Keystone’s names and defaults.
import { setting } from '../../../platform/config/index.ts';

const days = { min: 1, max: 36_500, unit: 'days' };

export const passwordsSettings = {
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
  changePasswordUponFirstUse: setting.flag(
    'GATEHOUSE_IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE',
    false,
    'A password set by an administrator must be changed before the user can get a token.',
  ),
  importedHashesUntil: setting.custom<string | undefined>(
    'GATEHOUSE_IDENTITY_IMPORTED_HASHES_UNTIL',
    undefined,
    'yyyy-mm-dd, UTC',
    'From this day on nobody logs in with the hash of another system any more: who did not log in since they were moved in gets a new password by mail or from an administrator. Never when unset.',
    (value) => {
      if (value === '') return undefined;
      if (!/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(Date.parse(`${value}T00:00:00Z`)))
        throw new Error(`must be a day as in 2027-03-31, not "${value}"`);
      return value;
    },
  ),
} as const;

export const lockOutSettings = {
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
  disableUserAccountDaysInactive: setting.optionalNumber(
    'GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE',
    days,
    'Days without a login after which a user is disabled; never when unset.',
  ),
} as const;

export const factorsSettings = {
  passkeyPolicy: setting.choice(
    'GATEHOUSE_IDENTITY_PASSKEYS',
    'allowed',
    ['off', 'allowed', 'required_for_administrators'],
    'Whether people can sign in with passkeys, and whether administrators must.',
  ),
  twoFactorPolicy: setting.choice(
    'GATEHOUSE_IDENTITY_TWO_FACTOR',
    'optional',
    ['optional', 'required'],
    'Whether everybody must have a second factor. With `required`, people without one turn it on when they sign in, and the API refuses their password alone. The option `ignore_two_factor_policy` exempts the account of a program.',
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
} as const;

export const walletsSettings = {
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
} as const;

export const sessionsSettings = {
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
  tokenKeyDays: setting.number(
    'GATEHOUSE_IDENTITY_TOKEN_KEY_DAYS',
    7,
    { min: 1, max: 36_500, unit: 'days' },
    'Age at which the key that encrypts tokens is replaced. Tokens of older keys stay valid.',
  ),
} as const;
