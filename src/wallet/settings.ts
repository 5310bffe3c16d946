// Settings of the wallet node.
import { setting, type Values } from '../platform/config/index.ts';

export const walletSettings = {
  host: setting.text('GATEHOUSE_WALLET_HOST', '127.0.0.1', 'Address the wallet node listens on.'),
  port: setting.number('GATEHOUSE_WALLET_PORT', 8080, { min: 0, max: 65_535, unit: 'port' }, 'Port the wallet node listens on.'),
  url: setting.address('GATEHOUSE_WALLET_URL', 'Public address of the wallet node.'),
  databaseUrl: setting.databaseUrl(
    'GATEHOUSE_WALLET_DATABASE_URL',
    'PostgreSQL database of the wallet node; SQLite in the data folder when unset.',
  ),
  oidcIssuer: setting.address(
    'GATEHOUSE_WALLET_OIDC_ISSUER',
    'OpenID provider callers log in through; the identity service beside it when unset.',
  ),
  oidcClientId: setting.optionalText('GATEHOUSE_WALLET_OIDC_CLIENT_ID', 'Client id of the wallet node at that provider.'),
  oidcClientSecret: setting.secret('GATEHOUSE_WALLET_OIDC_CLIENT_SECRET', 'Client secret of the wallet node at that provider.'),
  bearerAudience: setting.optionalText(
    'GATEHOUSE_WALLET_BEARER_AUDIENCE',
    'Audience of bearer tokens the wallet node accepts; cookies only when unset.',
  ),
  trustAnchors: setting.optionalText(
    'GATEHOUSE_WALLET_TRUST_ANCHORS',
    'PEM file of certificates trusted for issuers and verifiers.',
  ),
} as const;

export type WalletConfig = Values<typeof walletSettings>;
