// Settings about roles as credentials in the wallets of people.
import { setting } from '../../../platform/config/index.ts';

export const roleCredentialSettings = {
  credentialTypeMakers: setting.choice(
    'GATEHOUSE_IDENTITY_CREDENTIAL_TYPE_MAKERS',
    'managers',
    ['managers', 'administrators'],
    'Who may create credential types: managers of an application, for its roles, or administrators only.',
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
  statusListSeconds: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SECONDS',
    60,
    { min: 1, max: 86_400, unit: 'seconds' },
    'How long verifiers may cache a status list. A list that is fetched anew shows every revocation at once.',
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
} as const;
