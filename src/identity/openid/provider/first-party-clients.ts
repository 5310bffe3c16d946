// Clients that are part of the installation: the account page and the console, which need no registration, and the wallet node.
import type { ClientMetadata } from 'oidc-provider';
import type { ConsumerValues } from '../../consumers/index.ts';
import { NEW_EMAIL_PAGE } from '../../people/index.ts';
import { ACCOUNT, ACCOUNT_PAGES, CONSOLE_SIGNED_IN, INVITATION } from './paths.ts';

export const ACCOUNT_CLIENT = 'gatehouse_account';

export const accountClient = (issuer: string): ClientMetadata => ({
  client_id: ACCOUNT_CLIENT,
  client_name: 'your account',
  redirect_uris: [...Object.values(ACCOUNT_PAGES), CONSOLE_SIGNED_IN, NEW_EMAIL_PAGE, INVITATION].map(
    (path) => `${issuer}${path}`,
  ),
  post_logout_redirect_uris: [`${issuer}${ACCOUNT}`],
  response_types: ['none', 'code'],
  grant_types: ['authorization_code'],
  token_endpoint_auth_method: 'none',
});

/** The wallet node that runs with this service. */
export const WALLET_CONSUMER = 'gatehouse_wallet';

const MAX_ADDRESSES = 10;

/** Appends an address and drops the oldest: a node on a random port has a new address at every start. */
const withNewest = (registered: unknown, ours: string): string[] => {
  const others = Array.isArray(registered) ? (registered as string[]) : [];
  return others.includes(ours) ? others : [...others, ours].slice(-MAX_ADDRESSES);
};

/** The back-channel logout URI of the wallet node. */
export const walletLogoutUri = (walletUrl: string): string => `${walletUrl}/api/v1/auth/backchannel-logout`;

/** `registered`: the current registration, if its addresses are to be kept. */
export const walletConsumer = (walletUrl: string, registered?: ConsumerValues) => ({
  name: 'Wallet',
  description: 'The wallet node of this installation',
  redirect_uris: withNewest(registered?.redirect_uris, `${walletUrl}/api/v1/auth/callback`),
  extra: {
    post_logout_redirect_uris: withNewest(registered?.extra.post_logout_redirect_uris, `${walletUrl}/`),
    backchannel_logout_uri: walletLogoutUri(walletUrl),
    backchannel_logout_session_required: true,
  },
});
