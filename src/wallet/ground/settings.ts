// Settings of the wallet node.
import { auditSettings } from '../../platform/audit-export/index.ts';
import { setting, type Values } from '../../platform/config/index.ts';
import { PROVIDER_ALGORITHMS } from '../../platform/openid-client/index.ts';

export const walletSettings = {
  host: setting.text(
    'GATEHOUSE_WALLET_HOST',
    'localhost',
    'Address the wallet node listens on. `localhost` is 127.0.0.1 and ::1.',
  ),
  port: setting.number('GATEHOUSE_WALLET_PORT', 8080, { min: 0, max: 65_535, unit: 'port' }, 'Port the wallet node listens on.'),
  url: setting.address('GATEHOUSE_WALLET_URL', 'Public address of the wallet node.'),
  databaseUrl: setting.databaseUrl(
    'GATEHOUSE_WALLET_DATABASE_URL',
    'PostgreSQL database of the wallet node; SQLite in the data folder when unset.',
  ),
  feedDatabaseUrl: setting.databaseUrl(
    'GATEHOUSE_WALLET_FEED_DATABASE_URL',
    'Without effect: processes learn of changes through every pooler. Remove it; the next version refuses it.',
  ),
  oidcIssuer: setting.address(
    'GATEHOUSE_WALLET_OIDC_ISSUER',
    'OpenID provider that callers log in through. When unset: the identity service that runs in the same process.',
  ),
  oidcClientId: setting.optionalText('GATEHOUSE_WALLET_OIDC_CLIENT_ID', 'Client id of the wallet node at that provider.'),
  oidcClientSecret: setting.secret('GATEHOUSE_WALLET_OIDC_CLIENT_SECRET', 'Client secret of the wallet node at that provider.'),
  oidcScopes: setting.optionalText(
    'GATEHOUSE_WALLET_OIDC_SCOPES',
    'Scopes requested at login, space-separated. Unset: openid profile email; with the identity service in the same process also roles and offline_access.',
  ),
  oidcSigningAlgorithm: setting.choice(
    'GATEHOUSE_WALLET_OIDC_SIGNING_ALG',
    'any',
    ['any', ...PROVIDER_ALGORITHMS],
    'What the provider signs ID tokens and logout tokens with, as registered there (id_token_signed_response_alg). Any: whatever it publishes.',
  ),
  rolesClaim: setting.text(
    'GATEHOUSE_WALLET_ROLES_CLAIM',
    'roles',
    'Claim with the roles of a caller. Dots lead to a nested claim, as in realm_access.roles.',
  ),
  adminRole: setting.text(
    'GATEHOUSE_WALLET_ADMIN_ROLE',
    'admin',
    'Role that allows managing the key and the DID of the node itself.',
  ),
  sessionIdleSeconds: setting.number(
    'GATEHOUSE_WALLET_SESSION_IDLE_SECONDS',
    3600,
    { min: 60, max: 2_592_000, unit: 'seconds' },
    'A session of the wallet ends when it is not used for this long.',
  ),
  sessionSeconds: setting.number(
    'GATEHOUSE_WALLET_SESSION_SECONDS',
    43_200,
    { min: 60, max: 31_536_000, unit: 'seconds' },
    'A session of the wallet ends after this time, even if it is used.',
  ),
  pkcs11Library: setting.optionalText(
    'GATEHOUSE_WALLET_PKCS11_LIBRARY',
    'Path of a PKCS#11 library; keys with storage pkcs11 are generated in its token and never leave it.',
  ),
  pkcs11Token: setting.optionalText(
    'GATEHOUSE_WALLET_PKCS11_TOKEN',
    'Label of the PKCS#11 token; required if there are several.',
  ),
  pkcs11Pin: setting.secret('GATEHOUSE_WALLET_PKCS11_PIN', 'User PIN of the PKCS#11 token.'),
  ...auditSettings('GATEHOUSE_WALLET'),
  poolSize: setting.number(
    'GATEHOUSE_WALLET_POOL_SIZE',
    10,
    { min: 1, max: 1000, unit: 'connections' },
    'PostgreSQL connections of one process of the wallet node.',
  ),
  namedStatements: setting.flag(
    'GATEHOUSE_WALLET_NAMED_STATEMENTS',
    true,
    'Use named prepared statements. Turn it off for a pooler in transaction mode that does not keep them, such as pgbouncer before 1.21.',
  ),
  maxKeys: setting.number(
    'GATEHOUSE_WALLET_MAX_KEYS',
    10_000,
    { min: 1, max: 1_000_000, unit: 'keys' },
    'Keys one owner may have; rotated and revoked keys count until they are purged.',
  ),
  maxDids: setting.number(
    'GATEHOUSE_WALLET_MAX_DIDS',
    1000,
    { min: 1, max: 1_000_000, unit: 'DIDs' },
    'DIDs one owner may have.',
  ),
  maxDidNames: setting.number(
    'GATEHOUSE_WALLET_MAX_DID_NAMES',
    1000,
    { min: 1, max: 1_000_000, unit: 'names' },
    'Names of hosted documents one owner may take; names are never released.',
  ),
  bodyLimit: setting.number(
    'GATEHOUSE_WALLET_BODY_LIMIT',
    262_144,
    { min: 1024, max: 10_485_760, unit: 'bytes' },
    'Largest request body.',
  ),
  bearerAudience: setting.optionalText(
    'GATEHOUSE_WALLET_BEARER_AUDIENCE',
    'Audience of the bearer tokens that the wallet node accepts. When unset, it accepts session cookies only.',
  ),
  issuerTrust: setting.choice(
    'GATEHOUSE_WALLET_ISSUER_TRUST',
    'any',
    ['any', 'listed'],
    'Issuers whose credentials are accepted: any with a valid signature, or only those with a trust anchor or a listed DID.',
  ),
  trustedDids: setting.list('GATEHOUSE_WALLET_TRUSTED_DIDS', 'DIDs of issuers that are trusted.'),
  unauthenticatedVerifiers: setting.flag(
    'GATEHOUSE_WALLET_UNAUTHENTICATED_VERIFIERS',
    true,
    'Answer verifiers that are not authenticated (client ids with the prefix redirect_uri).',
  ),
  verifiersFile: setting.optionalText(
    'GATEHOUSE_WALLET_VERIFIERS_FILE',
    'JSON file of registered verifiers: an object that gives the response addresses (`responseUris`) of each client id.',
  ),
  requirePreview: setting.flag(
    'GATEHOUSE_WALLET_REQUIRE_PREVIEW',
    false,
    'A request must be previewed before credentials are shown to the verifier.',
  ),
  transactionDataTypes: setting.list(
    'GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES',
    'Types of transaction data that presentations may confirm.',
  ),
  attesterCertFile: setting.optionalText(
    'GATEHOUSE_WALLET_ATTESTER_CERT_FILE',
    'PEM file with the certificate chain of the key with which the node attests its wallets and their keys, its own certificate first. Without it, a CA for development is made.',
  ),
  attesterKeyFile: setting.optionalText(
    'GATEHOUSE_WALLET_ATTESTER_KEY_FILE',
    'PEM file with the private key of that certificate: a key of the curve P-256.',
  ),
  attestedKeyStorage: setting.list(
    'GATEHOUSE_WALLET_ATTESTED_KEY_STORAGE',
    'What key attestations say of the storage of keys in the PKCS#11 token, such as `iso_18045_high`; nothing when unset.',
  ),
  attestedUserAuthentication: setting.list(
    'GATEHOUSE_WALLET_ATTESTED_USER_AUTHENTICATION',
    'What key attestations say of the user authentication before a key in the PKCS#11 token is used, such as `iso_18045_moderate`; nothing when unset.',
  ),
  clientId: setting.optionalText(
    'GATEHOUSE_WALLET_CLIENT_ID',
    'Client id of the wallet at authorization servers of issuers; its public address when unset.',
  ),
  trustAnchors: setting.optionalText(
    'GATEHOUSE_WALLET_TRUST_ANCHORS',
    'PEM file of certificates trusted for issuers and verifiers; used where the setting for issuers or verifiers is unset.',
  ),
  issuerTrustAnchors: setting.optionalText(
    'GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS',
    'PEM file of certificates trusted for issuers of credentials; may be empty, and is read again when it changes.',
  ),
  verifierTrustAnchors: setting.optionalText(
    'GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS',
    'PEM file of certificates trusted for verifiers; may be empty, and is read again when it changes.',
  ),
} as const;

export type WalletConfig = Values<typeof walletSettings>;
