// Settings about roles as credentials in the wallets of people.
import { setting } from '../../../platform/config/index.ts';

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
    'Require what HAIP 1.0 asks of wallets: that they authenticate to receive credentials (attested, or with a client secret), pushed requests, S256, and tokens bound to a key (DPoP); and of this service as a verifier.',
  ),
  walletProvidersFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE',
    'A JSON file of the wallet providers that are trusted: their certificates or keys, and the client ids of their wallets. They attest wallets, and keys in them.',
  ),
  keyAttestations: setting.choice(
    'GATEHOUSE_IDENTITY_KEY_ATTESTATIONS',
    'optional',
    ['optional', 'required'],
    'Whether a wallet provider has to attest the keys that credentials are bound to.',
  ),
  keyStorage: setting.list(
    'GATEHOUSE_IDENTITY_KEY_STORAGE',
    'How attested keys have to be stored: one of these values, such as `iso_18045_high`. Empty: in any way.',
  ),
  keyUserAuthentication: setting.list(
    'GATEHOUSE_IDENTITY_KEY_USER_AUTHENTICATION',
    'How people have to unlock attested keys: one of these values, such as `iso_18045_moderate`. Empty: in any way.',
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
  credentialOfferLink: setting.text(
    'GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_LINK',
    'openid-credential-offer://',
    'What the links and QR codes of offers begin with: a scheme that wallets register, such as `haip-vci://`, or the address of a wallet.',
  ),
  credentialOfferSeconds: setting.number(
    'GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_SECONDS',
    900,
    { min: 60, max: 86_400, unit: 'seconds' },
    'How long an offer of credentials can be used.',
  ),
} as const;
