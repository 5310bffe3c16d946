// The states of an exchange (database.ts names them): where it waits, and where nothing more happens.
import type { ExchangeState, FinalState } from '../database.ts';

const OVER: readonly string[] = ['issued', 'submitted', 'rejected', 'failed', 'expired'] satisfies FinalState[];

export const isFinished = (state: ExchangeState): state is FinalState => OVER.includes(state);

/** Whether the peer has its answer, or may have it. */
export const isAnswered = (state: ExchangeState): state is FinalState | 'answering' => state === 'answering' || isFinished(state);
