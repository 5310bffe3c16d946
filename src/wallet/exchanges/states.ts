// Groups of exchange states (see database.ts).
import type { ExchangeState, FinalState } from '../database.ts';

const OVER: readonly string[] = ['issued', 'submitted', 'rejected', 'failed', 'expired'] satisfies FinalState[];

export const isFinished = (state: ExchangeState): state is FinalState => OVER.includes(state);

/** Whether the peer has, or may have, its answer. */
export const isAnswered = (state: ExchangeState): state is FinalState | 'answering' => state === 'answering' || isFinished(state);
