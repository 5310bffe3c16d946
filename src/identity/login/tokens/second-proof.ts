// A second factor that is sent beside a password, where nobody logs in.

import type { Guesser } from '../../directory/passwords/index.ts';
import { fail } from '../../ground/faults.ts';
import type { MethodDeps } from './method.ts';
import { isCodeValid } from './totp.method.ts';

interface SentFactor {
  readonly code?: string | undefined;
  readonly recovery?: string | undefined;
}

/** Undefined when none was sent; fails when it is wrong. Only after the password was right: otherwise strangers could use codes up. */
export const createSecondProof =
  (deps: Pick<MethodDeps, 'factor' | 'credentials'>) =>
  async (by: Guesser, userId: string, { code, recovery }: SentFactor): Promise<'totp' | 'recovery_code' | undefined> => {
    if (code !== undefined) {
      if (!(await isCodeValid(deps, by, userId, code))) fail('auth.required', undefined, { reason: 'verification code wrong' });
      return 'totp';
    }
    if (recovery === undefined) return undefined;
    if (!(await deps.factor.acceptRecoveryCode(by, userId, recovery)))
      fail('auth.required', undefined, { reason: 'recovery code wrong' });
    return 'recovery_code';
  };
