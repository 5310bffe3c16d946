// Whether the methods of a login are enough: the rules of the account, a second factor, a passkey where one is required.
import type { AuthMethod } from '../../access/context/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { LoginProof } from './methods.ts';
import { hasSecond, missingByRules, missingCombinations } from './requirements.ts';
import type { Scopes } from './scopes.ts';

/** A sign-in that is not complete yet: the methods that succeeded, and the state of the account at that time. */
export interface PartialLogin {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
  readonly epoch: number;
  readonly generation: number;
}

export function createLoginCompleteness({
  db,
  scopes,
  isPasskeyRequired,
}: {
  readonly db: Database;
  readonly scopes: Scopes;
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
  }: LoginProof): Promise<readonly (readonly string[])[] | undefined> {
    // An access token was checked when the person authorized the application.
    if (parent || notAfter !== undefined) return missingByRules(user, methods);
    return missingCombinations(db.read, user, methods, second);
  }

  /** At the pages, where a passkey can be asked for. */
  const isComplete = async (proof: LoginProof): Promise<boolean> =>
    (await missingMethods(proof)) === undefined && (proof.methods.has('passkey') || !(await isPasskeyRequired(proof.user)));

  /** False when the password changed, or the account or its domain was disabled, since. */
  async function isStillValid(user: UserWithExpiry, earlier: PartialLogin): Promise<boolean> {
    if (user.id !== earlier.userId) return false;
    // The epoch of the user is part of the generation.
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
