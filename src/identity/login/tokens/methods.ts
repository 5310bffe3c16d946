// Authentication: every named method must succeed, and all for the same user.
import type { AuthMethod, DelegationRef } from '../../access/context/index.ts';
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { loginByApplicationCredential } from './application-credential.method.ts';
import type { AuthIdentity } from './auth.schema.ts';
import { type LoginMethod, type MethodDeps, type MethodResult, requireMethodData } from './method.ts';
import { loginByOAuth1 } from './oauth1.method.ts';
import { loginByAccessToken } from './oauth2.method.ts';
import { loginByPassword } from './password.method.ts';
import { loginByToken } from './token.method.ts';
import { loginByTotp } from './totp.method.ts';

/** In the order they run. `totp` is last, since a code may only be tried after another method succeeded. */
const LOGIN_METHODS: readonly (readonly [method: string, run: LoginMethod])[] = [
  ['application_credential', loginByApplicationCredential],
  ['oauth1', loginByOAuth1],
  ['oauth2', loginByAccessToken],
  ['password', loginByPassword],
  ['token', loginByToken],
  ['totp', loginByTotp],
];

/** The combined result of all methods of a login. */
export interface LoginProof extends Pick<MethodResult, 'user'> {
  readonly methods: ReadonlySet<AuthMethod>;
  readonly second: boolean;
  readonly parent: MethodResult['parent'] | undefined;
  readonly notAfter?: number | undefined;
  readonly applicationId?: string | undefined;
  readonly signInMethods?: readonly AuthMethod[] | undefined;
  readonly delegation?: DelegationRef | undefined;
}

/** `knewPassword`: whether an earlier request of the same login had the password of this user. */
export type Authenticate = (
  identity: AuthIdentity,
  attempt: LoginAttempt,
  knewPassword: (user: UserWithExpiry) => Promise<boolean>,
) => Promise<LoginProof>;

/** Uses the user row of the first method: a change since then was not checked by it. */
function combineResults(results: readonly MethodResult[]): LoginProof {
  const [first] = results;
  if (!first || results.some(({ user }) => user.id !== first.user.id)) throw loginRefused('methods name different users');
  const ofApplication = results.find((one) => one.notAfter !== undefined);
  return {
    user: first.user,
    methods: new Set(results.flatMap(({ methods }) => methods)),
    second: results.some(({ second }) => second),
    parent: results.find((one) => one.parent)?.parent,
    notAfter: ofApplication?.notAfter,
    applicationId: ofApplication?.applicationId,
    signInMethods: ofApplication?.signInMethods,
    // The narrower one counts: another method does not widen what was passed on.
    delegation: results.find((one) => one.delegation)?.delegation,
  };
}

export function createAuthenticate(deps: MethodDeps): Authenticate {
  return async (identity, attempt, knewPassword) => {
    const named = new Set(identity.methods);
    const methods = LOGIN_METHODS.filter(([method]) => named.has(method));
    // As Keystone, and before anything is verified or counted: the part of a method is missing, or the method is not supported.
    for (const method of named) if (!Object.hasOwn(identity, method)) requireMethodData(method, undefined);
    if (methods.length < named.size)
      fail('auth.method_unsupported', undefined, { detail: { identity: { methods: LOGIN_METHODS.map(([method]) => method) } } });
    const results: MethodResult[] = [];
    for (const [, run] of methods) {
      const mayTryCode =
        results.length > 0 ? ({ id }: UserWithExpiry) => results.some(({ user }) => user.id === id) : knewPassword;
      results.push(await run(deps, identity, attempt, mayTryCode));
    }
    return combineResults(results);
  };
}
