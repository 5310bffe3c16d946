// The method `token`: a token of ours, and whatever it was made by.
import { fail } from '../faults.ts';
import { given, type Prover } from './method.ts';

export const proveByToken: Prover = async ({ tokens, users }, identity) => {
  const verified = await tokens.verify(given('token', identity.token).id);
  // Keystone's clients tell a token that is gone (404) from a login that is refused (401).
  if (!verified) fail('token.not_found');
  const { record, authContext } = verified;
  const user = await users.find(record.userId);
  if (user?.epoch !== authContext.userEpoch) fail('token.not_found');
  return { user, methods: ['token', ...record.methods], parent: record };
};
