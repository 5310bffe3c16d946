// The method `oauth1`: the request is signed by a consumer that a user passed roles on to.
import { type LoginMethod, setSubject } from './method.ts';

export const loginByOAuth1: LoginMethod<'oauth1'> = async ({ oauth1 }, _data, attempt) => {
  const { user, id } = await oauth1(attempt.signedRequest);
  setSubject(attempt, user);
  return { user, methods: ['oauth1'], delegation: { kind: 'oauth1', id } };
};
