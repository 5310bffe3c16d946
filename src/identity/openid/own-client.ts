// The account page as a client of the provider: nobody registered it, and it is there in every installation.
import type { ClientMetadata } from 'oidc-provider';

export const OWN_CLIENT = 'gatehouse_account';

export const ownClient = (issuer: string): ClientMetadata => ({
  client_id: OWN_CLIENT,
  client_name: 'your account',
  redirect_uris: [`${issuer}/account`],
  post_logout_redirect_uris: [`${issuer}/account`],
  response_types: ['none', 'code'],
  grant_types: ['authorization_code'],
  token_endpoint_auth_method: 'none',
});

/** The wallet node beside this service, where it runs. */
export const WALLET_CONSUMER = 'gatehouse_wallet';

export const walletConsumer = (walletUrl: string) => ({
  name: 'Wallet',
  description: 'The wallet node of this installation',
  redirect_uris: [`${walletUrl}/api/v1/auth/callback`],
  extra: { post_logout_redirect_uris: [`${walletUrl}/`] },
});
