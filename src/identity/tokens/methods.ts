// Authentication: every method that is named must succeed, and all of them for the same user.
import type { AuthMethod } from '../access/index.ts';
import { fail } from '../faults.ts';
import { type Attempt, refused } from '../logins/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import type { Identity } from './auth.schema.ts';
import type { MethodDeps, Proven, Prover } from './method.ts';
import { proveByAccessToken } from './oauth2.method.ts';
import { proveByPassword } from './password.method.ts';
import { proveByToken } from './token.method.ts';
import { proveByTotp } from './totp.method.ts';

/** Tried in this order. A code comes after what gives the right to try one. */
const PROVERS: readonly (readonly [method: string, prover: Prover])[] = [
  ['oauth2', proveByAccessToken],
  ['password', proveByPassword],
  ['token', proveByToken],
  ['totp', proveByTotp],
];

/** What all methods of a login proved together. */
export interface Proof extends Pick<Proven, 'user'> {
  readonly methods: ReadonlySet<AuthMethod>;
  readonly second: boolean;
  readonly parent: Proven['parent'] | undefined;
  readonly notAfter?: number | undefined;
  readonly applicationId?: string | undefined;
}

/** `knewPassword`: whether an earlier request of the same login brought the password of this user. */
export type Authenticate = (
  identity: Identity,
  attempt: Attempt,
  knewPassword: (user: UserWithExpiry) => Promise<boolean>,
) => Promise<Proof>;

/** The user as they were at the first method: what changed since then was not checked by it. */
function together(proven: readonly Proven[]): Proof {
  const [first] = proven;
  if (!first || proven.some(({ user }) => user.id !== first.user.id)) throw refused('methods name different users');
  const ofApplication = proven.find((one) => one.notAfter !== undefined);
  return {
    user: first.user,
    methods: new Set(proven.flatMap(({ methods }) => methods)),
    second: proven.some(({ second }) => second),
    parent: proven.find((one) => one.parent)?.parent,
    notAfter: ofApplication?.notAfter,
    applicationId: ofApplication?.applicationId,
  };
}

export function createAuthenticate(deps: MethodDeps): Authenticate {
  return async (identity, attempt, knewPassword) => {
    const named = new Set(identity.methods);
    const provers = PROVERS.filter(([method]) => named.has(method));
    // A method we do not serve is refused before all, so that nothing is spent on it.
    if (provers.length < named.size) fail('auth.method_unsupported');
    const proven: Proven[] = [];
    for (const [, prove] of provers) {
      const mayTryCode = proven.length > 0 ? ({ id }: UserWithExpiry) => proven.some(({ user }) => user.id === id) : knewPassword;
      proven.push(await prove(deps, identity, attempt, mayTryCode));
    }
    return together(proven);
  };
}
