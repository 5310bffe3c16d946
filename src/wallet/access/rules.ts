// Who may do what in the wallet node. A wallet is its owner's alone, so there is little to decide: a request sees and changes what
// its caller owns (owners.store.ts), and nothing else exists for it.
import type { App } from '../../platform/http/index.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';

const rules = {
  /** Everyone who is signed in, about what is theirs. */
  owner: (caller: Caller | undefined): boolean => caller !== undefined,
} as const;

export type RuleName = keyof typeof rules;

export type WalletApp = App<Caller, RuleName>;

/** Asked by the server before it calls a handler. */
export function authorize(rule: string, caller: Caller): void {
  if (!rules[rule as RuleName](caller)) fail('forbidden', { why: 'it is for the owner of a wallet' });
}
