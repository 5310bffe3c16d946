// A token by the key of a program, which the caller has checked. Not a login: services ask about every request of the program.
import type { AuthContext, AuthMethod, DelegationRef, TokenRecord } from '../../access/context/index.ts';
import { loginRefused } from '../../directory/logins/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import { createMarkActive } from './activity.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

export interface CheckedKey {
  readonly user: UserWithExpiry;
  readonly delegation: DelegationRef;
  /** Of the key that was checked, since it may have been replaced meanwhile. */
  readonly epoch: number;
}

export interface ExchangedToken {
  readonly text: string;
  readonly record: TokenRecord;
  readonly authContext: AuthContext;
}

export function createKeyExchange(
  deps: Pick<Deps, 'clock' | 'config' | 'change'> & {
    readonly tokens: Pick<Tokens, 'issue'>;
    readonly scopes: Pick<Scopes, 'delegatedContext'>;
    readonly users: Pick<Users, 'stillThere'>;
  },
) {
  const { tokens, scopes, users } = deps;
  const markActive = createMarkActive(deps);

  return async ({ user, delegation, epoch }: CheckedKey, method: AuthMethod): Promise<ExchangedToken> => {
    if (!(await users.stillThere(user))) throw loginRefused('the user is not in the directory any more');
    await testPoint('login.before-token');
    const authContext = await scopes.delegatedContext(delegation, { kind: 'default' });
    if (authContext.delegation?.epoch !== epoch) throw loginRefused('the key was replaced meanwhile');
    await markActive(user);
    return { ...tokens.issue(authContext, { methods: [method] }), authContext };
  };
}

export type KeyExchange = ReturnType<typeof createKeyExchange>;
