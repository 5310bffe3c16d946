// Clients that are part of the installation: the account page and the console, which need no registration, and the wallet node.
import type { ClientMetadata } from 'oidc-provider';
import { type ConsumerValues, isNative } from '../../applications/consumers/index.ts';
import {
  ACCOUNT,
  ACCOUNT_PAGES,
  CONSOLE_SIGNED_IN,
  INVITATION,
  NEW_EMAIL_PAGE,
  PRE_AUTHORIZED,
  WEBSSO_SIGNED_IN,
} from '../paths/index.ts';

export const ACCOUNT_CLIENT = 'gatehouse_account';

export const accountClient = (issuer: string): ClientMetadata => ({
  client_id: ACCOUNT_CLIENT,
  client_name: 'your account',
  redirect_uris: [...Object.values(ACCOUNT_PAGES), CONSOLE_SIGNED_IN, NEW_EMAIL_PAGE, INVITATION, WEBSSO_SIGNED_IN].map(
    (path) => `${issuer}${path}`,
  ),
  post_logout_redirect_uris: [`${issuer}${ACCOUNT}`],
  response_types: ['none', 'code'],
  grant_types: ['authorization_code'],
  token_endpoint_auth_method: 'none',
});

/** Wallets that do not say who they are: they can only redeem a pre-authorized code. */
export const ANONYMOUS_WALLET = 'gatehouse_anonymous_wallet';

export const isAnonymousWallet = (clientId: string): boolean => clientId === ANONYMOUS_WALLET;

/** Wallets of others, which share the redirect URIs that the operator lists. */
export const PUBLIC_WALLET = 'gatehouse_public_wallet';

/** A wallet as a client: it has no secret, and proves itself by PKCE and DPoP. */
export const walletClient = (id: string, name: string, redirectUris: readonly string[], isStrict: boolean): ClientMetadata => ({
  client_id: id,
  client_name: name,
  token_endpoint_auth_method: 'none',
  application_type: isNative(redirectUris) ? 'native' : 'web',
  redirect_uris: [...redirectUris],
  response_types: redirectUris.length > 0 ? ['code'] : [],
  grant_types: [PRE_AUTHORIZED, ...(redirectUris.length > 0 ? ['authorization_code'] : [])],
  ...(isStrict ? { dpop_bound_access_tokens: true, require_pushed_authorization_requests: true } : {}),
});

/** Where the wallet node returns to when it receives a credential. */
export const walletIssuanceUri = (walletUrl: string): string => `${walletUrl}/api/v1/wallet/oid4vci/callback`;

/** Wallets, of which the node's is named by its address. Registered applications are none. */
export const isWallet = (clientId: string): boolean =>
  [ANONYMOUS_WALLET, PUBLIC_WALLET].includes(clientId) || clientId.includes('://');

/** Whether it can be the address of a document (applications/client-registration). That of the wallet node leads to a service, and has no path as a rule. */
export const isDocumentAddress = (clientId: string): boolean =>
  /^https?:\/\//.test(clientId) && (URL.parse(clientId)?.pathname ?? '/') !== '/';

/** Clients that no consumer stands for: those of our own pages, and wallets. */
export const isUnregistered = (clientId: string): boolean => clientId === ACCOUNT_CLIENT || isWallet(clientId);

/** The wallet node that runs with this service. */
export const WALLET_CONSUMER = 'gatehouse_wallet';

const MAX_ADDRESSES = 10;

/** Appends addresses and drops the oldest: a node on a random port has new ones at every start. */
const withNewest = (registered: unknown, ours: readonly string[]): string[] => {
  const others = Array.isArray(registered) ? (registered as string[]) : [];
  const added = ours.filter((one) => !others.includes(one));
  return added.length === 0 ? others : [...others, ...added].slice(-MAX_ADDRESSES * ours.length);
};

/** The back-channel logout URI of the wallet node. */
export const walletLogoutUri = (walletUrl: string): string => `${walletUrl}/api/v1/auth/backchannel-logout`;

/** `addresses`: of the node, its own last. `registered`: the current registration, if its addresses are to be kept. */
export const walletConsumer = (addresses: readonly string[], registered?: ConsumerValues) => ({
  name: 'Wallet',
  description: 'The wallet node of this installation',
  redirect_uris: withNewest(
    registered?.redirect_uris,
    addresses.map((address) => `${address}/api/v1/auth/callback`),
  ),
  extra: {
    post_logout_redirect_uris: withNewest(registered?.extra.post_logout_redirect_uris, [`${addresses.at(-1)}/`]),
    backchannel_logout_uri: walletLogoutUri(addresses.at(-1)!),
    backchannel_logout_session_required: true,
  },
});
