// What is checked of every login, whichever way it came, after its method has said that what was sent is right. What only a person can do,
// such as to accept terms of use, is asked by the pages (pages/sign-in/terms-step.ts).

import { type AuthContext, type AuthMethod, delegatesRights, kindOf } from '../../access/context/index.ts';
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { LoginRequirements, Missing } from '../../directory/two-factor/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { RequestedScope } from './auth.schema.ts';
import type { LoginProof } from './method.ts';
import type { Scopes } from './scopes.ts';
import type { TrustLogins } from './trust-logins.ts';

/** Steps of the same login in requests before, and the state of the account at that time: of a receipt, or at the pages. */
export interface EarlierSteps {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly generation: number;
}

export interface LoginRequest {
  readonly scope: RequestedScope;
  readonly attempt: LoginAttempt;
  readonly earlier?: EarlierSteps | undefined;
}

export interface LoginCheckDeps {
  readonly scopes: Scopes;
  readonly requirements: LoginRequirements;
  readonly trusts: TrustLogins;
  /** Asks the directory of a user who did not give its password. Undefined when they are not in it any more. */
  refreshFromDirectory(user: UserWithExpiry): Promise<UserWithExpiry | undefined>;
}

interface CheckedMethods {
  readonly user: UserWithExpiry;
  /** The account itself, without a scope. */
  readonly account: AuthContext;
  /** Also those of earlier steps, and of the login that it stands for. */
  readonly methods: ReadonlySet<AuthMethod>;
}
export type CheckedLogin = CheckedMethods &
  (
    | { readonly missing: Missing; readonly authContext?: undefined }
    | { readonly missing: undefined; readonly authContext: AuthContext }
  );

const UNSCOPED = { kind: 'unscoped' } as const;

const isExchange = (method: AuthMethod): boolean => kindOf(method) === 'exchange';

/**
 * Exchanging a token, or an access token of an application, for a new token is not a login: nobody is present, and proxies do it all
 * the time. Methods added by a receipt count as a login.
 */
export const isTokenExchange = ({ methods }: LoginProof, earlier: EarlierSteps | undefined): boolean =>
  !earlier && methods.every(isExchange);

export function createLoginChecks({ scopes, requirements, trusts, refreshFromDirectory }: LoginCheckDeps) {
  /** Fails for a disabled account or domain, and when the password changed or the tokens ended since the user was read. */
  const accountIsOpen = (user: UserWithExpiry): Promise<AuthContext> => scopes.authContextFor(user, UNSCOPED);

  function systemIsNotLeft({ token }: LoginProof, { kind }: RequestedScope): void {
    if (token?.parent?.scope.kind === 'system' && (kind === 'project' || kind === 'domain')) fail('auth.rescope_system');
  }

  /**
   * Users of a directory may have left it since they got what they sign in with. A password was checked there; for a second factor or a
   * token, the directory was asked before. The key of a program says nothing about its user, whatever it is sent with.
   */
  async function stillInDirectory(
    { user, methods: shown, delegation }: LoginProof,
    methods: ReadonlySet<AuthMethod>,
  ): Promise<UserWithExpiry> {
    const isFirstStep = !methods.has('password') && shown.some((method) => kindOf(method) === 'first');
    if (!isFirstStep && !delegatesRights(delegation)) return user;
    const current = (await refreshFromDirectory(user)) ?? refuse('the user is not in the directory any more');
    return current.epoch === user.epoch ? current : refuse('the user changed while the directory was asked');
  }

  function earlierStepsHold(earlier: EarlierSteps | undefined, account: AuthContext): void {
    if (earlier && (earlier.userId !== account.user.id || earlier.generation !== account.generation))
      refuse('receipt unknown, ended or of someone else');
  }

  /** Whoever passed something on had logged in with all methods, so that nothing is missing when it is used. */
  async function nothingIsMissing(
    { user, methods: shown, delegation }: LoginProof,
    methods: ReadonlySet<AuthMethod>,
    isEarlier = false,
  ): Promise<Missing | undefined> {
    // Also of a token that is exchanged: the person may have become an administrator since.
    return delegatesRights(delegation)
      ? undefined
      : requirements.missing(user, { methods, isExchange: shown.some(isExchange), isEarlier });
  }

  /**
   * A trustee logs in themselves: what was passed on to a program, or an application for a person, does not lead to what others passed on. Nor
   * does a token of another provider: the token of the trust would not end with the provider.
   */
  async function trustIsTheirs(
    { user, delegation: actsFor }: LoginProof,
    methods: ReadonlySet<AuthMethod>,
    id: string,
    attempt: LoginAttempt,
  ): Promise<AuthContext> {
    if (actsFor !== undefined || methods.has('oauth2')) refuse('a trust is for its trustee in person');
    const { delegation, others } = await trusts.forLogin(id, user);
    for (const other of others) if (!(await refreshFromDirectory(other))) fail('trust.gives_nothing');
    const authContext = await scopes.delegatedContext(delegation, { kind: 'default' });
    // Last: a login that fails takes no use, and the trustee is still the one whose password was checked.
    await trusts.use(id, user, attempt);
    return authContext;
  }

  /** By the user's own roles, or by what gives them. */
  async function scopeIsTheirs(
    { user, delegation, delegationEpoch }: LoginProof,
    account: AuthContext,
    scope: RequestedScope,
  ): Promise<AuthContext> {
    const isNone = scope.kind === 'unscoped' || (scope.kind === 'default' && !user.default_project_id);
    if (!delegation) return isNone ? account : scopes.authContextFor(user, scope);
    // Keystone's clients send a scope with OAuth1, and expect that it is ignored.
    const wanted: RequestedScope = delegation.kind === 'oauth1' ? { kind: 'default' } : scope;
    const authContext = await scopes.delegatedContext(delegation, wanted);
    const isSame = authContext.user.id === user.id && (delegatesRights(delegation) || authContext.userEpoch === user.epoch);
    if (!isSame) refuse('the user changed while they logged in');
    if (delegationEpoch !== undefined && authContext.delegation?.epoch !== delegationEpoch)
      refuse('the key was replaced meanwhile');
    return authContext;
  }

  /** The person may have become an administrator since the application got its first token. */
  function isNoAdministrator(methods: ReadonlySet<AuthMethod>, { roleNames }: AuthContext): void {
    if (methods.has('oauth2') && roleNames.has('admin')) refuse('an application for an administrator');
  }

  return {
    /** From top to bottom, once. Each fails like a wrong password unless it says otherwise; what is missing is for the caller to ask for. */
    async check(shown: LoginProof, { scope, attempt, earlier }: LoginRequest): Promise<CheckedLogin> {
      await testPoint('login.before-token');
      const before = [...(shown.token?.parent?.methods ?? []), ...(earlier?.methods ?? [])];
      const methods = new Set([...shown.methods, ...before]);
      systemIsNotLeft(shown, scope);
      const proof = { ...shown, user: await stillInDirectory(shown, methods) };
      const { user } = proof;
      const account = await accountIsOpen(user);
      earlierStepsHold(earlier, account);
      const missing = await nothingIsMissing(proof, methods);
      if (missing) return { user, account, methods, missing };
      await testPoint('login.before-scope');
      const authContext =
        scope.kind === 'trust'
          ? await trustIsTheirs(proof, methods, scope.id, attempt)
          : await scopeIsTheirs(proof, account, scope);
      isNoAdministrator(methods, authContext);
      return { user, account, methods, missing, authContext };
    },

    /** For a token of a browser session, at each use of which the directory was asked. Undefined when it is not enough any more. */
    async checkSession(proof: LoginProof): Promise<AuthContext | undefined> {
      await testPoint('login.before-token');
      const account = await accountIsOpen(proof.user);
      const missing = await nothingIsMissing(proof, new Set(proof.methods), true);
      return missing ? undefined : scopeIsTheirs(proof, account, UNSCOPED);
    },

    /** False when the password changed, or the account or its domain was disabled, since. */
    isStillValid: async (user: UserWithExpiry, earlier: EarlierSteps): Promise<boolean> =>
      // The epoch of the user is part of the generation.
      user.id === earlier.userId && (await accountIsOpen(user)).generation === earlier.generation,
  };
}

const refuse = (reason: string): never => {
  throw loginRefused(reason);
};

export type LoginChecks = ReturnType<typeof createLoginChecks>;
