// The OpenID provider: its sessions and tokens, and logins at the API, which accept these tokens, too.

import type { Login } from '../login/build.ts';
import { createSignatureExchange } from '../login/ec2/index.ts';
import { createAuth, createAuthenticate, createSessionTokens } from '../login/tokens/index.ts';
import { isWallet as isNamedWallet } from './first-party-clients/index.ts';
import {
  createAccessTokens,
  createAccounts,
  createApiTokens,
  createDelegation,
  createLogouts,
  createOpenidKeys,
} from './provider/index.ts';
import { createRecords } from './records/index.ts';
import { createUserSessions } from './sessions/index.ts';
import { createSignInRequests } from './sign-in-requests/index.ts';

/** What the provider stores ends with what it depends on. */
function buildRecords(below: Login) {
  const { news, sessionsEndedByProvider, isOfSession, walletProviders } = below;
  const logouts = createLogouts(below);
  /** Also those that their provider attests. Registered applications are none. */
  const isWallet = (clientId: string): boolean => isNamedWallet(clientId) || walletProviders.wallet(clientId) !== undefined;
  const records = createRecords({ ...below, onEnd: logouts.recordLogouts, isWallet });
  news.accessRevoked.listen(records.endEverything);
  news.sessionsEnded.listen(records.endEverything);
  news.passkeyRemoved.listen((transaction, { user_id: userId }, kept) => records.endPasskeySessions(transaction, userId, kept));
  sessionsEndedByProvider.listen(records.endSessionsByHash);
  isOfSession.answer(records.isOfSession);
  return { logouts, isWallet, records };
}

export function buildOpenid(below: Login) {
  const { applicationCredentials, oauth1AccessTokens } = below;
  const stored = buildRecords(below);
  const { records } = stored;
  const accounts = createAccounts(below);
  const signInRequests = createSignInRequests({ ...below, records });
  const accessTokens = createAccessTokens({ ...below, records, accounts });
  const apiTokens = createApiTokens({ ...below, records });
  const delegation = createDelegation({ ...below, records, accessTokens, apiTokens, accounts });
  const authenticate = createAuthenticate({
    ...below,
    accessToken: delegation.userAtLogin,
    applicationCredential: applicationCredentials.logIn,
    oauth1: oauth1AccessTokens.logIn,
  });
  const auth = createAuth({ ...below, authenticate });
  return {
    ...below,
    ...stored,
    accounts,
    signInRequests,
    accessTokens,
    apiTokens,
    provisioner: delegation.provisioner,
    openidKeys: createOpenidKeys(below),
    auth,
    signatureExchange: createSignatureExchange({ ...below, auth }),
    sessionTokens: createSessionTokens(below),
    userSessions: createUserSessions({ ...below, records }),
  };
}

export type OpenidRoom = ReturnType<typeof buildOpenid>;
