// Recovery codes: each can be used once.
import { createHash, randomBytes } from 'node:crypto';
import type { Actor, Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Guesser } from '../passwords/index.ts';
import { guessCode } from './codes.rules.ts';
import { type FactorDeps, factorOf, failIfUserMissing } from './factor.ts';
import { toBase32 } from './totp.ts';
import { isFactorOn, replaceRecoveryCodes, spendRecoveryCode } from './two-factor.store.ts';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** 80 random bits need no slow hash. Grouping and case are ignored. */
const recoveryHash = (code: string): string =>
  createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest('base64url');

/** Creates ten codes, shown only now. The previous ones become invalid. */
export async function addRecoveryCodes(deps: FactorDeps, transaction: Change, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(RECOVERY_BYTES)).replace(/(.{4})(?=.)/g, '$1-'),
  );
  await failIfUserMissing(userId, () => replaceRecoveryCodes(transaction.tx, userId, codes.map(recoveryHash)));
  transaction.audit('two_factor.recovery_codes_made', { kind: 'user', id: userId });
  await deps.notify(transaction, 'two_factor.recovery_codes_made', userId);
  return codes;
}

/** The person gets a mail. */
export async function makeRecoveryCodes(deps: FactorDeps, actor: Actor, userId: string): Promise<string[]> {
  await factorOf(deps, userId);
  return deps.change(actor, async (transaction) => {
    // It may have been turned off since.
    if (!(await isFactorOn(transaction.tx, userId))) fail('two_factor.not_enabled', { id: userId });
    const codes = await addRecoveryCodes(deps, transaction, userId);
    await deps.notices.twoFactor(transaction, 'recovery-codes-made', userId);
    return codes;
  });
}

export const acceptRecoveryCode = (deps: FactorDeps, by: Guesser, userId: string, code: string): Promise<boolean> =>
  guessCode(deps, by, userId, 'recovery_code', async (transaction) => {
    const spent = await spendRecoveryCode(transaction.tx, userId, recoveryHash(code));
    if (spent) await deps.notify(transaction, 'two_factor.recovery_code_used', userId);
    return spent;
  });
