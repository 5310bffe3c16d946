// The account page as a client of the provider: nobody registered it, and it is there in every installation.
import type { ClientMetadata } from 'oidc-provider';
import type { ConsumerValues } from '../../consumers/index.ts';

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

const KEPT_ADDRESSES = 10;

/** The newest come last, and the oldest go: a node whose port is any that is free has another with every start. */
const newest = (held: unknown, ours: string): string[] => {
  const others = Array.isArray(held) ? (held as string[]) : [];
  return others.includes(ours) ? others : [...others, ours].slice(-KEPT_ADDRESSES);
};

/** Where the wallet node hears that a session ended. */
export const walletLogout = (walletUrl: string): string => `${walletUrl}/api/v1/auth/backchannel-logout`;

/** `held`: what is registered already, where it is to stay beside this. */
export const walletConsumer = (walletUrl: string, held?: ConsumerValues) => ({
  name: 'Wallet',
  description: 'The wallet node of this installation',
  redirect_uris: newest(held?.redirect_uris, `${walletUrl}/api/v1/auth/callback`),
  extra: {
    post_logout_redirect_uris: newest(held?.extra.post_logout_redirect_uris, `${walletUrl}/`),
    backchannel_logout_uri: walletLogout(walletUrl),
    backchannel_logout_session_required: true,
  },
});
