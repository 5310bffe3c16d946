// Groups of exchange states (see database.ts).
import type { ExchangeState, FinalState } from '../ground/database.ts';

export const OVER: readonly ExchangeState[] = [
  'issued',
  'submitted',
  'rejected',
  'failed',
  'expired',
  'cancelled',
] satisfies FinalState[];

export const isFinished = (state: ExchangeState): state is FinalState => OVER.includes(state);

/** What the owner can do with an exchange in this state. Nothing while an answer is being sent, or when it is over. */
const NEXT = {
  offered: 'accept',
  redeeming: 'continue',
  authorization_required: 'authorize',
  authorized: 'continue',
  requesting: 'continue',
  deferred: 'wait',
  requested: 'answer',
} as const;
export const NEXT_STEPS = ['accept', 'authorize', 'wait', 'continue', 'answer'] as const;

export const nextStepOf = (state: ExchangeState): (typeof NEXT_STEPS)[number] | undefined =>
  Object.hasOwn(NEXT, state) ? NEXT[state as keyof typeof NEXT] : undefined;

/** Nothing was redeemed or sent, so the same offer or request can be opened again. */
export const isUntouched = (state: ExchangeState): boolean => ['offered', 'authorization_required', 'requested'].includes(state);

/** Whether the peer has, or may have, its answer. */
export const isAnswered = (state: ExchangeState): state is FinalState | 'answering' => state === 'answering' || isFinished(state);
