// The method `oauth2`: an access token that a person granted to an application.
import { loginRefused } from '../../directory/logins/index.ts';
import { type LoginMethod, requireMethodData, setSubject } from './method.ts';

export const loginByAccessToken: LoginMethod = async ({ accessToken }, identity, attempt) => {
  const token = await accessToken(requireMethodData('oauth2', identity.oauth2).access_token_id);
  if (!token) throw loginRefused('access token unknown, ended or without the scope all_info');
  setSubject(attempt, token.user);
  const { user, expiresAt, clientId, signInMethods } = token;
  return { user, methods: ['oauth2'], notAfter: expiresAt, applicationId: clientId, signInMethods };
};
