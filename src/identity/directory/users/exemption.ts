// The option `ignore_two_factor_policy`: an account that needs no second factor where everybody must have one.
import { type Caller, isAllowed } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';

/** `options`: of a user, as JSON. */
export const isExempt = (options: string): boolean =>
  parseJson<{ ignore_two_factor_policy?: boolean | null }>(options).ignore_two_factor_policy === true;

/** Managers of a domain do not loosen what administrators require of everybody in it, for themselves or for others. */
export function refuseExemption(caller: Caller, before: string, after: string): void {
  if (isExempt(after) && !isExempt(before) && !isAllowed(caller, 'identity:update_domain_config')) fail('user.exempt');
}
