// Whether the methods of a login are enough: the rules of the account, a second factor, a passkey where one is required.
import { type AuthMethod, METHODS } from '../access/index.ts';
import { parseJson } from '../resource/index.ts';
import type { Factor } from '../two-factor/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import type { LoginProof } from './methods.ts';
import type { Scopes } from './scopes.ts';

/** A sign-in that is not complete yet: the methods that succeeded, and the state of the account at that time. */
export interface PartialLogin {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly epoch: number;
  readonly generation: number;
}

interface MultiFactorOptions {
  readonly [option: string]: unknown;
  readonly multi_factor_auth_enabled?: boolean;
  readonly multi_factor_auth_rules?: readonly (readonly string[])[];
}

/** A login begins with one of these. `mapped`: a provider vouched for the person. */
const FIRST_METHODS = ['password', 'passkey', 'mapped', 'wallet'] as const;

/** Whether there is a second factor among them. A wallet is one beside a password; alone it is the first. */
export function hasSecond(methods: Iterable<AuthMethod>): boolean {
  const all = new Set(methods);
  return all.has('totp') || all.has('passkey') || (all.has('wallet') && (all.has('password') || all.has('mapped')));
}

/** The combinations of methods a user may log in with (Keystone's multi_factor_auth_rules); empty when any will do. Unknown methods are ignored. */
function rulesOf(user: UserWithExpiry): (readonly string[])[] {
  const { multi_factor_auth_enabled: on = true, multi_factor_auth_rules: rules = [] } = parseJson<MultiFactorOptions>(
    user.options,
  );
  const served = rules.map((rule) => rule.filter((method) => METHODS.includes(method as AuthMethod)));
  return on ? served.filter((rule) => rule.length > 0) : [];
}

export function createLoginCompleteness({
  scopes,
  factor,
  isPasskeyRequired,
}: {
  readonly scopes: Scopes;
  readonly factor: Factor;
  /** Whether this person must use a passkey. */
  isPasskeyRequired(user: UserWithExpiry): Promise<boolean>;
}) {
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
    return needsSecond || !FIRST_METHODS.some((method) => methods.has(method)) ? [['password', 'totp']] : undefined;
  }

  /** At the pages, where a passkey can be asked for. */
  const isComplete = async (proof: LoginProof): Promise<boolean> =>
    (await missingMethods(proof)) === undefined && (proof.methods.has('passkey') || !(await isPasskeyRequired(proof.user)));

  /** False when the password changed, or the account or its domain was disabled, since. */
  async function isStillValid(user: UserWithExpiry, earlier: PartialLogin): Promise<boolean> {
    if (user.id !== earlier.userId || user.epoch !== earlier.epoch) return false;
    return (await scopes.authContextFor(user, { kind: 'unscoped' })).generation === earlier.generation;
  }

  /** Whether the methods so far are not enough, whatever is said of passkeys. */
  async function needsCode(user: UserWithExpiry, methods: readonly AuthMethod[]): Promise<boolean> {
    return (
      (await missingMethods({ user, methods: new Set(methods), second: hasSecond(methods), parent: undefined })) !== undefined
    );
  }

  return {
    missingMethods,
    isComplete,
    isStillValid,
    isPasskeyRequired,
    needsCode,
    /** What a person must show besides a password. */
    async signInNeeds(user: UserWithExpiry): Promise<('second_factor' | 'passkey')[]> {
      const [second, passkey] = await Promise.all([needsCode(user, ['password']), isPasskeyRequired(user)]);
      return [...(second ? (['second_factor'] as const) : []), ...(passkey ? (['passkey'] as const) : [])];
    },
  };
}

export type LoginCompleteness = ReturnType<typeof createLoginCompleteness>;
