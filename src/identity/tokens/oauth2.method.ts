// The method `oauth2`: an access token that a person granted to an application.
import { loginRefused } from '../logins/index.ts';
import { type LoginMethod, requireMethodData, setSubject } from './method.ts';

export const loginByAccessToken: LoginMethod = async ({ accessToken }, identity, attempt) => {
  const token = await accessToken(requireMethodData('oauth2', identity.oauth2).access_token_id);
  if (!token) throw loginRefused('access token unknown, ended or without the scope all_info');
  setSubject(attempt, token.user);
  return { user: token.user, methods: ['oauth2'], notAfter: token.expiresAt, applicationId: token.clientId };
};
