// Settings about roles as credentials in the wallets of people.
import { setting } from '../../../platform/config/index.ts';

export const roleCredentialSettings = {
  statusListSize: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SIZE',
    131_072,
    { min: 131_072, max: 1_048_576, unit: 'entries' },
    'How many credentials share one status list. The larger the list, the less its address reveals about the holder of a credential.',
  ),
  statusListSeconds: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SECONDS',
    60,
    { min: 1, max: 86_400, unit: 'seconds' },
    'How long verifiers may cache a status list. A list that is fetched anew shows every revocation at once.',
  ),
  haip: setting.flag(
    'GATEHOUSE_IDENTITY_HAIP',
    false,
    'Enforce HAIP 1.0: wallets must authenticate to receive credentials (by attestation or client secret), and use pushed authorization requests, PKCE with S256, and tokens bound to a key (DPoP). This service keeps to it as a verifier, too.',
  ),
  walletProvidersFile: setting.optionalText(
    'GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE',
    'JSON file of the trusted wallet providers, which attest wallets and their keys: the certificates or keys of each provider, and the client ids of its wallets.',
  ),
  keyAttestations: setting.choice(
    'GATEHOUSE_IDENTITY_KEY_ATTESTATIONS',
    'optional',
    ['optional', 'required'],
    'Whether a wallet provider has to attest the keys that credentials are bound to.',
  ),
  keyStorage: setting.list(
    'GATEHOUSE_IDENTITY_KEY_STORAGE',
    'Values of `key_storage` in a key attestation of which one is required, such as `iso_18045_high`; any when unset.',
  ),
  keyUserAuthentication: setting.list(
    'GATEHOUSE_IDENTITY_KEY_USER_AUTHENTICATION',
    'Values of `user_authentication` in a key attestation of which one is required, such as `iso_18045_moderate`; any when unset.',
  ),
  walletRedirectUris: setting.list(
    'GATEHOUSE_IDENTITY_WALLET_REDIRECT_URIS',
    'Redirect URIs that unregistered wallets may use when their owner signs in to receive a credential. Such wallets use the client id gatehouse_public_wallet.',
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
