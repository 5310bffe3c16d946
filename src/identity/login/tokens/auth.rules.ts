// Logging in. The result is a token for the requested scope or, when a method is missing, a receipt for the methods that succeeded. Each way
// in proves something (methods.ts, or whoever calls); login-checks.ts lists what is checked of it.

import { type AuthContext, type AuthMethod, type DelegationRef, kindOf, type TokenRecord } from '../../access/context/index.ts';
import { type LoginAttempt, type LoginEvents, loginRefused } from '../../directory/logins/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AuthIdentity, RequestedScope } from './auth.schema.ts';
import { type CheckedLogin, type EarlierSteps, isTokenExchange, type LoginChecks } from './login-checks.ts';
import type { LoginProof } from './method.ts';
import type { Authenticate } from './methods.ts';
import type { Receipt, Receipts } from './receipts.ts';
import type { Tokens } from './tokens.ts';

export interface IssuedToken {
  readonly text: string;
  readonly record: TokenRecord;
  readonly authContext: AuthContext;
}

export type LogInOutcome =
  | ({ readonly kind: 'token' } & IssuedToken)
  | {
      readonly kind: 'receipt';
      readonly text: string;
      readonly receipt: Receipt;
      readonly authContext: AuthContext;
      readonly required: readonly (readonly string[])[];
    };

export interface AuthenticationResult {
  readonly user: UserWithExpiry;
  readonly generation: number;
  readonly methods: readonly AuthMethod[];
  /** False when a second factor is still required. */
  readonly complete: boolean;
}

/** A sign-in that is not complete yet: the methods that succeeded, and the state of the account at that time. */
export interface PartialLogin extends EarlierSteps {
  readonly epoch: number;
}

/** Checks what proves a person at the pages, and returns who it is. */
type FindPerson = (attempt: LoginAttempt) => Promise<UserWithExpiry | undefined>;

/** Somebody whom another provider vouched for, at the API. */
interface VouchedPerson {
  readonly user: UserWithExpiry;
  readonly delegation: DelegationRef;
  /** When they authenticated there (milliseconds). */
  readonly loginAt: number;
}

/** The key of a program, which the caller has checked. */
interface CheckedKey {
  readonly user: UserWithExpiry;
  readonly delegation: DelegationRef;
  /** Of the key that was checked, since it may have been replaced meanwhile. */
  readonly epoch: number;
}

const UNSCOPED = { kind: 'unscoped' } as const;
/** Of a receipt that is not good, or of none: nobody's. */
const NO_STEPS: EarlierSteps = { userId: '', methods: [], generation: -1 };

export function createAuth(deps: {
  readonly tokens: Tokens;
  readonly authenticate: Authenticate;
  readonly receipts: Receipts;
  readonly logins: LoginEvents;
  readonly checks: LoginChecks;
  readonly users: Pick<Users, 'markActive'>;
}) {
  const { tokens, authenticate, receipts, logins } = deps;
  const { check, isStillValid } = deps.checks;
  const { markActive } = deps.users;

  const knewFirst =
    (earlier: EarlierSteps = NO_STEPS) =>
    async (user: UserWithExpiry): Promise<boolean> =>
      earlier.methods.some((method) => kindOf(method) === 'first') && isStillValid(user, earlier);

  async function recordSuccess(user: UserWithExpiry, attempt: LoginAttempt, methods: Iterable<string>): Promise<void> {
    await markActive(user);
    await logins.recordSuccess(attempt, user.id, [...methods]);
  }

  function tokenOf(
    { signInMethods = [], token }: LoginProof,
    methods: Iterable<AuthMethod>,
    authContext: AuthContext,
  ): IssuedToken {
    return { ...tokens.issue(authContext, { ...token, methods: [...new Set([...methods, ...signInMethods])] }), authContext };
  }

  /**
   * What was proved in this login. A token only says what was proved when it was issued: with a receipt of that, it would become a new
   * login, and would keep an earlier receipt alive.
   */
  function receiptFor({ methods, token }: LoginProof, earlier: EarlierSteps | undefined, { user, account }: CheckedLogin) {
    const before = token?.parent ? [] : (earlier?.methods ?? []);
    return receipts.issue(user.id, [...new Set([...methods, ...before])], account.generation);
  }

  async function logIn(
    identity: AuthIdentity,
    scope: RequestedScope,
    attempt: LoginAttempt,
    receiptText: string | undefined,
  ): Promise<LogInOutcome> {
    const earlier = receiptText === undefined ? undefined : ((await receipts.open(receiptText)) ?? NO_STEPS);
    const proof = await authenticate(identity, attempt, knewFirst(earlier));
    const login = await check(proof, { scope, attempt, earlier });
    const { user, account, methods, missing, authContext } = login;
    // There are no passkeys at this API.
    if (missing === 'passkey') throw loginRefused('administrators of this domain sign in with a passkey');
    if (missing === 'second_factor') fail('auth.two_factor_required');
    if (missing) return { kind: 'receipt', ...receiptFor(proof, earlier, login), authContext: account, required: missing };
    if (isTokenExchange(proof, earlier)) await markActive(user);
    else await recordSuccess(user, attempt, methods);
    return { kind: 'token', ...tokenOf(proof, methods, authContext) };
  }

  /** A second factor cannot be asked for at the API: a receipt would lead to a token that does not depend on the provider. */
  async function logInVouched({ user, delegation, loginAt }: VouchedPerson, attempt: LoginAttempt): Promise<IssuedToken> {
    const proof: LoginProof = { user, methods: ['mapped'], delegation, token: { loginAt } };
    const { missing, methods, authContext } = await check(proof, { scope: UNSCOPED, attempt });
    if (missing === 'second_factor') fail('auth.two_factor_required');
    if (missing) throw loginRefused('a second factor or a passkey is required beside the provider');
    await recordSuccess(user, attempt, methods);
    return tokenOf(proof, methods, authContext);
  }

  /** A step of a sign-in at the pages. `by`: what stood for a code. */
  async function signInStep(
    proof: LoginProof,
    attempt: LoginAttempt,
    earlier: EarlierSteps | undefined,
    by?: 'device' | 'recovery_code' | 'totp',
  ): Promise<AuthenticationResult> {
    const { user, account, methods, missing } = await check(proof, { scope: UNSCOPED, attempt, earlier });
    if (!missing) await recordSuccess(user, attempt, by && earlier ? [...earlier.methods, by] : methods);
    return { user, generation: account.generation, methods: [...methods], complete: !missing };
  }

  /** Alone, or after other steps of the same sign-in. */
  const signInWith = (
    method: 'passkey' | 'mapped' | 'wallet',
    find: FindPerson,
    attempt: LoginAttempt,
    earlier?: PartialLogin,
  ): Promise<AuthenticationResult> =>
    logins.recordLogin(attempt, [method], async (recorded) => {
      const user = await find(recorded);
      if (!user) throw loginRefused(`${method} wrong`);
      return signInStep({ user, methods: [method] }, recorded, earlier);
    });

  return {
    logIn: (
      identity: AuthIdentity,
      scope: RequestedScope,
      attempt: LoginAttempt,
      receiptText: string | undefined,
    ): Promise<LogInOutcome> =>
      logins.recordLogin(attempt, identity.methods, (recorded) => logIn(identity, scope, recorded, receiptText)),

    /** At the API, for whoever has a token of another provider. */
    logInByProvider: (find: (attempt: LoginAttempt) => Promise<VouchedPerson>, attempt: LoginAttempt): Promise<IssuedToken> =>
      logins.recordLogin(attempt, ['mapped'], async (recorded) => logInVouched(await find(recorded), recorded)),

    /** A token by the key of a program. Not a login: services ask about every request of the program. */
    async exchangeKey({ epoch: delegationEpoch, ...key }: CheckedKey, attempt: LoginAttempt): Promise<IssuedToken> {
      const proof: LoginProof = { ...key, delegationEpoch, methods: ['ec2credential'] };
      const { authContext, methods } = await check(proof, { scope: { kind: 'default' }, attempt });
      await markActive(key.user);
      return tokenOf(proof, methods, authContext!);
    },

    /** For a person at a browser. `earlier`: the previous steps of the same sign-in. */
    signIn: (identity: AuthIdentity, attempt: LoginAttempt, earlier?: PartialLogin): Promise<AuthenticationResult> =>
      logins.recordLogin(attempt, identity.methods, async (recorded) =>
        signInStep(await authenticate(identity, recorded, knewFirst(earlier)), recorded, earlier),
      ),

    /**
     * For a person at a browser with a passkey, which verified them as well if it is used alone; with a wallet, which is one factor; or for
     * somebody whom another provider vouched for: one factor, whatever the provider asked for.
     */
    signInWith,

    /** The last step of a sign-in, when the caller has checked a remembered device or a code. False when it is still not complete. */
    completeSignIn: async (
      user: UserWithExpiry,
      earlier: PartialLogin,
      attempt: LoginAttempt,
      by: 'device' | 'recovery_code' | 'totp',
    ): Promise<boolean> =>
      // A refusal would lose what the caller has changed already, such as the new token of a device.
      (await isStillValid(user, earlier)) && (await signInStep({ user, methods: ['totp'] }, attempt, earlier, by)).complete,

    isStillValid,

    /** For steps of a sign-in that are checked by the caller. */
    recordLogin: logins.recordLogin,
    settled: logins.settled,
  };
}

export type AuthRules = ReturnType<typeof createAuth>;
