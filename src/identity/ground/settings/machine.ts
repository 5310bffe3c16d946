// What must be known before the database can be read, or what only the machine has: addresses, files, memory. From the environment or the file.
import { auditSettings } from '../../../platform/audit-export/index.ts';
import { setting } from '../../../platform/config/index.ts';

const KEYSTONE_METHODS = ['external', 'password', 'token', 'oauth1', 'mapped', 'application_credential'];

/** Each is a bit of a number. */
const keystoneMethods = (key: string, about: string) =>
  setting.custom<readonly string[]>(
    key,
    KEYSTONE_METHODS,
    'comma-separated list',
    about,
    (text) => {
      const names = text.split(',').map((name) => name.trim());
      if (names.length > 30 || names.some((name) => !/^\w+$/.test(name)) || new Set(names).size < names.length)
        throw new Error('must be up to 30 names of methods, each once, with commas between them');
      return names;
    },
    false,
    (names) => names.join(','),
  );

export const machineSettings = {
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
  brandLogo: setting.optionalText(
    'GATEHOUSE_IDENTITY_BRAND_LOGO',
    'File with the logo at the top of these pages: PNG, JPEG, WebP or SVG, at most 256 KiB. It is also the icon in the browser. Administrators cannot store another logo or icon then.',
  ),
  databaseUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_DATABASE_URL',
    'PostgreSQL database of the identity service; SQLite in the data folder when unset.',
  ),
  feedDatabaseUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_FEED_DATABASE_URL',
    'Without effect: processes learn of changes through every pooler. Remove it; the next version refuses it.',
  ),
  standbyUrl: setting.databaseUrl(
    'GATEHOUSE_IDENTITY_STANDBY_URL',
    'PostgreSQL standbys of this database, one or several hosts: lists, searches and exports are read there. One that is away, lags, or is no standby of it, is not used; the primary may be among them.',
  ),
  poolSize: setting.number(
    'GATEHOUSE_IDENTITY_POOL_SIZE',
    10,
    { min: 2, max: 500, unit: 'connections' },
    'PostgreSQL connections of each process, to the primary and to each standby. To each, one more: it reads the changes of other processes, or looks how the standby is.',
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
  bodyLimit: setting.number(
    'GATEHOUSE_IDENTITY_BODY_LIMIT',
    114_688,
    { min: 1024, max: 64 * 1024 * 1024, unit: 'bytes' },
    'Largest request body.',
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
  domainConfigDir: setting.optionalText(
    'GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR',
    'Folder of files keystone.<domain name>.conf with settings of domains, read at the start; without it every domain has the defaults.',
  ),
  keystoneFernetKeys: setting.optionalText(
    'GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS',
    'Folder with the Fernet keys of a Keystone (its [fernet_tokens] key_repository): tokens that it issued are good here, too, until they expire. It is read again when it changes.',
  ),
  keystoneJwsKeys: setting.optionalText(
    'GATEHOUSE_IDENTITY_KEYSTONE_JWS_KEYS',
    'Folder with the public keys of a Keystone whose tokens are JWS (its [jwt_tokens] jws_public_key_repository), as PEM files. It is read again when it changes.',
  ),
  keystoneAuthMethods: keystoneMethods(
    'GATEHOUSE_IDENTITY_KEYSTONE_AUTH_METHODS',
    'The list [auth] methods of that Keystone, in its order: its tokens say how somebody logged in by places in this list.',
  ),
  keystoneTokensUntil: setting.optionalTime(
    'GATEHOUSE_IDENTITY_KEYSTONE_TOKENS_UNTIL',
    'From this day on, tokens that a Keystone issued are refused, such as 2027-03-01, or 2027-03-01T18:00:00Z.',
  ),
  mailFolder: setting.optionalText(
    'GATEHOUSE_IDENTITY_MAIL_FOLDER',
    'Folder for mails (.eml files) if there is no SMTP server. The default is mail in the data folder. It keeps the newest 1000.',
  ),
  mailTemplates: setting.optionalText(
    'GATEHOUSE_IDENTITY_MAIL_TEMPLATES',
    'Folder of templates that replace the built-in ones. `gatehouse mail templates` copies those to a folder.',
  ),
  issuerCertFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_ISSUER_CERT_FILE',
    'PEM file with the certificate chain of the issuer of credentials, its own certificate first. Without it, a CA for development is made.',
  ),
  issuerKeyFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_ISSUER_KEY_FILE',
    'PEM file with the private key of that certificate: a key of the curve P-256.',
  ),
  verifierCertFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_VERIFIER_CERT_FILE',
    'PEM file with the certificate chain of requests to wallets (a reader or access certificate), its own certificate first. Without it, the chain of the issuer is used if one is given, else one is made for development.',
  ),
  verifierKeyFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_VERIFIER_KEY_FILE',
    'PEM file with the private key of that certificate: a key of the curve P-256.',
  ),
  walletProvidersFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE',
    'JSON file of the trusted wallet providers, which attest wallets and their keys: the certificates or keys of each provider, and the client ids of its wallets.',
  ),
  tlsClientCertificates: setting.flag(
    'GATEHOUSE_IDENTITY_TLS_CLIENT_CERTIFICATES',
    false,
    'Whether the service, if it terminates TLS itself, asks clients for a certificate: applications prove themselves by it (mutual TLS). Browsers that have certificates ask their person which one to show.',
  ),
  clientCertificateHeader: setting.optionalText(
    'GATEHOUSE_IDENTITY_CLIENT_CERTIFICATE_HEADER',
    'Header in which a proxy that terminates TLS sends the certificate of the client, such as Client-Cert: PEM as nginx escapes it, or base64. It is read from GATEHOUSE_TRUSTED_PROXIES only; the proxy must replace what clients send in it.',
  ),
  clientCaFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_CLIENT_CA_FILE',
    'PEM file of the authorities whose certificates prove applications (tls_client_auth). It is read again when it changes. Without it, only certificates that are registered themselves do (self_signed_tls_client_auth).',
  ),
  enforceScope: setting.flag(
    'GATEHOUSE_IDENTITY_ENFORCE_SCOPE',
    false,
    'Keystone’s enforce_scope: the role admin counts only where it was granted. An administrator of a domain administers that domain only, and somebody must have the role on the system. Off: the role admin on any project or domain applies to everything.',
  ),
  limitModel: setting.choice(
    'GATEHOUSE_IDENTITY_LIMIT_MODEL',
    'flat',
    ['flat', 'strict_two_level'],
    'Keystone’s enforcement model of limits: flat, or strict_two_level, where no project may have more than its domain, and projects have no projects below them.',
  ),
  statusListSize: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SIZE',
    131_072,
    { min: 131_072, max: 1_048_576, unit: 'entries' },
    'How many credentials share one status list. The larger the list, the less its address reveals about the holder of a credential.',
  ),
  haip: setting.flag(
    'GATEHOUSE_IDENTITY_HAIP',
    false,
    'Enforce HAIP 1.0: wallets must authenticate to receive credentials (by attestation or client secret), and use pushed authorization requests, PKCE with S256, and tokens bound to a key (DPoP). This service keeps to it as a verifier, too.',
  ),
  ...auditSettings('GATEHOUSE_IDENTITY'),
} as const;
