// The person of a token, in the state for which the token was verified.
import type { Access, AuthContext } from '../../access/context/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { ValidRecord } from '../records/index.ts';
import type { Accounts } from './accounts.ts';

/** Anything derived from the token is bound to this state. Undefined if the person is disabled, or is in another state by now. */
export async function readTokenUser(
  { access, accounts }: { readonly access: Access; readonly accounts: Accounts },
  { payload, generation }: ValidRecord,
): Promise<{ readonly user: UserWithExpiry; readonly authContext: AuthContext } | undefined> {
  const { accountId = '' } = payload;
  await testPoint('session.before-state');
  const authContext = await access.read(accountId, { kind: 'unscoped' });
  await testPoint('session.before-user');
  const user = authContext?.generation === generation ? await accounts.find(accountId) : undefined;
  return authContext && user?.epoch === authContext.userEpoch ? { user, authContext } : undefined;
}
