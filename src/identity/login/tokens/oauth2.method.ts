// The method `oauth2`: an access token that a person granted to an application.
import { loginRefused } from '../../directory/logins/index.ts';
import { type LoginMethod, setSubject } from './method.ts';

export const loginByAccessToken: LoginMethod<'oauth2'> = async ({ accessToken }, { access_token_id: text }, attempt) => {
  const token = await accessToken(text);
  if (!token) throw loginRefused('access token unknown, ended or without the scope all_info');
  setSubject(attempt, token.user);
  const { user, expiresAt: notAfter, clientId: applicationId, signInMethods } = token;
  return { user, methods: ['oauth2'], signInMethods, token: { notAfter, applicationId } };
};
