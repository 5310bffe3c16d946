// The method `token`: one of our tokens. The new token also has the methods of the old one.
import { fail } from '../../ground/faults.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { LoginMethod } from './method.ts';

export const loginByToken: LoginMethod<'token'> = async ({ tokens, users }, { id }) => {
  const verified = await tokens.verify(id);
  // Keystone's clients expect 404 for an invalid token and 401 for a refused login.
  if (!verified) fail('token.not_found');
  const { record, authContext } = verified;
  // A token for one scope only: another one from it could do more than was passed on.
  if (authContext.delegation?.scope) fail('auth.rescope_delegated');
  // Of Keystone: nothing else than such a token says that it is a program's, or bound to a certificate.
  if (record.methods.includes('ec2credential') || record.foreign?.thumbprint !== undefined) fail('auth.rescope_delegated');
  await testPoint('login.before-token');
  const user = await users.find(record.userId);
  if (user?.epoch !== authContext.userEpoch) fail('token.not_found');
  return { user, methods: ['token'], delegation: record.delegation, token: { parent: record } };
};
