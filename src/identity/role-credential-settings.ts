// Settings about roles as credentials in the wallets of people.
import { setting } from '../platform/config/index.ts';

export const roleCredentialSettings = {
  statusListSize: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SIZE',
    131_072,
    { min: 131_072, max: 1_048_576, unit: 'entries' },
    'How many credentials share one list of their state. The more, the less the address of a list says about the person who shows a credential.',
  ),
  statusListSeconds: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SECONDS',
    60,
    { min: 1, max: 86_400, unit: 'seconds' },
    'How long others may keep a list of the state of credentials before they ask again. A list that is asked for says at once what was revoked.',
  ),
  haip: setting.flag(
    'GATEHOUSE_IDENTITY_HAIP',
    false,
    'Require what HAIP 1.0 asks of wallets that receive credentials: pushed requests, S256, and tokens bound to a key (DPoP).',
  ),
  walletRedirectUris: setting.list(
    'GATEHOUSE_IDENTITY_WALLET_REDIRECT_URIS',
    'Where wallets that are not registered may return to when their owner signs in to receive a credential. They use the client id gatehouse_public_wallet.',
  ),
  credentialBatchSize: setting.number(
    'GATEHOUSE_IDENTITY_CREDENTIAL_BATCH_SIZE',
    10,
    { min: 1, max: 50, unit: 'credentials' },
    'How many copies of a credential a wallet may receive at once, each bound to a key of its own.',
  ),
  credentialOfferSeconds: setting.number(
    'GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_SECONDS',
    900,
    { min: 60, max: 86_400, unit: 'seconds' },
    'How long an offer of credentials can be used.',
  ),
} as const;
