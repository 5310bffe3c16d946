// The method `token`: one of our tokens. The new token also has the methods of the old one.
import { fail } from '../../ground/faults.ts';
import { testPoint } from '../../ground/test-points.ts';
import { type LoginMethod, requireMethodData } from './method.ts';

export const loginByToken: LoginMethod = async ({ tokens, users }, identity) => {
  const verified = await tokens.verify(requireMethodData('token', identity.token).id);
  // Keystone's clients expect 404 for an invalid token and 401 for a refused login.
  if (!verified) fail('token.not_found');
  const { record, authContext } = verified;
  // A token for one scope only: another one from it could do more than was passed on.
  if (authContext.delegation?.scope) fail('auth.rescope_delegated');
  await testPoint('login.before-token');
  const user = await users.find(record.userId);
  if (user?.epoch !== authContext.userEpoch) fail('token.not_found');
  const { delegation } = record;
  return { user, methods: ['token', ...record.methods], parent: record, ...(delegation ? { delegation } : {}) };
};
