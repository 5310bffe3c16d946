// Logging in: prove who you are, then get a token for the scope you ask for; or, when a factor is missing, a receipt for what you proved.

import { seconds } from '../../platform/clock.ts';
import { type AuthContext, type AuthMethod, METHODS, type TokenRecord, tagOf } from '../access/index.ts';
import { fail } from '../faults.ts';
import { type Attempt, type Logins, refused } from '../logins/index.ts';
import { type Deps, parsed } from '../resource/index.ts';
import type { Factor } from '../two-factor/index.ts';
import { type UserWithExpiry, writeLastActive } from '../users/index.ts';
import type { AskedScope, Identity } from './auth.schema.ts';
import type { Authenticate, Proof } from './methods.ts';
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

/** The ways a user may log in by Keystone's rules, of methods there are; empty when any way will do. */
function rulesOf(user: UserWithExpiry): (readonly string[])[] {
  const { multi_factor_auth_enabled: on = true, multi_factor_auth_rules: rules = [] } = parsed<MultiFactorOptions>(user.options);
  const served = rules.map((rule) => rule.filter((method) => METHODS.includes(method as AuthMethod)));
  return on ? served.filter((rule) => rule.length > 0) : [];
}

/**
 * A token made from a token is no login, nor is one that an application makes from its access token: nobody was there, and proxies
 * do it all day. What a receipt adds to it somebody proved.
 */
function isStandIn({ methods: asked }: Identity, { parent, methods }: Proof): boolean {
  const proved = parent ? asked : [...methods];
  return proved.every((method) => method === 'token' || method === 'oauth2');
}

/** What was proved of a person so far, and the state they were in when it was. */
export interface Proved {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly epoch: number;
  readonly generation: number;
}

export interface Recognised {
  readonly user: UserWithExpiry;
  readonly generation: number;
  readonly methods: readonly AuthMethod[];
  /** False: a second factor is still to come. */
  readonly complete: boolean;
}

export function createAuth(
  deps: Pick<Deps, 'clock' | 'config' | 'change'> & {
    readonly tokens: Tokens;
    readonly authenticate: Authenticate;
    scopes: Scopes;
    receipts: Receipts;
    factor: Factor;
    logins: Logins;
  },
) {
  const { clock, config, change, tokens, authenticate, scopes, receipts, factor, logins } = deps;

  /** Only where inactivity closes accounts, and once a day. */
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

  /** What an earlier request of the same login proved, if the receipt is of this user and holds. */
  async function receiptOf(user: UserWithExpiry, text: string): Promise<Receipt | undefined> {
    const receipt = await receipts.open(text);
    if (receipt?.userId !== user.id) return undefined;
    return receipt.generation === (await scopes.authContextFor(user, { kind: 'unscoped' })).generation ? receipt : undefined;
  }

  /** The second factor is not among what it adds: the key may be another one since. */
  async function withReceipt(proof: Proof, text: string | undefined): Promise<Proof> {
    if (text === undefined) return proof;
    const receipt = await receiptOf(proof.user, text);
    if (!receipt) throw refused('receipt unknown, ended or of someone else');
    return { ...proof, methods: new Set([...proof.methods, ...receipt.methods]) };
  }

  /** The combinations that would do, when what was proved does not; undefined when it does. A token was checked when it was made. */
  async function missing({ user, methods, second, parent, notAfter }: Proof): Promise<(readonly string[])[] | undefined> {
    const rules = rulesOf(user);
    if (rules.length > 0 && !rules.some((rule) => rule.every((method) => methods.has(method as AuthMethod)))) return rules;
    // So was the person behind an access token, when they let the application in.
    if (parent || notAfter !== undefined) return undefined;
    const needsSecond = !second && (await factor.isEnabled(user.id));
    // A code alone is half a login, whatever the rules say.
    return needsSecond || !methods.has('password') ? [['password', 'totp']] : undefined;
  }

  /** Whether what was proved before still counts: not when the password changed, or the account or its domain was closed, since. */
  async function stands(user: UserWithExpiry, proved: Proved): Promise<boolean> {
    if (user.id !== proved.userId || user.epoch !== proved.epoch) return false;
    return (await scopes.authContextFor(user, { kind: 'unscoped' })).generation === proved.generation;
  }

  async function recognise(identity: Identity, attempt: Attempt, proved?: Proved): Promise<Recognised> {
    const first = await authenticate(identity, attempt, async (user) => proved !== undefined && (await stands(user, proved)));
    // Closed, or of a closed domain: the same answer as for a wrong password.
    const { generation } = await scopes.authContextFor(first.user, { kind: 'unscoped' });
    const methods = new Set([...first.methods, ...(proved?.methods ?? [])]);
    const complete = (await missing({ ...first, methods })) === undefined;
    if (complete) await finished(first.user, attempt, [...methods]);
    return { user: first.user, generation, methods: [...methods], complete };
  }

  async function finished(user: UserWithExpiry, attempt: Attempt, methods: readonly string[]): Promise<void> {
    await markActive(user);
    await logins.good(attempt, user.id, methods);
  }

  async function logIn(
    identity: Identity,
    asked: AskedScope,
    attempt: Attempt,
    receiptText: string | undefined,
  ): Promise<LogInOutcome> {
    const first = await authenticate(identity, attempt, async (user) => {
      const receipt = receiptText === undefined ? undefined : await receiptOf(user, receiptText);
      return receipt?.methods.includes('password') ?? false;
    });
    const narrower = asked.kind === 'project' || asked.kind === 'domain';
    if (first.parent?.scope.kind === 'system' && narrower) fail('auth.rescope_system');
    const unscoped = await scopes.authContextFor(first.user, { kind: 'unscoped' });
    const proof = await withReceipt(first, receiptText);
    const required = await missing(proof);
    if (required) {
      const { text, receipt } = receipts.issue(proof.user.id, [...proof.methods], unscoped.generation);
      return { kind: 'receipt', text, receipt, authContext: unscoped, required };
    }
    const authContext = await scopes.authContextFor(proof.user, asked);
    // The person may be an administrator since the application got its first token.
    if (proof.methods.has('oauth2') && authContext.roleNames.has('admin')) throw refused('an application for an administrator');
    if (isStandIn(identity, proof)) await markActive(proof.user);
    else await finished(proof.user, attempt, [...proof.methods]);
    const { parent, notAfter, applicationId } = proof;
    return {
      kind: 'token',
      ...tokens.issue(authContext, { methods: [...proof.methods], parent, notAfter, applicationId }),
      authContext,
    };
  }

  return {
    /** A person at a browser. `proved`: what earlier steps of the same sign-in did. */
    recognise: (identity: Identity, attempt: Attempt, proved?: Proved): Promise<Recognised> =>
      logins.witness(attempt, identity.methods, (witnessed) => recognise(identity, witnessed, proved)),

    stands,

    /** The same for what only the caller can check: a remembered device, a recovery code. */
    async completes(user: UserWithExpiry, proved: Proved, attempt: Attempt, by: 'device' | 'recovery_code'): Promise<boolean> {
      const proof = { user, methods: new Set([...proved.methods, 'totp' as const]), second: true, parent: undefined };
      if (!(await stands(user, proved)) || (await missing(proof)) !== undefined) return false;
      await finished(user, attempt, [...proved.methods, by]);
      return true;
    },

    logIn: (identity: Identity, asked: AskedScope, attempt: Attempt, receiptText: string | undefined): Promise<LogInOutcome> =>
      logins.witness(attempt, identity.methods, (witnessed) => logIn(identity, asked, witnessed, receiptText)),

    /** For the steps of a sign-in that prove something themselves. */
    witness: logins.witness,
    confirm: logins.confirm,
    settled: logins.settled,
  };
}

export type AuthRules = ReturnType<typeof createAuth>;
