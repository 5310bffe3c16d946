// Logging in. The result is a token for the requested scope or, when a method is missing, a receipt for the methods that succeeded.

import { seconds } from '../../platform/clock.ts';
import { type AuthContext, type AuthMethod, METHODS, type TokenRecord, tagOf } from '../access/index.ts';
import { fail } from '../faults.ts';
import { type LoginAttempt, type LoginEvents, loginRefused } from '../logins/index.ts';
import { type Deps, parseJson } from '../resource/index.ts';
import type { Factor } from '../two-factor/index.ts';
import { type UserWithExpiry, writeLastActive } from '../users/index.ts';
import type { AuthIdentity, RequestedScope } from './auth.schema.ts';
import type { Authenticate, LoginProof } from './methods.ts';
import type { Receipt, Receipts } from './receipts.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

const DAY = 86_400;

export type LogInOutcome =
  | { readonly kind: 'token'; readonly text: string; readonly record: TokenRecord; readonly authContext: AuthContext }
  | {
      readonly kind: 'receipt';
      readonly text: string;
      readonly receipt: Receipt;
      readonly authContext: AuthContext;
      readonly required: readonly (readonly string[])[];
    };

interface MultiFactorOptions {
  readonly [option: string]: unknown;
  readonly multi_factor_auth_enabled?: boolean;
  readonly multi_factor_auth_rules?: readonly (readonly string[])[];
}

/** The combinations of methods a user may log in with (Keystone's multi_factor_auth_rules); empty when any will do. Unknown methods are ignored. */
function rulesOf(user: UserWithExpiry): (readonly string[])[] {
  const { multi_factor_auth_enabled: on = true, multi_factor_auth_rules: rules = [] } = parseJson<MultiFactorOptions>(
    user.options,
  );
  const served = rules.map((rule) => rule.filter((method) => METHODS.includes(method as AuthMethod)));
  return on ? served.filter((rule) => rule.length > 0) : [];
}

/**
 * Exchanging a token, or an access token of an application, for a new token is not a login: nobody is present, and proxies do it all
 * the time. Methods added by a receipt count as a login.
 */
function isTokenExchange({ methods: requested }: AuthIdentity, { parent, methods }: LoginProof): boolean {
  const verified = parent ? requested : [...methods];
  return verified.every((method) => method === 'token' || method === 'oauth2');
}

/** A sign-in that is not complete yet: the methods that succeeded, and the state of the account at that time. */
export interface PartialLogin {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly epoch: number;
  readonly generation: number;
}

export interface AuthenticationResult {
  readonly user: UserWithExpiry;
  readonly generation: number;
  readonly methods: readonly AuthMethod[];
  /** False when a second factor is still required. */
  readonly complete: boolean;
}

export function createAuth(
  deps: Pick<Deps, 'clock' | 'config' | 'change'> & {
    readonly tokens: Tokens;
    readonly authenticate: Authenticate;
    scopes: Scopes;
    receipts: Receipts;
    factor: Factor;
    logins: LoginEvents;
  },
) {
  const { clock, config, change, tokens, authenticate, scopes, receipts, factor, logins } = deps;

  /** Only when accounts are disabled for inactivity, and once a day. */
  async function markActive(user: UserWithExpiry): Promise<void> {
    if (config.disableUserAccountDaysInactive === undefined) return;
    const now = seconds(clock);
    if (Math.floor((user.last_active_at ?? 0) / DAY) === Math.floor(now / DAY)) return;
    await change({ userId: user.id, requestId: null }, async ({ tx, audit, invalidate }) => {
      await writeLastActive(tx, user.id, now);
      invalidate(tagOf.user(user.id));
      audit('user.active', { kind: 'user', id: user.id });
    });
  }

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

  /** The combinations of methods that would suffice; undefined when the login is complete. A token was checked when it was issued. */
  async function missingMethods({
    user,
    methods,
    second,
    parent,
    notAfter,
  }: LoginProof): Promise<(readonly string[])[] | undefined> {
    const rules = rulesOf(user);
    if (rules.length > 0 && !rules.some((rule) => rule.every((method) => methods.has(method as AuthMethod)))) return rules;
    // An access token was checked when the person authorized the application.
    if (parent || notAfter !== undefined) return undefined;
    const needsSecond = !second && (await factor.isEnabled(user.id));
    // A code alone is not enough, whatever the rules say.
    return needsSecond || !methods.has('password') ? [['password', 'totp']] : undefined;
  }

  /** False when the password changed, or the account or its domain was disabled, since. */
  async function isStillValid(user: UserWithExpiry, earlier: PartialLogin): Promise<boolean> {
    if (user.id !== earlier.userId || user.epoch !== earlier.epoch) return false;
    return (await scopes.authContextFor(user, { kind: 'unscoped' })).generation === earlier.generation;
  }

  async function signIn(identity: AuthIdentity, attempt: LoginAttempt, earlier?: PartialLogin): Promise<AuthenticationResult> {
    const knewPassword = async (user: UserWithExpiry) => earlier !== undefined && (await isStillValid(user, earlier));
    const first = await authenticate(identity, attempt, knewPassword);
    // Fails for a disabled account or domain, with the same message as for a wrong password.
    const { generation } = await scopes.authContextFor(first.user, { kind: 'unscoped' });
    const methods = new Set([...first.methods, ...(earlier?.methods ?? [])]);
    const complete = (await missingMethods({ ...first, methods })) === undefined;
    if (complete) await recordSuccess(first.user, attempt, [...methods]);
    return { user: first.user, generation, methods: [...methods], complete };
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
    const narrower = scope.kind === 'project' || scope.kind === 'domain';
    if (first.parent?.scope.kind === 'system' && narrower) fail('auth.rescope_system');
    const unscoped = await scopes.authContextFor(first.user, { kind: 'unscoped' });
    const proof = await withReceipt(first, receiptText);
    const required = await missingMethods(proof);
    if (required) {
      const { text, receipt } = receipts.issue(proof.user.id, [...proof.methods], unscoped.generation);
      return { kind: 'receipt', text, receipt, authContext: unscoped, required };
    }
    const authContext = await scopes.authContextFor(proof.user, scope);
    // The person may have become an administrator since the application got its first token.
    if (proof.methods.has('oauth2') && authContext.roleNames.has('admin'))
      throw loginRefused('an application for an administrator');
    if (isTokenExchange(identity, proof)) await markActive(proof.user);
    else await recordSuccess(proof.user, attempt, [...proof.methods]);
    const { parent, notAfter, applicationId } = proof;
    return {
      kind: 'token',
      ...tokens.issue(authContext, { methods: [...proof.methods], parent, notAfter, applicationId }),
      authContext,
    };
  }

  return {
    /** For a person at a browser. `earlier`: the previous steps of the same sign-in. */
    signIn: (identity: AuthIdentity, attempt: LoginAttempt, earlier?: PartialLogin): Promise<AuthenticationResult> =>
      logins.recordLogin(attempt, identity.methods, (recorded) => signIn(identity, recorded, earlier)),

    isStillValid,

    /** The last step of a sign-in, when the caller has checked a remembered device or a recovery code. False when it is still not complete. */
    async completeSignIn(
      user: UserWithExpiry,
      earlier: PartialLogin,
      attempt: LoginAttempt,
      by: 'device' | 'recovery_code',
    ): Promise<boolean> {
      const proof = { user, methods: new Set([...earlier.methods, 'totp' as const]), second: true, parent: undefined };
      if (!(await isStillValid(user, earlier)) || (await missingMethods(proof)) !== undefined) return false;
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
