// Logging in. The result is a token for the requested scope or, when a method is missing, a receipt for the methods that succeeded.

import {
  type AuthContext,
  type AuthMethod,
  type DelegationRef,
  isPassedOn,
  type TokenRecord,
} from '../../access/context/index.ts';
import { type LoginAttempt, type LoginEvents, loginRefused } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import { createMarkActive } from './activity.ts';
import type { AuthIdentity, RequestedScope } from './auth.schema.ts';
import type { LoginCompleteness, PartialLogin } from './completeness.ts';
import type { Authenticate, LoginProof } from './methods.ts';
import type { Receipt, Receipts } from './receipts.ts';
import { hasSecond } from './requirements.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';
import type { TrustLogins } from './trust-logins.ts';

export type LogInOutcome =
  | { readonly kind: 'token'; readonly text: string; readonly record: TokenRecord; readonly authContext: AuthContext }
  | {
      readonly kind: 'receipt';
      readonly text: string;
      readonly receipt: Receipt;
      readonly authContext: AuthContext;
      readonly required: readonly (readonly string[])[];
    };

/**
 * Exchanging a token, or an access token of an application, for a new token is not a login: nobody is present, and proxies do it all
 * the time. Methods added by a receipt count as a login.
 */
function isTokenExchange({ methods: requested }: AuthIdentity, { parent, methods }: LoginProof): boolean {
  const verified = parent ? requested : [...methods];
  return verified.every((method) => method === 'token' || method === 'oauth2');
}

/** What this login proved, for a receipt. A token only says what was proved when it was issued: with a receipt of that, it would become a new login. */
const provenBy = ({ methods: requested }: AuthIdentity, { parent, methods }: LoginProof): AuthMethod[] =>
  [...methods].filter((method) => !parent || requested.includes(method));

export interface AuthenticationResult {
  readonly user: UserWithExpiry;
  readonly generation: number;
  readonly methods: readonly AuthMethod[];
  /** False when a second factor is still required. */
  readonly complete: boolean;
}

/** What proves a person at the pages, beside what they type. */
type PageMethod = 'passkey' | 'mapped' | 'wallet';

const proofOf = (user: UserWithExpiry, method: PageMethod): LoginProof => ({
  user,
  methods: new Set([method]),
  second: method === 'passkey',
  parent: undefined,
});

/** Checks what proves a person, and returns who it is. */
type FindPerson = (attempt: LoginAttempt) => Promise<UserWithExpiry | undefined>;
type SignInWith = (
  method: 'passkey' | 'wallet',
  find: FindPerson,
  attempt: LoginAttempt,
  earlier?: PartialLogin,
) => Promise<AuthenticationResult>;

function createReceiptRules({ receipts, scopes }: { readonly receipts: Receipts; readonly scopes: Scopes }) {
  /** The receipt, if it belongs to this user and is still valid. */
  async function receiptOf(user: UserWithExpiry, text: string): Promise<Receipt | undefined> {
    const receipt = await receipts.open(text);
    if (receipt?.userId !== user.id) return undefined;
    return receipt.generation === (await scopes.authContextFor(user, { kind: 'unscoped' })).generation ? receipt : undefined;
  }

  /** Adds the methods of the receipt, but not its second factor: the key may have been replaced since. */
  async function withReceipt(proof: LoginProof, text: string | undefined): Promise<LoginProof> {
    if (text === undefined) return proof;
    const receipt = await receiptOf(proof.user, text);
    if (!receipt) throw loginRefused('receipt unknown, ended or of someone else');
    return { ...proof, methods: new Set([...proof.methods, ...receipt.methods]) };
  }

  return { receiptOf, withReceipt };
}

/** Asks the directory of a user who did not give its password. Undefined when they are not in it any more. */
type StillThere = (user: UserWithExpiry) => Promise<UserWithExpiry | undefined>;

/** Users of a directory may have left it since they got what they sign in with. */
async function personOf(
  { stillThere }: { readonly stillThere: StillThere },
  { user }: Pick<LoginProof, 'user'>,
): Promise<UserWithExpiry> {
  const person = await stillThere(user);
  if (!person) throw loginRefused('the user is not in the directory any more');
  return person;
}

interface ContextDeps {
  readonly scopes: Scopes;
  readonly trusts: TrustLogins;
  readonly stillThere: StillThere;
}

/**
 * A trustee logs in themselves: what was passed on to a program, or an application for a person, does not lead to what others passed on. Nor
 * does a token of another provider: the token of the trust would not end with the provider.
 */
async function trustContext(
  { scopes, trusts, stillThere }: ContextDeps,
  { user, delegation: passedOn, methods }: LoginProof,
  id: string,
  attempt: LoginAttempt,
): Promise<AuthContext> {
  if (passedOn !== undefined || methods.has('oauth2')) throw loginRefused('a trust is for its trustee in person');
  const { delegation, others } = await trusts.forLogin(id, user);
  for (const other of others) if (!(await stillThere(other))) fail('trust.gives_nothing');
  const authContext = await scopes.delegatedContext(delegation, { kind: 'default' });
  // Last: a login that fails takes no use, and the trustee is still the one whose password was checked.
  await trusts.use(id, user, attempt);
  return authContext;
}

/** By the user's own roles, or by what gives them. */
async function scopedContext(
  { scopes }: Pick<ContextDeps, 'scopes'>,
  { user, delegation }: LoginProof,
  scope: RequestedScope,
): Promise<AuthContext> {
  if (!delegation) return scopes.authContextFor(user, scope);
  // Keystone's clients send a scope with OAuth1, and expect that it is ignored.
  const wanted: RequestedScope = delegation.kind === 'oauth1' ? { kind: 'default' } : scope;
  const authContext = await scopes.delegatedContext(delegation, wanted);
  if (!isPassedOn(delegation) && authContext.userEpoch !== user.epoch)
    throw loginRefused('the user changed while they logged in');
  return authContext;
}

/** `trust`: the only scope that takes something away, one of its uses. */
async function contextOf(
  deps: ContextDeps,
  proof: LoginProof,
  scope: RequestedScope,
  attempt: LoginAttempt,
): Promise<AuthContext> {
  if (scope.kind === 'trust') return trustContext(deps, proof, scope.id, attempt);
  return scopedContext(deps, proof, scope);
}

/** Somebody whom another provider vouched for, at the API. */
interface VouchedPerson {
  readonly user: UserWithExpiry;
  readonly delegation: DelegationRef;
  /** When they authenticated there (milliseconds). */
  readonly loginAt: number;
}

type TokenOutcome = Extract<LogInOutcome, { kind: 'token' }>;

/** At the API. A second factor cannot be asked for there: a receipt would lead to a token that does not depend on the provider. */
const createVouchedLogin =
  (deps: {
    readonly tokens: Tokens;
    readonly scopes: Scopes;
    readonly stillThere: StillThere;
    readonly completeness: LoginCompleteness;
    recordSuccess(user: UserWithExpiry, attempt: LoginAttempt, methods: readonly string[]): Promise<void>;
  }) =>
  async (find: (attempt: LoginAttempt) => Promise<VouchedPerson>, attempt: LoginAttempt): Promise<TokenOutcome> => {
    const { user, delegation, loginAt } = await find(attempt);
    await testPoint('login.before-token');
    const proof = { ...proofOf(user, 'mapped'), delegation };
    await personOf(deps, proof);
    const authContext = await scopedContext(deps, proof, { kind: 'unscoped' });
    if (!(await deps.completeness.isComplete(proof)))
      throw loginRefused('a second factor or a passkey is required beside the provider');
    await deps.recordSuccess(user, attempt, ['mapped']);
    return { kind: 'token', ...deps.tokens.issue(authContext, { methods: ['mapped'], loginAt }), authContext };
  };

export function createAuth(
  deps: Pick<Deps, 'clock' | 'config' | 'change'> & {
    readonly tokens: Tokens;
    readonly authenticate: Authenticate;
    scopes: Scopes;
    receipts: Receipts;
    logins: LoginEvents;
    completeness: LoginCompleteness;
    stillThere: StillThere;
    trusts: TrustLogins;
  },
) {
  const { tokens, authenticate, scopes, receipts, logins } = deps;
  const markActive = createMarkActive(deps);
  const { missingMethods, isComplete, isStillValid, isPasskeyRequired } = deps.completeness;
  const { receiptOf, withReceipt } = createReceiptRules(deps);
  const logInVouched = createVouchedLogin({ ...deps, recordSuccess });

  async function signIn(identity: AuthIdentity, attempt: LoginAttempt, earlier?: PartialLogin): Promise<AuthenticationResult> {
    const knewPassword = async (user: UserWithExpiry) => earlier !== undefined && (await isStillValid(user, earlier));
    const first = await authenticate(identity, attempt, knewPassword);
    return completeIfPossible(first, attempt, earlier);
  }

  async function completeIfPossible(
    proof: LoginProof,
    attempt: LoginAttempt,
    earlier: PartialLogin | undefined,
  ): Promise<AuthenticationResult> {
    await testPoint('login.before-token');
    const methods = new Set([...proof.methods, ...(earlier?.methods ?? [])]);
    const user = methods.has('password') ? proof.user : await personOf(deps, proof);
    // Fails for a disabled account or domain, with the same message as for a wrong password.
    const { generation } = await scopes.authContextFor(user, { kind: 'unscoped' });
    const second = proof.second || hasSecond(methods);
    const complete = await isComplete({ ...proof, user, methods, second });
    if (complete) await recordSuccess(user, attempt, [...methods]);
    return { user, generation, methods: [...methods], complete };
  }

  /** Alone, or after other steps of the same sign-in. */
  async function signInBy(
    method: PageMethod,
    find: FindPerson,
    attempt: LoginAttempt,
    earlier: PartialLogin | undefined,
  ): Promise<AuthenticationResult> {
    const user = await find(attempt);
    if (!user || (earlier && !(await isStillValid(user, earlier)))) throw loginRefused(`${method} wrong`);
    return completeIfPossible(proofOf(user, method), attempt, earlier);
  }

  async function recordSuccess(user: UserWithExpiry, attempt: LoginAttempt, methods: readonly string[]): Promise<void> {
    await markActive(user);
    await logins.recordSuccess(attempt, user.id, methods);
  }

  async function logIn(
    identity: AuthIdentity,
    scope: RequestedScope,
    attempt: LoginAttempt,
    receiptText: string | undefined,
  ): Promise<LogInOutcome> {
    const first = await authenticate(identity, attempt, async (user) => {
      const receipt = receiptText === undefined ? undefined : await receiptOf(user, receiptText);
      return receipt?.methods.includes('password') ?? false;
    });
    await testPoint('login.before-token');
    const narrower = scope.kind === 'project' || scope.kind === 'domain';
    if (first.parent?.scope.kind === 'system' && narrower) fail('auth.rescope_system');
    const unscoped = await scopes.authContextFor(first.user, { kind: 'unscoped' });
    const proof = await withReceipt(first, receiptText);
    // Whoever passed something on had logged in with all methods, so that nothing is missing when it is used.
    // There are no passkeys at this API. Also for a token that is exchanged: the person may have become an administrator since.
    const passedOn = isPassedOn(proof.delegation);
    if (!passedOn && !proof.methods.has('passkey') && (await isPasskeyRequired(proof.user)))
      throw loginRefused('administrators of this domain sign in with a passkey');
    const required = passedOn ? undefined : await missingMethods(proof);
    if (required) {
      const { text, receipt } = receipts.issue(proof.user.id, provenBy(identity, proof), unscoped.generation);
      return { kind: 'receipt', text, receipt, authContext: unscoped, required };
    }
    if (passedOn) await personOf(deps, proof);
    const authContext = await contextOf(deps, proof, scope, attempt);
    // The person may have become an administrator since the application got its first token.
    if (proof.methods.has('oauth2') && authContext.roleNames.has('admin'))
      throw loginRefused('an application for an administrator');
    if (isTokenExchange(identity, proof)) await markActive(proof.user);
    else await recordSuccess(proof.user, attempt, [...proof.methods]);
    const { parent, notAfter, applicationId, signInMethods = [] } = proof;
    const methods = [...new Set([...proof.methods, ...signInMethods])];
    return { kind: 'token', ...tokens.issue(authContext, { methods, parent, notAfter, applicationId }), authContext };
  }

  return {
    /** For a person at a browser. `earlier`: the previous steps of the same sign-in. */
    signIn: (identity: AuthIdentity, attempt: LoginAttempt, earlier?: PartialLogin): Promise<AuthenticationResult> =>
      logins.recordLogin(attempt, identity.methods, (recorded) => signIn(identity, recorded, earlier)),

    /** For a person at a browser with a passkey, which verified them as well if it is used alone; or with a wallet, which is one factor. */
    signInWith: ((method, find, attempt, earlier) =>
      logins.recordLogin(attempt, [method], (recorded) => signInBy(method, find, recorded, earlier))) as SignInWith,

    /** For a person at a browser whom another provider vouched for: one factor, whatever the provider asked for. */
    signInByProvider: (find: FindPerson, attempt: LoginAttempt): Promise<AuthenticationResult> =>
      logins.recordLogin(attempt, ['mapped'], (recorded) => signInBy('mapped', find, recorded, undefined)),

    /** At the API, for whoever has a token of another provider. */
    logInByProvider: (find: (attempt: LoginAttempt) => Promise<VouchedPerson>, attempt: LoginAttempt): Promise<TokenOutcome> =>
      logins.recordLogin(attempt, ['mapped'], (recorded) => logInVouched(find, recorded)),

    isStillValid,
    needsCode: deps.completeness.needsCode,

    /** The last step of a sign-in, when the caller has checked a remembered device or a code. False when it is still not complete. */
    async completeSignIn(
      user: UserWithExpiry,
      earlier: PartialLogin,
      attempt: LoginAttempt,
      by: 'device' | 'recovery_code' | 'totp',
    ): Promise<boolean> {
      const proof = { user, methods: new Set([...earlier.methods, 'totp' as const]), second: true, parent: undefined };
      if (!(await isStillValid(user, earlier)) || !(await isComplete(proof))) return false;
      await recordSuccess(user, attempt, [...earlier.methods, by]);
      return true;
    },

    logIn: (
      identity: AuthIdentity,
      scope: RequestedScope,
      attempt: LoginAttempt,
      receiptText: string | undefined,
    ): Promise<LogInOutcome> =>
      logins.recordLogin(attempt, identity.methods, (recorded) => logIn(identity, scope, recorded, receiptText)),

    /** For steps of a sign-in that are checked by the caller. */
    recordLogin: logins.recordLogin,
    confirmPassword: logins.confirmPassword,
    settled: logins.settled,
  };
}

export type AuthRules = ReturnType<typeof createAuth>;
