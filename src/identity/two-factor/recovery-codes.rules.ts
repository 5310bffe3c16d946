// Recovery codes: each can be used once.
import { createHash, randomBytes } from 'node:crypto';
import type { Actor } from '../audit/index.ts';
import type { Guesser } from '../passwords/index.ts';
import { guessCode } from './codes.rules.ts';
import { type FactorDeps, factorOf, failIfUserMissing } from './factor.ts';
import { toBase32 } from './totp.ts';
import { replaceRecoveryCodes, spendRecoveryCode } from './two-factor.store.ts';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** 80 random bits need no slow hash. Grouping and case are ignored. */
const recoveryHash = (code: string): string =>
  createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest('base64url');

/**
 * Creates ten codes, shown only now. The previous ones become invalid. `withFactor`: they are made as a part of turning the second factor
 * on, of which the person gets a mail already.
 */
export async function makeRecoveryCodes(
  deps: FactorDeps,
  actor: Actor,
  userId: string,
  { withFactor = false } = {},
): Promise<string[]> {
  await factorOf(deps, userId);
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(RECOVERY_BYTES)).replace(/(.{4})(?=.)/g, '$1-'),
  );
  await deps.change(actor, async (transaction) => {
    await failIfUserMissing(userId, () => replaceRecoveryCodes(transaction.tx, userId, codes.map(recoveryHash)));
    transaction.audit('two_factor.recovery_codes_made', { kind: 'user', id: userId });
    await deps.notify(transaction, 'two_factor.recovery_codes_made', userId);
    if (!withFactor) await deps.notices.twoFactor(transaction, 'recovery-codes-made', userId);
  });
  return codes;
}

export const acceptRecoveryCode = (deps: FactorDeps, by: Guesser, userId: string, code: string): Promise<boolean> =>
  guessCode(deps, by, userId, 'recovery_code', async (transaction) => {
    const spent = await spendRecoveryCode(transaction.tx, userId, recoveryHash(code));
    if (spent) await deps.notify(transaction, 'two_factor.recovery_code_used', userId);
    return spent;
  });
