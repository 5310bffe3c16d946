// The method `oauth2`: an access token that a person let an application have.
import { refused } from '../logins/index.ts';
import { given, type Prover, tell } from './method.ts';

export const proveByAccessToken: Prover = async ({ accessToken }, identity, attempt) => {
  const held = await accessToken(given('oauth2', identity.oauth2).access_token_id);
  if (!held) throw refused('access token unknown, ended or without the scope all_info');
  tell(attempt, held.user);
  return { user: held.user, methods: ['oauth2'], notAfter: held.expiresAt, applicationId: held.clientId };
};
