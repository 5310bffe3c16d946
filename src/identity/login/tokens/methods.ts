// Authentication: every named method must succeed, and all for the same user.

import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { loginByApplicationCredential } from './application-credential.method.ts';
import type { AuthIdentity } from './auth.schema.ts';
import type { LoginMethod, LoginProof, MethodData, MethodDeps, MethodName } from './method.ts';
import { loginByOAuth1 } from './oauth1.method.ts';
import { loginByAccessToken } from './oauth2.method.ts';
import { loginByPassword } from './password.method.ts';
import { loginByToken } from './token.method.ts';
import { loginByTotp } from './totp.method.ts';

/** The methods of POST /v3/auth/tokens, in the order they run. `totp` is last, since a code may only be tried after another method succeeded. */
const LOGIN_METHODS: { readonly [Name in MethodName]: LoginMethod<Name> } = {
  application_credential: loginByApplicationCredential,
  oauth1: loginByOAuth1,
  oauth2: loginByAccessToken,
  password: loginByPassword,
  token: loginByToken,
  totp: loginByTotp,
};
const NAMES = Object.keys(LOGIN_METHODS) as readonly MethodName[];

/** `knewFirst`: whether an earlier request of the same login had the password, or what else begins a login, of this user. */
export type Authenticate = (
  identity: AuthIdentity,
  attempt: LoginAttempt,
  knewFirst: (user: UserWithExpiry) => Promise<boolean>,
) => Promise<LoginProof>;

/** Uses the user row of the first method: a change since then was not checked by it. */
function combine(proofs: readonly LoginProof[]): LoginProof {
  const [first] = proofs;
  if (!first || proofs.some(({ user }) => user.id !== first.user.id)) throw loginRefused('methods name different users');
  return {
    user: first.user,
    methods: proofs.flatMap(({ methods }) => methods),
    // The narrower one counts: another method does not widen what was passed on.
    delegation: proofs.find(({ delegation }) => delegation)?.delegation,
    signInMethods: proofs.flatMap(({ signInMethods = [] }) => signInMethods),
    token: Object.assign({}, ...proofs.map(({ token }) => token)),
  };
}

export function createAuthenticate(deps: MethodDeps): Authenticate {
  return async (identity, attempt, knewFirst) => {
    const named = new Set(identity.methods);
    // As Keystone, and before anything is verified or counted: the part of a method is missing, or the method is not supported.
    for (const name of named)
      if (!Object.hasOwn(identity, name))
        fail('request.invalid_field', { field: `auth.identity.${name}`, why: 'it is a required property' });
    const methods = NAMES.filter((name) => named.has(name));
    if (methods.length < named.size) fail('auth.method_unsupported', undefined, { detail: { identity: { methods: NAMES } } });
    const proofs: LoginProof[] = [];
    const hasProved = ({ id }: UserWithExpiry) => proofs.some(({ user }) => user.id === id);
    const prove = <Name extends MethodName>(name: Name) => {
      const data = (identity as MethodData)[name] as NonNullable<MethodData[Name]>;
      return LOGIN_METHODS[name](deps, data, attempt, proofs.length > 0 ? hasProved : knewFirst);
    };
    for (const name of methods) proofs.push(await prove(name));
    return combine(proofs);
  };
}
